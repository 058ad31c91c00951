"""Which tests can notice a change of a line: one run of the tests under coverage.py, a context for each test.

Kernels run as plain Python here (NUMBA_DISABLE_JIT), so that their lines are seen and a change needs no compilation.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

from tools.mutation import PACKAGES, ROOT
from tools.mutation.deadline import deadline
from tools.mutation.reach import OF_CONSTANTS

LIMIT_S = 10
"""Tests that take more processor time than this in plain Python, fixtures included, are left out."""

_WAIT_S = 300
"""A test that neither ends nor computes for so long waits for something that never comes; it is left out, too."""

ROOM_S = 600
"""Processor time of one folder: no test begins after it. The first case of every test comes before any second one."""

_ROOMS = (
    *("model", "cost", "simulator", "golden", "ilp", "bounds", "property", "schedulers", "allocate"),
    *("fabric", "derived", "papers", "study"),
)
TESTS = (*(f"tests/{room}" for room in _ROOMS), *OF_CONSTANTS)
"""Folders and files of tests."""

_COVERAGE = Path(coverage.__file__).parent


class Contexts:
    """A plug-in of pytest: tells coverage.py which test runs, and how long each took.

    Attributes:
        seconds: test -> s, of those that passed.
        tests: number of tests that were found.
    """

    def __init__(self, measuring: coverage.Coverage) -> None:
        self.seconds: dict[str, float] = {}
        self.tests = 0
        self._measuring = measuring

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """The first cases of all tests, then the second ones, and so on: what is cut off is another case."""
        seen: Counter[str] = Counter()
        turn = {}
        for item in items:
            name = item.nodeid.partition("[")[0]
            turn[item] = seen[name]
            seen[name] += 1
        items.sort(key=turn.__getitem__)
        self.tests = len(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Run one test in its context, up to the limit, which comes again if code goes on in spite of it."""
        self._measuring.switch_context(item.nodeid)
        start = time.process_time()
        try:
            with deadline(LIMIT_S, _WAIT_S, _COVERAGE):
                return (yield)
        finally:
            self._measuring.switch_context("")
            self.seconds.setdefault(item.nodeid, time.process_time() - start)
            if time.process_time() > ROOM_S:
                item.session.shouldstop = f"the {ROOM_S} s of this folder are over"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test that fails or is skipped, even as plain Python, notices nothing."""
        if not report.passed:
            self.seconds[report.nodeid] = float("inf")


def collect(into: Path, tests: tuple[str, ...] = TESTS) -> None:
    """Run the tests and write which of them reach which lines.

    Args:
        into: JSON that is written: `seconds` (test -> s) and `reached` (file -> line -> tests).
        tests: folders or files of tests.
    """
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    measuring = coverage.Coverage(
        data_file=None, include=[f"{ROOT}/rarlib/{package}/*" for package in PACKAGES], config_file=False
    )
    contexts = Contexts(measuring)
    measuring.start()
    ended = pytest.main(["-q", "--tb=no", *tests], plugins=[contexts])
    measuring.stop()
    if ended not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}:
        raise SystemExit(f"pytest ended with {ended!r} on {' '.join(tests)}")
    good = {test: round(took, 3) for test, took in contexts.seconds.items() if took < LIMIT_S}
    begun = len(contexts.seconds)
    print(
        f"{' '.join(tests)}: {len(good)} of {contexts.tests} tests can notice something in {sum(good.values()):.0f} s; "
        f"{begun - len(good)} fail as plain Python or take too long, {contexts.tests - begun} were not begun",
        flush=True,
    )
    data = measuring.get_data()
    reached: dict[str, dict[str, list[str]]] = {}
    for file in sorted(data.measured_files()):
        by_line = data.contexts_by_lineno(file).items()
        lines = {str(line): sorted(set(found) & good.keys()) for line, found in sorted(by_line)}
        reached[Path(file).relative_to(ROOT).as_posix()] = lines
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(json.dumps({"seconds": good, "reached": reached}), encoding="utf-8")


if __name__ == "__main__":
    collect(Path(sys.argv[1]), tuple(sys.argv[2:]) or TESTS)
