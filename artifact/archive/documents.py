"""Documents at the top of a deposit: what it is, how to cite it, under which terms."""

from collections.abc import Mapping
from typing import Any

import yaml

from artifact.archive.source import Commit
from artifact.archive.swhid import SourceFile
from artifact.run.settings import configuration
from rarlib import __version__

HEADLINE_EDITION, OTHER_EDITION = "config", "other"
"""Editions: the configuration of the headline, and one that is no file in `config/`."""

_EDITIONS = (HEADLINE_EDITION, "smoke", "quick", "full", "accepted")

_COPIED = ("LICENSE", "LICENSES/MIT.txt", "REUSE.toml", ".zenodo.json")


def edition_of(config: Mapping[str, Any]) -> str:
    """Which configuration this is, wherever its results lie: the name of a file in `config/`, or `OTHER_EDITION`."""
    return next((name for name in _EDITIONS if _settings(configuration(name)) == _settings(config)), OTHER_EDITION)


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in ("results", "minutes")}


def deposit_name(edition: str) -> str:
    """Name of the deposit: that of the headline's results is the version's, any other says whose it is."""
    return f"rarlib-{__version__}" if edition == HEADLINE_EDITION else f"rarlib-{__version__}-{edition}"


def configuration_files(edition: str) -> list[str]:
    """The files of a deposit that state the configuration, as far as files do."""
    names = dict.fromkeys((HEADLINE_EDITION, edition))
    return [f"source/config/{name}.yaml" for name in names if name != OTHER_EDITION]


def documents(source: Commit, edition: str) -> dict[str, SourceFile]:
    """The documents by path."""
    found = {path: source.files[path] for path in _COPIED}
    found["CITATION.cff"] = SourceFile(_citation(source).encode())
    text = source.files["workflow/archive/README.md"].data.decode()
    about = {"name": deposit_name(edition), "version": __version__, "commit": source.commit, "day": source.day}
    for key, value in (about | {"directory": source.directory} | _made_by(edition)).items():
        text = text.replace(f"{{{key}}}", value)
    found["README.md"] = SourceFile(text.encode())
    return found


def _made_by(edition: str) -> dict[str, str]:
    """Which configuration made the results, and the command that makes them again."""
    if edition == HEADLINE_EDITION:
        return {
            "edition": "The results are those of `source/config/config.yaml`: all of them.",
            "again": "make reproduce",
        }
    if edition == OTHER_EDITION:
        other = "The results are those of a configuration that is not in `source/config`: not the headline's."
        return {"edition": other, "again": "make reproduce ARGS='--configfile FILE'"}
    return {
        "edition": f"The results are those of `source/config/{edition}.yaml`: not the headline's.",
        "again": f"make reproduce ARGS='--configfile config/{edition}.yaml'",
    }


def _citation(source: Commit) -> str:
    """CITATION.cff with what only a deposit knows: commit, date and the identifier of the tree."""
    content = yaml.safe_load(source.files["CITATION.cff"].data)
    content |= {"version": __version__, "commit": source.commit, "date-released": source.day}
    tree = {"type": "swh", "value": source.directory, "description": "The source tree, in source/"}
    content["identifiers"] = [*content.get("identifiers", []), tree]
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
