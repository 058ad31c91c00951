"""The order that a claim's direction tests, in words: `SJF-BCO < LS (makespan)`."""

from collections.abc import Callable, Mapping
from typing import Any

from artifact.ledger.formulas import parts_of
from rarlib.plot.style import look

_HEADLINE = "headline"
_COLUMNS = {"setup": "set-up"}


def tested_order(formula: Mapping[str, Any], axis: Callable[[str], str]) -> str:
    """Say which values a formula expects to ascend, smallest first, and of which quantity."""
    orders: dict[str, list[str]] = {}
    for part in parts_of(formula):
        name = axis(part["table"]) or "x"
        chosen = [_point(key, value, name) for key, value in part.get("select", {}).items() if value != _HEADLINE]
        along = part.get("along", "")
        sign = " < " if part.get("strict", True) else " ≤ "
        steps = sign.join(_point(along, value, name) for value in part.get("ascending", ()))
        orders.setdefault(", ".join(chosen), []).append(steps or "holds")
    return "; ".join(", ".join(steps) + (f" ({chosen})" if chosen else "") for chosen, steps in orders.items())


def _point(column: str, value: Any, axis: str) -> str:
    """A value of a column as a reader meets it: a scheduler by its label, a number with what it counts."""
    if column == "scheduler":
        return look(str(value)).label
    if column == "x":
        return f"{axis} {value}"
    if column == "metric":
        return str(value).replace("_", " ")
    return f"{_COLUMNS.get(column, column)} {value}" if isinstance(value, int | float) else str(value)
