"""Shares of errors that tests find, and the files in which they are kept."""

import csv
import io
from pathlib import Path

import pytest
from scipy.stats import norm

from tools.mutation.results import rows, summary


def test_the_interval_is_wilsons() -> None:
    outcomes = ["killed"] * 17 + ["timed out"] + ["survived"] * 2
    found = [{"package": "cost", "outcome": outcome} for outcome in outcomes]
    row = next(csv.DictReader(io.StringIO(summary(found))))
    z = norm.ppf(0.975)
    centre, spread = (0.9 + z**2 / 40) / (1 + z**2 / 20), z / (1 + z**2 / 20) * (0.9 * 0.1 / 20 + z**2 / 1600) ** 0.5
    assert (row["tried"], row["killed"]) == ("20", "18")
    assert float(row["low"]) == pytest.approx(centre - spread, abs=6e-4)
    assert float(row["high"]) == pytest.approx(centre + spread, abs=6e-4)


def test_a_row_that_was_cut_off_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("a,cost,1,killed,3,1.0,x,y\nb,cost,2,kil", encoding="utf-8")
    assert [row["name"] for row in rows(path)] == ["a"]
    assert rows(tmp_path / "none.csv") == []
