"""Numbers from JSON as an array whose shape and range are checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError, shown


def number_array(
    value: Any, dimensions: int, *, low: float, high: float, file: object, field: str, empty: bool = False
) -> NDArray[np.float64]:
    """Lists of numbers, nested to a number of dimensions, as an array.

    Args:
        value: as JSON gives it; a number for 0 dimensions.
        dimensions: how deep the lists are nested; those of one level have one length.
        low: the least value that is accepted.
        high: the greatest.
        file: named in errors.
        field: named in errors.
        empty: whether there may be no number at all.

    Raises:
        InputError: another shape, anything that is no number, or a number out of range.
    """
    kind = "a number" if dimensions == 0 else f"{'lists of equally long ' * (dimensions - 1)}lists of numbers"
    if not _nested(value, dimensions):
        raise InputError(f"must be {kind}, found {shown(value)}", file=file, field=field)
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, OverflowError):
        raise InputError(f"must be {kind} that a computer holds", file=file, field=field) from None
    if array.size == 0 and not empty:
        raise InputError("must not be empty", file=file, field=field)
    bad = ~((array >= low) & (array <= high))
    if bad.any():
        raise InputError(f"must be {low:g} to {high:g}, found {array[bad][0]:g}", file=file, field=field)
    return array


def whole_number(value: Any, *, low: int, high: int, file: object, field: str) -> int:
    """A whole number from JSON.

    Raises:
        InputError: anything else, or a number out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InputError(f"must be a whole number, {low} to {high}, found {shown(value)}", file=file, field=field)
    return value


def _nested(value: Any, dimensions: int) -> bool:
    if dimensions == 0:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, list) and all(_nested(each, dimensions - 1) for each in value)
