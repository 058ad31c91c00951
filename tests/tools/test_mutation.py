"""Shares of errors that tests find, and the files in which they are kept."""

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from scipy.stats import norm

from tools.mutation import results
from tools.mutation.deadline import TooLongError, deadline
from tools.mutation.reach import Reach
from tools.mutation.results import Counts, accept, accept_again, counts, rows, summary

OF = dict.fromkeys(results.PACKAGES, 9)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "SURVIVORS", tmp_path / "survivors.csv")
    monkeypatch.setattr(results, "SUMMARY", tmp_path / "mutants.csv")


def row_of(package: str, number: int, outcome: str) -> dict[str, str]:
    name = f"rarlib/{package}/a.py:Op:{number}"
    return {"package": package, "name": name, "line": "3", "before": "x = 1", "after": f"x = {number}"} | {
        "outcome": outcome
    }


def listed() -> list[dict[str, str]]:
    with results.SURVIVORS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shares() -> dict[tuple[str, str], list[str]]:
    with results.SUMMARY.open(newline="", encoding="utf-8") as file:
        names = ("errors", "tried", "killed", "since", "no_effect", "share")
        return {(row["seed"], row["package"]): [row[name] for name in names] for row in csv.DictReader(file)}


def explain(after: str, why: str) -> None:
    text = results.SURVIVORS.read_text(encoding="utf-8")
    assert f"{after},survived,," in text
    results.SURVIVORS.write_text(text.replace(f"{after},survived,,", f"{after},survived,{why},"), encoding="utf-8")


def test_the_interval_is_wilsons() -> None:
    outcomes = ["killed"] * 17 + ["timed out"] + ["survived"] * 2
    found = [row_of("cost", number, outcome) for number, outcome in enumerate(outcomes)]
    row = next(csv.DictReader(io.StringIO(summary(counts(found, OF, 1)))))
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


def test_an_error_that_was_tried_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("a,cost,1,survived,3,1.0,x,y\nb,cost,2,killed,3,1.0,x,y\na,cost,1,killed,4,1.0,x,y\n", "utf-8")
    assert sorted((row["name"], row["outcome"]) for row in rows(path)) == [("a", "killed"), ("b", "killed")]


def test_an_error_without_effect_does_not_count_once_it_is_explained() -> None:
    found = [row_of("cost", 0, "killed"), row_of("cost", 2, "survived"), row_of("cost", 3, "survived")]
    accept(found, OF, 1)
    assert shares()["1", "cost"] == ["9", "3", "1", "0", "0", "0.333"]
    explain("x = 2", "no effect: x is not used")
    explain("x = 3", "x is a tolerance")
    explained = listed()
    accept(found, OF, 1)
    assert shares()["1", "cost"] == ["9", "3", "1", "0", "1", "0.500"]
    assert listed() == explained


def test_a_package_is_accepted_alone() -> None:
    """Rows of other packages and of other seeds stay; those of all packages are the sums."""
    accept([row_of("cost", 0, "killed"), row_of("ilp", 1, "survived"), row_of("ilp", 2, "killed")], OF, 1)
    accept([row_of("ilp", 4, "survived")], OF, 7)
    explain("x = 4", "x is a tolerance")
    accept([row_of("ilp", 1, "killed"), row_of("ilp", 2, "killed"), row_of("ilp", 3, "survived")], OF, 1)
    assert {sample: row[:3] for sample, row in shares().items()} == {
        ("1", "cost"): ["9", "1", "1"],
        ("1", "ilp"): ["9", "3", "2"],
        ("1", "all"): ["18", "4", "3"],
        ("7", "ilp"): ["9", "1", "0"],
        ("7", "all"): ["9", "1", "0"],
    }
    assert [(row["seed"], row["after"], row["why"]) for row in listed()] == [
        ("1", "x = 3", ""),
        ("7", "x = 4", "x is a tolerance"),
    ]


def test_survivors_that_are_found_by_now_are_told_apart() -> None:
    """A share with tests that were written for the very sample is no estimate, so these are counted on their own."""
    accept([row_of("cost", 0, "killed"), *(row_of("cost", each, "survived") for each in (1, 2, 3))], OF, 1)
    accept([row_of("cost", 1, "survived")], OF, 2)
    explain("x = 2", "no effect: x is not used")
    accept_again([row_of("cost", 1, "killed"), row_of("cost", 2, "killed"), row_of("cost", 3, "survived")], 1)
    assert shares()["1", "cost"] == ["9", "4", "3", "2", "0", "0.750"]
    assert shares()["2", "cost"] == ["9", "1", "0", "0", "0", "0.000"]
    assert [(row["seed"], row["after"]) for row in listed()] == [("1", "x = 3"), ("2", "x = 1")]


