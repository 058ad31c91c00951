"""What mutation tests found, as accepted, and the files in which their results are kept."""

import csv
import io
from pathlib import Path

import pytest
from scipy.stats import norm

from tools.mutation import PACKAGES, ROOT
from tools.mutation.results import SUMMARY, SURVIVORS, rows, summary


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_tests_find_nine_of_ten_errors() -> None:
    found = {row["package"]: row for row in table(SUMMARY)}
    assert set(found) == {*PACKAGES, "all"}
    assert {name: row["share"] for name, row in found.items() if float(row["share"]) < 0.9} == {}
    assert min(int(row["tried"]) for row in found.values()) >= 50


def test_every_survivor_is_explained() -> None:
    survivors, (everything,) = table(SURVIVORS), [row for row in table(SUMMARY) if row["package"] == "all"]
    assert [row["name"] for row in survivors if len(row["why"]) < 20] == []
    assert len(survivors) == int(everything["tried"]) - int(everything["killed"])


def test_survivors_are_errors_in_code_that_stands() -> None:
    """An explanation whose line has gone explains nothing."""
    gone = [row["name"] for row in table(SURVIVORS) if row["before"] not in (ROOT / row["file"]).read_text("utf-8")]
    assert gone == []


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
