"""From a view to a batch: the gangs, their order, and their estimated durations in whole units.

Added up in floating point, two GPUs that are equally busy may differ in the last digit, by the order in which their
gangs came, and the difference decides where the next gang goes. Sums of whole units below 2^53 are exact. The unit is
one over the common denominator of the estimated iteration times if they are rational numbers with small denominators,
and else a power of ten of a second, so small that only the last few of a number's digits are rounded.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor, lcm, log10
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jobs import Job
from rarlib.model.prices import Prices, alone_per_s
from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch, estimates

_MOST = 2.0**46
"""Sums stay below this: exact in floating point, and a unit is larger than the rounding error of an estimate."""

_DENOMINATOR = 1_000_000
_ROUNDING = 2e-15
"""Largest relative error of a number that is a few operations away from its exact value."""


def whole_units(
    work: NDArray[np.float64], tau: NDArray[np.float64], u: float, gangs: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """Estimated busy times rho-hat / u = work x tau / u in whole units, and how many make up a second (or slot).

    No server accumulates more than the sum of `gangs` times estimates.
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


def planning_order(jobs: Sequence[Job], order: str) -> list[Job]:
    """Jobs in planning order: `gang` (ascending gang size, Alg. 1, l. 3) or `submission`; ties by row."""
    return sorted(jobs, key=attrgetter("gpus", "row") if order == "gang" else attrgetter("row"))


def prepare(
    view: View,
    waiting: Sequence[Job],
    held: Mapping[int, NDArray[np.int64]],
    tau_hat: float | None,
    u: float,
    step_s: float,
) -> tuple[Batch, float]:
    """The batch to plan, and a span of time, a whole multiple of `step_s`, that is long enough for any schedule of it.

    `held` are the GPUs of running jobs by row; without `tau_hat` every iteration takes tau^u; `u` is that of eq. 15.
    """
    running = view.running_rows
    begun, gpus_held = len(running), [held[row] for row in running.tolist()]
    rows = np.array([*running.tolist(), *(job.row for job in waiting)], np.int64)
    gangs = np.array([*map(len, gpus_held), *(job.gpus for job in waiting)], np.int64)
    work = view.prices.work[rows]
    work[:begun] = np.minimum(work[:begun], view.remaining_s(running) * alone_per_s(view.prices, running))
    prices = _of_gangs(view.prices, rows, work)
    plain, tau, longest = estimates(prices, gangs, int(view.cluster.gpus.max()))
    if tau_hat is not None:
        tau = np.full(len(rows), tau_hat)
    at = np.concatenate([[0], np.cumsum(gangs)])
    gpus = np.zeros(int(at[-1]), np.int64)
    gpus[: at[begun]] = np.concatenate([gpus[:0], *gpus_held])
    n, counts = len(rows), np.array([begun], np.int64)
    estimate, units_per_s = whole_units(work, tau, u, gangs)
    batch = Batch(rows, gangs, prices, estimate, units_per_s, plain, at, gpus, np.zeros(n), np.zeros(n), counts)
    # All gangs one after the other, each in its worst case, cannot end later. (Where no iteration fits a slot in the
    # worst case, one per slot is the slowest that ever ends.)
    longest = np.where(np.isfinite(longest), longest, work * view.prices.slot_s)
    return batch, float(np.ceil(max(longest.sum(), estimate.sum() / units_per_s, step_s) / step_s) * step_s)


def _of_gangs(prices: Prices, rows: NDArray[np.int64], work: NDArray[np.float64]) -> Prices:
    """The prices that a plan uses: gangs of the requested size that never stop, at the current prices."""
    n = len(rows)
    known: dict[str, Any] = {
        "unit": np.ones(n),
        "until": np.full(n, np.inf),
        "launch_s": np.zeros(n),
        "curve": np.full(n, -1),
    }
    return prices.take(rows)._replace(work=work, **known)
