"""Hypothesis without clocks, files or chance: the same examples everywhere; a machine without data; closed figures."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.bare import bare_machine

settings.register_profile("house", derandomize=True, database=None, deadline=None, max_examples=200)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Long tests run only when asked for."""
    parser.addoption("--nightly", action="store_true", help="also run the tests marked nightly")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the nightly tests unless `--nightly` is given."""
    if not config.getoption("--nightly"):
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


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


@pytest.fixture(autouse=True)
def _forget_guests() -> None:
    """Labels that an earlier test gave to schedulers are unknown: figures keep them for the rest of their process."""
    if "rarlib.plot.style" in sys.modules:
        sys.modules["rarlib.plot.style"]._introduced.clear()
