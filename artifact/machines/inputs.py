"""The measured sources as one file of the pipeline; `data/measured.tsv` lists their files.

They are found in data/raw and in mirrors only: their numbers were taken from the public repositories that the list
names, but their layout is that of the mirror. Without them nothing stands in: what they test is not scored.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from artifact.machines.deepshare import DEEPSHARE_FILES
from artifact.machines.morphling import MORPHLING_FILES
from artifact.machines.pollux import POLLUX_FILES
from artifact.machines.sailor import SAILOR_FILES
from artifact.machines.shockwave import SHOCKWAVE_FILES
from rarlib.model.errors import InputError
from rarlib.model.inputs import is_regular
from rarlib.records.columns import read_columns
from rarlib.traces.places import data_folder
from rarlib.traces.profile_sets import ProfileSet
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import Source, read_sources

LIST = "measured.tsv"
"""List of the files, in the data folder, with the columns of `sources.tsv`."""

READERS = {
    "sailor": SAILOR_FILES,
    "morphling": MORPHLING_FILES,
    "deepshare": DEEPSHARE_FILES,
    "shockwave": SHOCKWAVE_FILES,
    "pollux": POLLUX_FILES,
}
"""Source -> its files."""


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """All sources that are at hand.

    Args:
        name: of the set.
        settings: nothing is read from them.

    Raises:
        InputError: a file with a wrong checksum, or one that breaks a rule of its reader.
    """
    data: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    origins: set[str] = set()
    for source in READERS:
        data[source] = {file: _plain(frame) for file, frame in load_measured(source).items()}
        for each in _listed(source):
            stated = each.file if data[source] else f"{each.file} (not at hand)"
            facts[stated] = {"standin": False, "digest": each.digest if data[source] else ""}
            hit = at_hand(each)
            origins |= {hit.origin} if hit else set()
    origin = ",".join(sorted(origins)) if all(data.values()) else "stand-in"  # the pipeline looks again next time
    return ProfileSet(data, {"name": name, "standin": False, "measured": facts}, origin)


def load_measured(source: str) -> dict[str, pd.DataFrame]:
    """The files of a source by name; none if any of them is not at hand.

    Raises:
        InputError: a file with a wrong checksum, or one that is no table of the kind that its reader expects.
    """
    reader = READERS[source]
    paths = {}
    files = _listed(source)
    if not files:
        return {}
    for each in files:
        hit = at_hand(each)
        if hit is None or hit.path is None:
            return {}
        paths[each.file.rpartition("/")[2].removesuffix(".csv")] = hit.path
    if paths.keys() != reader.kinds.keys():
        raise InputError(f"must list {', '.join(reader.kinds)} of {source}", file=data_folder() / LIST, field="file")
    return {
        file: read_columns(paths[file], columns, gaps=reader.gaps.get(file, ()))
        for file, columns in reader.kinds.items()
    }


def _listed(source: str) -> tuple[Source, ...]:
    """Files of a source; none if the data folder has no list of measured files."""
    path = data_folder() / LIST
    return read_sources(path).get(f"measured-{source}", ()) if is_regular(path) else ()


def _plain(frame: pd.DataFrame) -> dict[str, list[Any]]:
    return {str(name): [None if pd.isna(v) else v for v in frame[name].tolist()] for name in frame}
