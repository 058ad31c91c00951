"""Hypothesis without clocks, files or chance: the same examples on every machine; and a machine without data."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.bare import bare_machine

settings.register_profile("house", derandomize=True, database=None, deadline=None, max_examples=200)
settings.load_profile("house")


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Path]:
    """A machine that has nothing but the project during one test; gives its data folder."""
    with bare_machine(tmp_path / "data") as home:
        yield home


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """What a test draws is gone after it."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
