"""Reports on a run of the tests: lists slow tests, and fails if tests were skipped where none may be.

python -m tools.tests JUNIT.xml [--no-skips] [--without browser]
python -m tools.tests JUNIT.xml --record   # processor seconds of each file into benchmarks/tests.csv, which orders runs
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pandas as pd

from rarlib.model.files import write_text
from tools.times import PROCESSOR_S, SECONDS

SLOW_S = 5.0
"""Tests that take more of a processor than this are listed."""


class Case(NamedTuple):
    """A test of a run.

    Attributes:
        name: `module::test`.
        seconds: of the processor, set-up included.
        skipped: whether it was skipped.
    """

    name: str
    seconds: float
    skipped: bool


def cases(report: Path) -> list[Case]:
    """The tests of a JUnit report, slowest first."""
    found = [
        Case(
            f"{case.get('classname', '')}::{case.get('name', '')}",
            _processor_s(case),
            case.find("skipped") is not None,
        )
        for case in ElementTree.parse(report).iter("testcase")
    ]
    return sorted(found, key=lambda case: (-case.seconds, case.name))


def _processor_s(case: ElementTree.Element) -> float:
    """What the tests' conftest.py has noted; the time taken where it has noted nothing."""
    noted = case.find(f"properties/property[@name='{PROCESSOR_S}']")
    return float(case.get("time", 0.0) if noted is None else noted.get("value", 0.0))


def by_file(ran: list[Case]) -> pd.DataFrame:
    """Seconds of each test file, those of under a tenth of a second left out."""
    files = [case.name.partition("::")[0].replace(".", "/") + ".py" for case in ran]
    table = pd.DataFrame({"file": files, "seconds": [case.seconds for case in ran]})
    total = table.groupby("file", as_index=False)["seconds"].sum().round(1)
    return total[total["seconds"] >= 0.1].sort_values("file")


def main(arguments: list[str] | None = None) -> int:
    """List slow tests; with `--no-skips`, fail when a test was skipped, except those in a package `--without`."""
    parser = argparse.ArgumentParser(description="Slow and skipped tests of a run.")
    parser.add_argument("report", type=Path, help="what pytest --junitxml wrote")
    parser.add_argument("--no-skips", action="store_true", help="fail when a test was skipped")
    parser.add_argument("--without", action="append", default=[], help="folder of tests/artifact that may be skipped")
    parser.add_argument("--record", action="store_true", help="write benchmarks/tests.csv")
    given = parser.parse_args(arguments)
    ran = cases(given.report)
    if given.record:
        write_text(SECONDS, by_file(ran).to_csv(index=False, lineterminator="\n"))
        return 0
    slow = [case for case in ran if case.seconds > SLOW_S]
    print(f"{len(slow)} of {len(ran)} tests took more than {SLOW_S:g} s of a processor")
    for case in slow:
        print(f"  {case.seconds:6.1f} s  {case.name}")
    allowed = tuple(f"tests.artifact.{package}." for package in given.without)
    skipped = sorted(case.name for case in ran if case.skipped and not case.name.startswith(allowed))
    if given.no_skips and skipped:
        print("error: skipped although recorded traces are available:", *skipped, sep="\n  ", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
