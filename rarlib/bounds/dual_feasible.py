"""Lower bound on the makespan of gangs that never move: which jobs one GPU can serve one after the other.

A job that is not stopped holds the same GPUs from start to finish, so within a makespan T the durations of all jobs
that one GPU serves add up to T at most. A function u is dual feasible if u(p_1) + ... + u(p_n) <= T whenever
p_1 + ... + p_n <= T. Summed over all GPUs, gangs g_j and least durations p_j of any schedule within T obey

    sum_j g_j u(p_j) <= N T,

since u is applied to what each of the N GPUs serves and does not fall with p. A T that breaks this for some u is no
makespan, nor is anything shorter. Two families are tried:

*Long and short*, for every e <= T/2: u(p) = T if p > T - e, 0 if p < e, else p. Dual feasible: if one job is longer
than T - e, all others beside it are shorter than e.

*Rounding*, for k = 1, 2, ...: u(p) = p if p (k+1)/T is a whole number, else floor(p (k+1)/T) T/k. Dual feasible: with
x_i = p_i (k+1)/T the sum of the x_i is at most k+1. If all x_i are whole, nothing changes. Otherwise the sum of the
floors is a whole number below k+1, so at most k; a whole x_i counts x_i/(k+1) <= x_i/k, all others their floor over k.

Fekete, Schepers, "New classes of fast lower bounds for bin packing problems", Mathematical Programming 91, 2001,
doi 10.1007/s101070100243.
"""

import numpy as np
from numpy.typing import NDArray

_ROUNDINGS = 20
"""Largest k; the functions come ever closer to the identity."""


def gangs_that_stay(
    gang: NDArray[np.int64], time: NDArray[np.float64], gpus: int, at_least: float, quantum: float = 0.0
) -> float:
    """Largest makespan of a bisection that is proven impossible, s, or `at_least`, a bound known already.

    Every T is refuted on its own; a T that cannot be refuted says nothing about larger ones, so the bisection may miss
    a better bound, but the value it returns is a bound. O(n log n) per step. With a positive `quantum`, makespans are
    its multiples.
    """
    if not len(gang) or at_least <= 0.0:
        return at_least
    order = np.argsort(time, kind="stable")
    weight, time = gang[order].astype(np.float64), time[order]
    step = quantum if quantum > 0.0 else at_least * 1e-6
    # In steps above `at_least`: `low` is refuted or known, `high` is not refuted.
    low, high = 0, 1
    while not _fits(weight, time, gpus, at_least + (high - 1) * step) and high < 2 * at_least / step:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(weight, time, gpus, at_least + (middle - 1) * step):
            high = middle
        else:
            low = middle
    if low == 0:
        return at_least
    refuted = at_least + (low - 1) * step
    return refuted + quantum


def _fits(gang: NDArray[np.float64], time: NDArray[np.float64], gpus: int, makespan: float) -> bool:
    """Whether no function of the families refutes a makespan; `time` ascends."""
    limit = gpus * makespan * (1.0 + 1e-12)
    if time[-1] > makespan:
        return False
    return _long_and_short(gang, time, makespan) <= limit and _rounding(gang, time, makespan) <= limit


def _long_and_short(gang: NDArray[np.float64], time: NDArray[np.float64], makespan: float) -> float:
    """Largest sum over all e; as e grows it falls only where e passes a duration, so e is a duration or T/2."""
    heads = np.concatenate([[0.0], np.cumsum(gang)])
    areas = np.concatenate([[0.0], np.cumsum(gang * time)])
    e = np.append(time[time <= makespan / 2], makespan / 2)
    kept = np.searchsorted(time, e, side="left")
    full = np.searchsorted(time, makespan - e, side="right")
    return float(np.max(areas[full] - areas[kept] + makespan * (heads[-1] - heads[full])))


def _rounding(gang: NDArray[np.float64], time: NDArray[np.float64], makespan: float) -> float:
    k = np.arange(1, _ROUNDINGS + 1)[:, None]
    parts = time * (k + 1) / makespan
    whole = np.floor(parts)
    return float(np.max(np.where(parts == whole, time, whole * makespan / k) @ gang))
