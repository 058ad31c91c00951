"""Hypothesis without clocks, files or chance: the same examples everywhere; a machine without data; closed figures."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import artifact  # noqa: F401 - pins kernels before NumPy is loaded
from tests.bare import bare_machine
from tools.times import PROCESSOR_S, USUAL_S, recorded_seconds

MANY = 5
"""More failed tests than this are not named one by one in the last line."""

BEGAN = pytest.StashKey[os.times_result]()
"""Times of the process when the set-up of a test began."""

for name, examples in (("test", 60), ("release", 200)):
    settings.register_profile(name, derandomize=True, database=None, deadline=None, max_examples=examples)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Long tests run only when asked for."""
    parser.addoption("--release", action="store_true", help="also run the tests marked release")


def pytest_configure(config: pytest.Config) -> None:
    """More examples of each property where time does not count."""
    settings.load_profile("release" if config.getoption("--release") else "test")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of a release unless `--release` is given; begin with the files that take longest."""
    if not config.getoption("--release"):
        left_out = [item for item in items if item.get_closest_marker("release")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    seconds = recorded_seconds()
    root = config.rootpath
    items.sort(key=lambda item: -seconds.get(item.path.relative_to(root).as_posix(), USUAL_S))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """What the processor does for a test, its fixtures included, is counted from here."""
    item.stash[BEGAN] = os.times()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Processor seconds of this process and of those that have ended go into the JUnit report."""
    outcome = yield
    spent = sum(now - before for now, before in zip(os.times()[:4], item.stash[BEGAN][:4], strict=True))
    item.user_properties.append((PROCESSOR_S, f"{spent:.2f}"))
    return outcome


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line of a run names what failed, and how to run just that."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    failed = sorted({report.nodeid for kind in ("failed", "error") for report in reporter.stats.get(kind, ())})
    if failed:
        named = " ".join(f"'{name}'" for name in failed) if len(failed) <= MANY else "--lf"
        reporter.write_line(f"{len(failed)} failed. Just these again: .venv/bin/python -m pytest {named}")


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Path]:
    """A machine that has nothing but the project during one test; gives its data folder."""
    with bare_machine(tmp_path / "data") as home:
        yield home


@pytest.fixture
def run(capsys):
    """Runs a command in this process; gives its exit code, and what it printed."""
    from rarlib.cli.main import main  # noqa: PLC0415 - for those who ask for it

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        return end.value.code, capsys.readouterr()

    return run


@pytest.fixture
def refused(run):
    """Runs a command that must end with exit code 2 and one line; gives the line."""

    def refused(*words):
        code, told = run(*words)
        assert (code, told.err.count("\n")) == (2, 1), told
        return told.err

    return refused


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
