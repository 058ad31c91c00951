"""Measured files, where they can be had."""

import csv
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from artifact.machines import inputs
from rarlib.traces.places import data_folder
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources

NOT_AT_HAND = "the measured files are not at hand; set RARLIB_MIRROR"


@pytest.fixture(scope="session")
def measured_frames() -> Callable[[str], dict[str, pd.DataFrame]]:
    """Gives the tables of a source; a test that asks for them is skipped where they are not at hand."""

    def frames(source: str) -> dict[str, pd.DataFrame]:
        return inputs.load_measured(source) or pytest.skip(NOT_AT_HAND)

    return frames


@pytest.fixture(scope="session")
def measured_texts() -> Callable[[str], dict[str, list[dict[str, str]]]]:
    """Gives the rows of each file of a source as text, read without rarlib's readers; skipped likewise."""

    def texts(source: str) -> dict[str, list[dict[str, str]]]:
        found = {}
        for each in read_sources(data_folder() / inputs.LIST)[f"measured-{source}"]:
            hit = at_hand(each) or pytest.skip(NOT_AT_HAND)
            with Path(hit.path).open(newline="") as file:
                found[Path(each.file).stem] = list(csv.DictReader(file))
        return found

    return texts
