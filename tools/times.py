"""Seconds that each test file takes, by which runs of the tests are ordered and chosen (benchmarks/tests.csv)."""

import csv

from rarlib.model.project import ROOT

SECONDS = ROOT / "benchmarks/tests.csv"

USUAL_S = 1.0
"""Of a test file that has no recorded time."""


def recorded_seconds() -> dict[str, float]:
    """Test file -> seconds that its tests took when `python -m tools.tests --record` was run last."""
    if not SECONDS.is_file():
        return {}
    with SECONDS.open(encoding="utf-8", newline="") as file:
        return {row["file"]: float(row["seconds"]) for row in csv.DictReader(file)}
