"""Shares of errors that tests find, and the files in which they are kept."""

import csv
import io
from pathlib import Path

import pytest
from scipy.stats import norm

from tools.mutation import results
from tools.mutation.results import accept, rows, summary


def test_the_interval_is_wilsons() -> None:
    outcomes = ["killed"] * 17 + ["timed out"] + ["survived"] * 2
    found = [{"package": "cost", "name": "a:b:0", "before": "", "after": "", "outcome": each} for each in outcomes]
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


def test_an_error_without_effect_does_not_count_once_it_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "SURVIVORS", tmp_path / "survivors.csv")
    monkeypatch.setattr(results, "SUMMARY", tmp_path / "mutants.csv")
    common = {"package": "cost", "line": "3", "before": "x = 1"}
    found = [
        {**common, "name": "a.py:Op:0", "outcome": "killed", "after": "x = 0"},
        {**common, "name": "a.py:Op:1", "outcome": "survived", "after": "x = 2"},
        {**common, "name": "a.py:Op:2", "outcome": "survived", "after": "x = 3"},
    ]

    def shares() -> list[str]:
        accept(found, dict.fromkeys(results.PACKAGES, 9))
        row = next(csv.DictReader(io.StringIO((tmp_path / "mutants.csv").read_text(encoding="utf-8"))))
        return [row[name] for name in ("errors", "tried", "killed", "no_effect", "share")]

    assert shares() == ["9", "3", "1", "0", "0.333"]
    listed = (tmp_path / "survivors.csv").read_text(encoding="utf-8")
    explained = listed.replace("x = 2,survived,,", "x = 2,survived,no effect: x is not used,").replace(
        "x = 3,survived,,", "x = 3,survived,x is a tolerance,"
    )
    (tmp_path / "survivors.csv").write_text(explained, encoding="utf-8")
    assert shares() == ["9", "3", "1", "1", "0.500"]
    assert (tmp_path / "survivors.csv").read_text(encoding="utf-8") == explained


def test_every_survivor_is_explained_and_counted() -> None:
    """What was accepted: the share is that of the counts, and no error is left alive without a word."""
    with results.SURVIVORS.open(newline="", encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    with results.SUMMARY.open(newline="", encoding="utf-8") as file:
        counts = {row["package"]: row for row in csv.DictReader(file)}
    assert set(counts) == {*results.PACKAGES, "all"}
    assert all(row["why"] for row in listed)
    for package, row in counts.items():
        left = [each for each in listed if package in {each["file"].split("/")[1], "all"}]
        same = sum(each["why"].startswith(results.NO_EFFECT) for each in left)
        tried, killed = int(row["tried"]), int(row["killed"])
        assert (tried - killed, int(row["no_effect"])) == (len(left), same)
        assert float(row["share"]) == pytest.approx(killed / (tried - same), abs=6e-4)
