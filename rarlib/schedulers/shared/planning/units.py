"""Estimates in whole units, so that accumulated busy times are exact and ties between GPUs are ties.

U is a sum of estimates. Added up in floating point, two GPUs that are equally busy may differ in the last digit, by the
order in which their gangs came, and the difference decides where the next gang goes. Here an estimate is a whole number
of units: U is then a sum of whole numbers below 2^53, which floating-point numbers represent exactly.

The unit follows from the estimated iteration times. If they are rational numbers with small denominators (one
`tau_hat` for all jobs, or constants with few digits), it is one over their common denominator. If not, it is a power of
ten of a second, so small that only the last few of a number's digits are rounded.
"""

from fractions import Fraction
from functools import lru_cache
from math import floor, lcm, log10

import numpy as np
from numpy.typing import NDArray

_MOST = 2.0**46
"""Sums stay below this: exact in floating point, and a unit is larger than the rounding error of an estimate."""

_DENOMINATOR = 1_000_000
_ROUNDING = 2e-15
"""Largest relative error of a number that is a few operations away from its exact value."""


def whole_units(
    work: NDArray[np.float64], tau: NDArray[np.float64], u: float, gangs: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """Estimated busy times rho-hat / u = work x tau / u in whole units.

    Args:
        work: iterations, shape (gangs,).
        tau: estimated iteration times in seconds (or slots), shape (gangs,).
        u: bound on the ratio of estimated to true execution time.
        gangs: GPUs of each gang; no server accumulates more than the sum of GPUs times estimates.

    Returns:
        Whole numbers, shape (gangs,); number of units in a second (or slot).
    """
    values, which = np.unique(tau, return_inverse=True)
    parts = [_simple(float(value)) for value in values]
    whole_u = _simple(u)
    if whole_u is not None and all(part is not None for part in parts):
        exact = [part / whole_u for part in parts if part is not None]
        common = lcm(*(part.denominator for part in exact))
        factors = np.array([float(part * common) for part in exact])[which]
        digits = _digits(work, gangs * factors)
        if digits >= 0:
            return np.rint(work * 10.0**digits) * factors, common * 10.0**digits
    estimate = work * tau / u
    digits = _digits(estimate, gangs.astype(np.float64))
    return np.rint(estimate * 10.0**digits), 10.0**digits


@lru_cache(4096)
def _simple(value: float) -> Fraction | None:
    """The rational number with a small denominator that `value` stands for, None if there is none."""
    near = Fraction(value).limit_denominator(_DENOMINATOR)
    return near if near > 0 and abs(float(near) - value) <= _ROUNDING * value else None


def _digits(values: NDArray[np.float64], weights: NDArray[np.float64]) -> int:
    """Decimal digits after the point with which `values` are exact, or as many as fit if they never are.

    Their sum with `weights` then stays below `_MOST`. Negative if not even the whole numbers fit.
    """
    total = max(float(values @ weights), float(values.max(initial=0.0)), 1e-200)
    most = floor(log10(_MOST / total))
    for digits in range(most):
        rounded = np.rint(values * 10.0**digits) / 10.0**digits
        if (np.abs(rounded - values) <= _ROUNDING * values).all():
            return digits
    return most
