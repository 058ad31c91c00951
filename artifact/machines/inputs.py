"""The measured sources as one file of the pipeline; `data/measured.tsv` lists their files.

They are found in data/raw and in mirrors only: their numbers were taken from the public repositories that the list
names, but their layout is that of the mirror. Without them nothing stands in: what they test is not scored. Their
checksums are checked, so their content is not.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rarlib.model.inputs import is_regular
from rarlib.traces.places import data_folder
from rarlib.traces.profile_sets import ProfileSet
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import Source, read_sources

LIST = "measured.tsv"
"""List of the files, in the data folder, with the columns of `sources.tsv`."""

MEASURED_SOURCES = ("sailor", "morphling", "deepshare", "shockwave", "pollux")

_TEXTS = dict.fromkeys(("placement", "layers_per_stage"), str)
"""Columns whose texts may look like numbers."""


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """All sources that are at hand."""
    data: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    origins: set[str] = set()
    for source in MEASURED_SOURCES:
        data[source] = {file: _plain(frame) for file, frame in load_measured(source).items()}
        for each in _listed(source):
            stated = each.file if data[source] else f"{each.file} (not at hand)"
            facts[stated] = {"standin": False, "digest": each.digest if data[source] else ""}
            hit = at_hand(each)
            origins |= {hit.origin} if hit else set()
    origin = ",".join(sorted(origins)) if all(data.values()) else "stand-in"  # the pipeline looks again next time
    return ProfileSet(data, {"name": name, "standin": False, "measured": facts}, origin)


def load_measured(source: str) -> dict[str, pd.DataFrame]:
    """The files of a source by name; none if any of them is not at hand."""
    found = {}
    for each in _listed(source):
        hit = at_hand(each)
        if hit is None or hit.path is None:
            return {}
        found[hit.path.stem] = pd.read_csv(hit.path, dtype=_TEXTS)
    return found


def _listed(source: str) -> tuple[Source, ...]:
    """Files of a source; none if the data folder has no list of measured files."""
    path = data_folder() / LIST
    return read_sources(path).get(f"measured-{source}", ()) if is_regular(path) else ()


def _plain(frame: pd.DataFrame) -> dict[str, list[Any]]:
    return {str(name): [None if pd.isna(v) else v for v in frame[name].tolist()] for name in frame}
