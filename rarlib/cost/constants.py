"""Reading the constants of a cost model from text."""

import math
from dataclasses import fields
from typing import Any, TypeVar

from rarlib.model.errors import InputError, shown

_Model = TypeVar("_Model")
_LEAST, _MOST = 1e-6, 1e6
"""Sizes of a constant that is not 0: times computed with others are no longer finite, or all the same."""


def parse(model: type[_Model], text: str) -> _Model:
    """Read `alpha=0.3,xi=1.0` into a dataclass; numbers that are not named keep their defaults.

    Raises:
        InputError: for an unknown key or a value that is not a number in range.
    """
    known = [field.name for field in fields(model) if field.type is float]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key in values:
            raise InputError("is given twice", file="--contention", field=key)
        if key not in known:
            raise InputError(f"unknown key {shown(key)}; known: {', '.join(known)}", file="--contention")
        try:
            values[key] = float(value)
        except ValueError:
            raise InputError(f"must be a number, found {shown(value)}", file="--contention", field=key) from None
        if math.isfinite(values[key]) and values[key] and not _LEAST <= abs(values[key]) <= _MOST:
            rule = f"must be 0 or a number of {_LEAST:g} to {_MOST:g}, found {shown(value)}"
            raise InputError(rule, file="--contention", field=key)
    try:
        return model(**values)
    except InputError as error:
        raise InputError(error.rule, file="--contention", field=error.field) from None
