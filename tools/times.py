"""Processor seconds of each test file, by which runs of the tests are ordered and chosen (benchmarks/tests.csv)."""

import csv

from rarlib.model.project import ROOT

SECONDS = ROOT / "benchmarks/tests.csv"

PROCESSOR_S = "processor_s"
"""Property of a test in a JUnit report."""

USUAL_S = 1.0
"""Of a test file that has no recorded time."""


def recorded_seconds() -> dict[str, float]:
    """Test file -> processor seconds of its tests when `python -m tools.tests --record` was run last."""
    if not SECONDS.is_file():
        return {}
    with SECONDS.open(encoding="utf-8", newline="") as file:
        return {row["file"]: float(row["seconds"]) for row in csv.DictReader(file)}
