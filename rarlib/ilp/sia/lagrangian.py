"""The Lagrangian dual of Sia's program: one multiplier per GPU type prices its GPUs.

For prices u >= 0 per GPU, L(u) = sum_i min_j (w_ij + u g_ij) - u capacity is a lower bound on every decision's weight:
weight(x) - L(u) = sum_i slack_i(x) + sum_t u_t (capacity_t - used_t(x)),  a sum of terms that are not negative.
The largest L equals the value of the linear relaxation, since each job's choice alone has whole vertices. L is concave
and piecewise linear in as many variables as there are GPU types. The ellipsoid method (Shor; Yudin and Nemirovski,
1976-77) with deep cuts maximises it: each point costs one pass over the choices and tells how far the maximum can be.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.problem import SCALE, Choices
from rarlib.model.jit import hot_kernel

PRECISION = 0.02 * SCALE
"""How far below the maximum L may stay: a fiftieth of a hundredth."""

FACTORS = (0.9, 1.1)
"""Every type in turn is so many times as dear as in the dual: each such price bounds what the jobs left cost, too."""

_STEPS = 2000


class Dual(NamedTuple):
    """Best prices found."""

    price: NDArray[np.float64]  # u, weight per GPU, shape (types,)
    bound: NDArray[np.float64]  # L(u) in [0]; shape (1,)
    scratch: NDArray[np.float64]  # centre, subgradient, direction, shape (3, types)
    shape: NDArray[np.float64]  # matrix of the ellipsoid, shape (types, types)
    slack: NDArray[np.float64]  # slack_ij = w_ij + u g_ij less the least of the job, shape (choices,)


def dual(c: Choices, capacity: NDArray[np.int64], precision: float = PRECISION) -> Dual:
    """Prices whose bound is within `precision` of the best."""
    n, slack = len(capacity), np.empty(int(c.first[-1]))
    result = Dual(np.zeros(n), np.full(1, -np.inf), np.zeros((3, n)), np.zeros((n, n)), slack)
    _price(c, capacity, precision, result)
    return result


@hot_kernel
def _price(c: Choices, capacity: NDArray[np.int64], precision: float, d: Dual) -> None:
    _maximise(c, capacity, precision, d)
    for job in range(len(c.first) - 1):
        least = np.inf
        for at in range(c.first[job], c.first[job + 1]):
            d.slack[at] = c.weight[at] + d.price[c.kind[at]] * c.size[at]
            least = min(least, d.slack[at])
        for at in range(c.first[job], c.first[job + 1]):
            d.slack[at] -= least


@hot_kernel
def price_around(d: Dual, k: int, t: int) -> float:
    """Price k of those in which one type is cheaper or dearer, of type t."""
    return FACTORS[k % len(FACTORS)] * d.price[t] if t == k // len(FACTORS) else d.price[t]


@hot_kernel
def bound_at(c: Choices, capacity: NDArray[np.int64], price: NDArray[np.float64], excess: NDArray[np.float64]) -> float:
    """L(u); `excess` becomes a subgradient, the GPUs asked for at these prices beyond the capacity."""
    total = 0.0
    for t in range(len(capacity)):
        excess[t] = -capacity[t]
        total -= price[t] * capacity[t]
    for job in range(len(c.first) - 1):
        best, chosen = np.inf, -1
        for at in range(c.first[job], c.first[job + 1]):
            weight = c.weight[at] + price[c.kind[at]] * c.size[at]
            if weight < best:
                best, chosen = weight, at
        total += best
        excess[c.kind[chosen]] += c.size[chosen]
    return total


@hot_kernel
def _begin(c: Choices, capacity: NDArray[np.int64], d: Dual) -> None:
    """Start with the ellipsoid around all prices at which some job may still want a GPU of the type."""
    centre, n = d.scratch[0], len(capacity)
    centre[:] = 0.0
    for job in range(len(c.first) - 1):
        dearest = 0.0
        for at in range(c.first[job], c.first[job + 1]):
            dearest = max(dearest, float(c.weight[at]))
        for at in range(c.first[job], c.first[job + 1]):
            if c.size[at] > 0:
                centre[c.kind[at]] = max(centre[c.kind[at]], (dearest - c.weight[at]) / c.size[at])
    for t in range(n):
        centre[t] = 0.5 * centre[t] + 1.0
        for s in range(n):
            d.shape[t, s] = n * centre[t] ** 2 if s == t else 0.0


@hot_kernel
def _maximise(c: Choices, capacity: NDArray[np.int64], precision: float, d: Dual) -> None:
    centre, slope, step = d.scratch[0], d.scratch[1], d.scratch[2]
    n = len(capacity)
    _begin(c, capacity, d)
    for _ in range(_STEPS):
        short = 0.0  # how far L(centre) is below the best known, or a price below zero
        negative = -1
        for t in range(n):
            if centre[t] < -short:
                negative, short = t, -centre[t]
        if negative >= 0:
            slope[:] = 0.0
            slope[negative] = 1.0
        else:
            value = bound_at(c, capacity, centre, slope)
            if value > d.bound[0]:
                d.bound[0] = value
                for t in range(n):
                    d.price[t] = centre[t]
            short = d.bound[0] - value
        width = 0.0
        for t in range(n):
            step[t] = 0.0
            for s in range(n):
                step[t] += d.shape[t, s] * slope[s]
            width += slope[t] * step[t]
        width = np.sqrt(max(width, 0.0))
        if width - short <= precision * (negative < 0):  # L* <= L(centre) + width, so nothing better is left
            return
        _cut(d, short / width, width)


@hot_kernel
def _cut(d: Dual, depth: float, width: float) -> None:
    """Move to the smallest ellipsoid around the half that can hold the maximum."""
    centre, step = d.scratch[0], d.scratch[2]
    n = len(centre)
    shift = (1.0 + n * depth) / (n + 1.0)
    for t in range(n):
        step[t] /= width
        centre[t] += shift * step[t]
    if n == 1:
        d.shape[0, 0] *= ((1.0 - depth) / 2.0) ** 2
        return
    grow = n * n / (n * n - 1.0) * (1.0 - depth * depth)
    flatten = 2.0 * shift / (1.0 + depth)
    for t in range(n):
        for s in range(n):
            d.shape[t, s] = grow * (d.shape[t, s] - flatten * step[t] * step[s])
