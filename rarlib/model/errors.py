"""The errors that a user sees when an input or a decision is wrong."""

import math
from collections.abc import Iterable
from typing import Any


class InputError(Exception):
    """A bad input, described in one line: where it is, which rule it breaks.

    Args:
        rule: what was expected and what was found instead.
        file: the file (or option) that holds the bad value.
        row: 1-based line of the file, header included, as an editor shows it.
        field: the column, key or option.
    """

    def __init__(self, rule: str, *, file: object = None, row: int | None = None, field: str | None = None) -> None:
        self.rule, self.file, self.row, self.field = rule, file, row, field
        where = [str(file)] if file is not None else []
        where += [f"row {row}"] if row is not None else []
        where += [f"field {field}"] if field is not None else []
        super().__init__(": ".join([", ".join(where), rule] if where else [rule]))


class DecisionError(Exception):
    """A scheduler asked for something impossible; the message names scheduler, time, job, node and rule."""


class InfeasibleError(InputError):
    """A planner found no schedule that ends within its horizon."""


def require_keys(table: Any, known: Iterable[str], file: object, field: str) -> None:
    """Refuse a table read from YAML that is not a mapping or has an unknown key.

    Raises:
        InputError: naming the key and the known ones.
    """
    if not isinstance(table, dict):
        raise InputError("must be a mapping", file=file, field=field)
    for key in table:
        if key not in known:
            raise InputError(f"unknown key {key!r}; known: {', '.join(sorted(known))}", file=file, field=field)


def require_numbers(holder: object, *names: str, zero: bool = False) -> None:
    """Refuse attributes that are not finite numbers above 0.

    Args:
        holder: object with the attributes.
        names: names of the attributes.
        zero: whether 0 is allowed as well.

    Raises:
        InputError: naming the attribute.
    """
    rule = "must be a number of at least 0" if zero else "must be a number above 0"
    for name in names:
        value = getattr(holder, name)
        if not (math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))):
            raise InputError(f"{rule}, found {value}", field=name)
