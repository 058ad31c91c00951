"""Predictors with one number that is fitted to other rows: what a prediction misses, per unit of something."""

from collections.abc import Mapping
from statistics import median

from rarlib.model.errors import InputError

FITTED_ON = "gh200, all rows but the one predicted"
"""Rows that `leave_one_out` fits to."""


def leave_one_out(
    base: Mapping[str, float], unit: Mapping[str, float], measured: Mapping[str, float], fit: set[str]
) -> dict[str, float]:
    """`base` plus a number times `unit`: the median of what other rows miss per unit.

    Args:
        base: prediction by row.
        unit: what the missing part is proportional to, above 0, by row.
        measured: what was measured, by row.
        fit: rows that may be fitted to; the row that is predicted never is.
    """
    if len(fit) < 2 or not all(unit[row] > 0 for row in fit):
        raise InputError("needs two rows to fit to, and something to fit per", field="fitted_on")
    missing = {row: (measured[row] - base[row]) / unit[row] for row in sorted(fit)}
    return {row: base[row] + unit[row] * median([v for other, v in missing.items() if other != row]) for row in base}
