"""Profile sets: input of experiments other than a single trace, made once by the pipeline and kept as a JSON file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model.errors import InputError
from rarlib.model.files import read_json


class ProfileSet(NamedTuple):
    """Profiles of one experiment, for the pipeline.

    Attributes:
        data: by name, as plain lists.
        provenance: the same on every machine that has the same files; `standin` says whether anything stands in.
        origin: where this machine got the files from. Not part of a result.
    """

    data: dict[str, Any]
    provenance: dict[str, Any]
    origin: str

    def beside(
        self, key: str, data: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]], origins: Iterable[str]
    ) -> "ProfileSet":
        """These profiles under `profiles`, and other data under `key`.

        Args:
            key: what the other data are called.
            data: the other data.
            facts: their provenance, source by source.
            origins: where this machine got them from.
        """
        standin = self.provenance["standin"] or any(each["standin"] for each in facts.values())
        return ProfileSet(
            {"profiles": self.data, key: data},
            {**self.provenance, "standin": standin, key: facts},
            "stand-in" if standin else ",".join(sorted({self.origin, *origins})),
        )


def read_profile_set(path: Path, *keys: str) -> dict[str, Any]:
    """The data of a set from the pipeline's file.

    Args:
        path: the file.
        keys: keys that the set must have.

    Raises:
        InputError: no such file, not JSON, or a key is missing.
    """
    data = read_json(path)
    for key in keys:
        if not isinstance(data.get(key), dict):
            raise InputError("missing, or not a mapping", file=path, field=key)
    return data
