"""Reading the constants of a cost model from text."""

from dataclasses import fields
from typing import Any, TypeVar

from rarlib.model.errors import InputError

_Model = TypeVar("_Model")


def parse(model: type[_Model], text: str) -> _Model:
    """Read `alpha=0.3,xi=1.0` into a dataclass; numbers that are not named keep their defaults.

    Raises:
        InputError: for an unknown key or a value that is not a number in range.
    """
    known = [field.name for field in fields(model) if field.type is float]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in known:
            raise InputError(f"unknown key {key!r}; known: {', '.join(known)}", file="--contention")
        try:
            values[key] = float(value)
        except ValueError:
            raise InputError(f"must be a number, found {value!r}", file="--contention", field=key) from None
    return model(**values)
