"""Fits to other rows: every row is predicted by a law that has not seen it."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from artifact.machines.morphling import StepRow

EACH_OTHER = "the same model and plan, all rows but the one predicted"
"""Rows that `row_from_others` fits to."""

Law = Callable[[Sequence[StepRow]], Callable[[StepRow], float]]
"""Rows to fit to -> a law that predicts the seconds of a step."""

_Row = TypeVar("_Row")


def alike(rows: Sequence[_Row], key: Callable[[_Row], Hashable]) -> dict[Hashable, list[_Row]]:
    """Rows by key, in the order of their first row."""
    found: dict[Hashable, list[_Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def row_from_others(rows: Sequence[StepRow], law: Law, *, one_node: bool = False) -> dict[str, float]:
    """Predicted seconds by row, each from the rows of the same model and plan without it."""
    found = {}
    for others in alike(rows, lambda row: (row.model, row.plan)).values():
        seen = [row for row in others if not one_node or len(row.by_node) == 1]
        for row in others:
            fit = [each for each in seen if each.id != row.id]
            if fit:
                found[row.id] = law(fit)(row)
    return found