def test_a_sample_without_effect_has_no_share() -> None:
    assert all(math.isnan(each) for each in Counts(9, 2, 0, 0, 2).shares())


def test_every_survivor_is_explained_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was accepted: the share is that of the counts, and no error is left alive without a word."""
    monkeypatch.setattr(results, "SURVIVORS", results.EXPECTED / "survivors.csv")
    monkeypatch.setattr(results, "SUMMARY", results.EXPECTED / "mutants.csv")
    assert all(row["why"] for row in listed())
    assert {package for seed, package in shares() if seed == "1"} == {*results.PACKAGES, "all"}
    for (seed, package), row in shares().items():
        left = [each for each in listed() if each["seed"] == seed and package in {each["file"].split("/")[1], "all"}]
        same = sum(each["why"].startswith(results.NO_EFFECT) for each in left)
        found = Counts(*map(int, row[:5]))
        assert (found.tried - found.killed, found.no_effect) == (len(left), same)
        assert float(row[5]) == pytest.approx(found.killed / (found.tried - same), abs=6e-4)
    assert results.SUMMARY.read_text(encoding="utf-8") == summary(results.accepted())


def spinning(path: Path) -> Callable[[float], None]:
    """A function of a module at this path that takes processor time."""
    text = """def spin(seconds):
    from time import process_time
    start = process_time()
    while process_time() < start + seconds:
        pass
    """
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)
    return names["spin"]


def test_a_test_beyond_its_limit_is_left_but_never_inside_of_coverage(tmp_path: Path) -> None:
    """An exception raised there would keep its lock locked, and collecting would wait for it for ever."""
    inside, outside = spinning(tmp_path / "coverage/a.py"), spinning(tmp_path / "coverage_of_ours.py")
    ended = False
    with pytest.raises(TooLongError), deadline(0.05, 60.0, tmp_path / "coverage"):
        inside(0.2)
        ended = True
        outside(5.0)
    assert ended
    with pytest.raises(TooLongError), deadline(60.0, 0.05, tmp_path / "coverage"):
        sleep(5.0)
    with deadline(0.05, 60.0, tmp_path):
        pass
    outside(0.2)  # nothing is left of the limit


def test_tests_of_a_line_are_tried_in_the_order_of_their_times_up_to_a_budget(tmp_path: Path) -> None:
    found = reach(tmp_path, {"tests/cost/a.py::slow": 3.0, "tests/ilp/b.py::quick": 1.0, "tests/cost/c.py::other": 2.0})
    assert found.tests("rarlib/cost/x.py", 7, 60.0) == ["tests/ilp/b.py::quick", "tests/cost/a.py::slow"]
    assert found.tests("rarlib/cost/x.py", 7, 2.0) == ["tests/ilp/b.py::quick"]
    assert found.tests("rarlib/cost/x.py", 7, 0.5) == ["tests/ilp/b.py::quick"], "one test in any case"


def test_a_line_that_runs_at_import_is_tried_with_tests_of_its_package_and_pages_of_constants_first(
    tmp_path: Path,
) -> None:
    page = "tests/tools/test_limits.py::page"
    found = reach(
        tmp_path, {"tests/cost/a.py::slow": 3.0, "tests/ilp/b.py::quick": 1.0, "tests/cost/c.py::other": 2.0, page: 4.0}
    )
    expected = ["tests/cost/a.py::slow", page, "tests/ilp/b.py::quick"]
    for line in (1, 4, 5):
        assert found.tests("rarlib/cost/x.py", line, 60.0) == expected, "what reaches no line of the module is left out"


def reach(folder: Path, seconds: dict[str, float]) -> Reach:
    """Line 7 of a module is reached by two tests, line 1 by none, and lines 4 and 5 by the first that imports it."""
    text = 'X = 1\n\n\n@cache\ndef f(most=3):\n    """Adds."""\n    return most + X\n'
    lines = {"7": ["tests/cost/a.py::slow", "tests/ilp/b.py::quick"]}
    lines |= {key: ["tests/ilp/b.py::quick"] for key in ("4", "5")}
    (folder / "rarlib" / "cost").mkdir(parents=True)
    (folder / "rarlib" / "cost" / "x.py").write_text(text)
    (folder / "reach.json").write_text(json.dumps({"seconds": seconds, "reached": {"rarlib/cost/x.py": lines}}))
    return Reach([folder / "reach.json"], folder)
