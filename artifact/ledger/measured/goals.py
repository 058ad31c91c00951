"""Goals of the measured ledger and what was expected of each predictor: `config/measured`, read and checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model.errors import InputError, shown
from rarlib.model.plain_yaml import yaml_file

_GOAL_KEYS = {"title", "source", "table", "quantity", "unit", "headline"}
_OPTIONAL = {"floor", "tests", "needs"}
_MEASURES = ("error", "bias", "largest")
ALL_ROWS, EACH_GROUP = "all", "each"
"""All rows together; every group alone."""


class GoalTest(NamedTuple):
    """One thing that the headline's predictor must reach.

    Attributes:
        measure: error (mean absolute relative error), bias (absolute mean of relative errors) or largest (absolute
            relative error).
        limit: the number that it may have at most.
        over: all, each, or a list of groups.
    """

    measure: str
    limit: float
    over: str | tuple[str, ...]


class Goal(NamedTuple):
    """A goal, as `config/measured/goals.yaml` states it.

    Attributes:
        name: G1 and so on.
        title: what is predicted.
        source: who measured.
        table: results table with the rows.
        quantity: what is predicted, as in the table.
        unit: its unit.
        headline: the predictor that stands for this project.
        floor: the predictor with a second measurement of the inputs; empty: nothing was measured twice.
        tests: what the headline must reach; empty for a goal that is only reported.
        needs: what would have to be true, for a goal that is missed.
    """

    name: str
    title: str
    source: str
    table: str
    quantity: str
    unit: str
    headline: str
    floor: str
    tests: tuple[GoalTest, ...]
    needs: str


class Expectation(NamedTuple):
    """What somebody expected before the first score: number by group (percent), and why."""

    goal: str
    predictor: str
    measure: str
    expected: Mapping[str, float]
    why: str


def read_goals(folder: Path) -> dict[str, Goal]:
    """Goals by name, in the order of the file.

    Raises:
        InputError: an unknown or missing key, a test that is none.
    """
    path = folder / "goals.yaml"
    section = _section(path, "goals", dict)
    if odd := [name for name in section if not isinstance(name, str)]:
        raise InputError(f"must be named by a text, found {shown(odd[0])}", file=path, field="goals")
    return {name: _goal(name, entry, path) for name, entry in section.items()}


def read_expectations(folder: Path, goals: Mapping[str, Goal]) -> list[Expectation]:
    """What was expected, in the order in which it was written.

    Raises:
        InputError: an unknown key or goal, a number that is none.
    """
    path, found = folder / "expectations.yaml", []
    for at, entry in enumerate(_section(path, "expectations", list)):
        where = f"expectations.{at}"
        keys = {"goal", "predictor", "measure", "expected", "why"}
        if not isinstance(entry, dict) or not keys - {"measure"} <= entry.keys() <= keys:
            raise InputError(f"needs the keys {', '.join(sorted(keys - {'measure'}))}", file=path, field=where)
        stated = entry.get("measure", "mean absolute relative error")
        if not all(isinstance(each, str) for each in (entry["goal"], entry["predictor"], entry["why"], stated)):
            raise InputError("must be texts: goal, predictor, measure and why", file=path, field=where)
        if entry["goal"] not in goals:
            raise InputError(f"unknown goal {shown(entry['goal'])}", file=path, field=where)
        if not isinstance(entry["expected"], dict) or not all(map(_is_number, entry["expected"].values())):
            raise InputError("must be numbers by group", file=path, field=f"{where}.expected")
        found.append(Expectation(entry["goal"], entry["predictor"], stated, entry["expected"], entry["why"].strip()))
    return found


def _section(path: Path, key: str, kind: type) -> Any:
    content = yaml_file(path)
    if not isinstance(content, dict) or not isinstance(content.get(key), kind):
        raise InputError(f"needs {key}", file=path)
    return content[key]


def _goal(name: str, entry: Any, path: Path) -> Goal:
    if not isinstance(entry, dict) or not _GOAL_KEYS <= entry.keys() <= _GOAL_KEYS | _OPTIONAL:
        raise InputError(f"needs the keys {', '.join(sorted(_GOAL_KEYS))}", file=path, field=name)
    listed = entry.get("tests", [])
    if not isinstance(listed, list):
        raise InputError("must be a list", file=path, field=f"{name}.tests")
    tests = tuple(_test(test, path, name) for test in listed)
    common = {key: str(entry[key]) for key in _GOAL_KEYS}
    texts = {key: str(entry.get(key, "")).strip() for key in ("floor", "needs")}
    return Goal(name=name, tests=tests, **texts, **common)


def _test(entry: Any, path: Path, name: str) -> GoalTest:
    measures = [key for key in _MEASURES if isinstance(entry, dict) and key in entry]
    if len(measures) != 1 or not entry.keys() <= {measures[0], "over"}:
        raise InputError(f"needs one of {', '.join(_MEASURES)}, and over", file=path, field=f"{name}.tests")
    limit, over = entry[measures[0]], entry.get("over")
    if not (_is_number(limit) and limit > 0):
        raise InputError("must be a number above 0", file=path, field=f"{name}.tests.{measures[0]}")
    groups = over if isinstance(over, list) and over else [None]
    if over not in (ALL_ROWS, EACH_GROUP) and not all(isinstance(each, str) for each in groups):
        raise InputError(f"must be {ALL_ROWS}, {EACH_GROUP} or a list of groups", file=path, field=f"{name}.tests.over")
    return GoalTest(measures[0], float(limit), tuple(over) if isinstance(over, list) else over)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
