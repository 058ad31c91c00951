"""Goals of the measured ledger and what was expected of each predictor: `config/measured`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model.plain_yaml import yaml_file

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
    """Goals by name, in the order of the file."""
    return {name: _goal(name, entry) for name, entry in yaml_file(folder / "goals.yaml")["goals"].items()}


def read_expectations(folder: Path) -> list[Expectation]:
    """What was expected, in the order in which it was written."""
    usual = {"measure": "mean absolute relative error"}
    entries = yaml_file(folder / "expectations.yaml")["expectations"]
    return [Expectation(**{**usual, **entry, "why": entry["why"].strip()}) for entry in entries]


def _goal(name: str, entry: Mapping[str, Any]) -> Goal:
    texts = {key: str(entry.get(key, "")).strip() for key in Goal._fields if key not in ("name", "tests")}
    return Goal(name=name, tests=tuple(map(_test, entry.get("tests", ()))), **texts)


def _test(entry: Mapping[str, Any]) -> GoalTest:
    (measure,) = (key for key in _MEASURES if key in entry)
    over = entry["over"]
    return GoalTest(measure, float(entry[measure]), tuple(over) if isinstance(over, list) else over)
