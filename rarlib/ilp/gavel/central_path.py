"""Primal-dual interior-point method for shares of jobs on GPU types.

    maximise  sum_jt gain_jt x_jt + slope * level
    subject to  x >= 0,  sum_t x_jt <= 1,  sum_j gpus_j x_jt <= capacity_t,
                sum_t speed_jt x_jt >= demand_j(level)

Jobs of one application and size are interchangeable, so such a program seldom has a unique optimum, and rounds that
follow a vertex which serves one of two equal jobs differ from rounds that follow equal shares. This method ends at the
analytic centre of the optimal face, which is a single point, treats equal jobs equally and does not depend on their
order. Jobs are coupled only by the capacities and `level`, so an iteration eliminates them one by one and solves a
system of one row per GPU type and one for the level.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gavel.elimination import eliminate
from rarlib.model.jit import hot_kernel

CONSTANT, PROPORTIONAL, HYPERBOLIC = range(3)
"""demand_j(level): 0; level; work_j / (level base_j - age_j)."""

_ITERATIONS, CENTRINGS, _NEAR = 200, 30, 0.995
STILL = 1e-6
"""Largest step of a share at which the point counts as centred, as far as rounding errors allow."""
CENTRED = 1e-9
"""Complementarity per constraint at which the path ends, relative to the largest gain."""


class ShareProgram(NamedTuple):
    """The program above."""

    gain: NDArray[np.float64]  # shape (jobs, types)
    gpus: NDArray[np.float64]  # shape (jobs,)
    capacity: NDArray[np.float64]  # GPUs by type, shape (types,)
    speed: NDArray[np.float64]  # shape (jobs, types)
    kind: int  # kind of demand, see above
    slope: float  # coefficient of the level in the objective
    work: NDArray[np.float64]  # shape (jobs,); for hyperbolic demands, as are the next two
    base: NDArray[np.float64]  # shape (jobs,)
    age: NDArray[np.float64]  # shape (jobs,)


class _Point(NamedTuple):
    """The current point, and workspace. Slacks and prices are those of time (jobs), demands (jobs), capacities."""

    x: NDArray[np.float64]
    z: NDArray[np.float64]
    level: NDArray[np.float64]
    slack: NDArray[np.float64]
    price: NDArray[np.float64]
    dx: NDArray[np.float64]
    next_slack: NDArray[np.float64]
    after: NDArray[np.float64]
    block: NDArray[np.float64]
    answer: NDArray[np.float64]
    system: NDArray[np.float64]
    right: NDArray[np.float64]


@hot_kernel
def _demand(p: ShareProgram, j: int, level: float) -> tuple[float, float, float]:
    """Demand of a job at a level, its slope and curvature; inf where the level is out of its reach."""
    if p.kind == CONSTANT:
        return 0.0, 0.0, 0.0
    if p.kind == PROPORTIONAL:
        return level, 1.0, 0.0
    excess = level * p.base[j] - p.age[j]
    if excess <= 0.0:
        return np.inf, 0.0, 0.0
    d = p.work[j] / excess
    return d, -d * p.base[j] / excess, 2.0 * d * (p.base[j] / excess) ** 2


@hot_kernel
def _look(p: ShareProgram, at: _Point, length: float, dlevel: float) -> bool:
    """Put the slacks after a step into `at.room`; return whether all are positive."""
    n, types = at.x.shape
    good = True
    for t in range(types):
        at.next_slack[2 * n + t] = p.capacity[t]
    for j in range(n):
        at.next_slack[j], speed = 1.0, 0.0
        for t in range(types):
            x = at.x[j, t] + length * at.dx[j, t]
            at.next_slack[j] -= x
            at.next_slack[2 * n + t] -= p.gpus[j] * x
            speed += p.speed[j, t] * x
        at.next_slack[n + j] = speed - _demand(p, j, at.level[0] + length * dlevel)[0] if p.kind != CONSTANT else 1.0
        good = good and at.next_slack[j] > 0.0 and at.next_slack[n + j] > 0.0
    for t in range(types):
        good = good and at.next_slack[2 * n + t] > 0.0
    return good


@hot_kernel
def _start(p: ShareProgram, at: _Point, mu: float) -> None:
    """Go to a strictly feasible point."""
    n, types = at.x.shape
    level = np.inf if p.kind == PROPORTIONAL else 0.0
    share = 1.0 / (types + 1.0)
    for t in range(types):
        share = min(share, p.capacity[t] / (2.0 * p.gpus.sum()))
    for j in range(n):
        speed = 0.0
        for t in range(types):
            at.x[j, t], at.z[j, t], at.dx[j, t] = share, mu / share, 0.0
            speed += share * p.speed[j, t]
        if p.kind == PROPORTIONAL:
            level = min(level, speed / 2.0)
        elif p.kind == HYPERBOLIC:
            level = max(level, (p.age[j] + 2.0 * p.work[j] / speed) / p.base[j])
    at.level[0] = level
    _look(p, at, 0.0, 0.0)
    for i in range(len(at.slack)):
        at.slack[i] = at.next_slack[i]
        at.price[i] = 0.0 if p.kind == CONSTANT and n <= i < 2 * n else mu / at.slack[i]


@hot_kernel
def _job(p: ShareProgram, j: int, mu: float, at: _Point, slope: float) -> None:
    """Put a job's step into `at.answer`.

    Rows: dx by type, the prices of its time and of its demand. Columns: response to the price of each type, to the step
    of the level, and by itself. The prices stay unknowns of their own: if they were eliminated, the differences between
    types would be lost to rounding.
    """
    n, types = at.x.shape
    sides = at.answer[j]
    at.block[:, :] = 0.0
    sides[:, :] = 0.0
    for t in range(types):
        at.block[t, t] = at.z[j, t] / at.x[j, t]
        at.block[t, types] = at.block[types, t] = 1.0
        sides[t, t] = -p.gpus[j]
        sides[t, types + 1] = p.gain[j, t] + mu / at.x[j, t]
    at.block[types, types] = -at.slack[j] / at.price[j]
    sides[types, types + 1] = -mu / at.price[j]
    at.block[types + 1, types + 1] = 1.0
    if p.kind != CONSTANT:
        for t in range(types):
            at.block[t, types + 1], at.block[types + 1, t] = -p.speed[j, t], p.speed[j, t]
        at.block[types + 1, types + 1] = at.slack[n + j] / at.price[n + j]
        sides[types + 1, types] = slope
        sides[types + 1, types + 1] = mu / at.price[n + j]
    eliminate(at.block, sides)


@hot_kernel
def _newton(p: ShareProgram, mu: float, at: _Point) -> float:
    """Newton step to the point of the central path at mu: sets `dx` and prices `after` it; returns the level's step."""
    n, types = at.x.shape
    at.system[:, :] = 0.0
    for t in range(types):
        at.system[t, t] = -at.slack[2 * n + t] / at.price[2 * n + t]
        at.right[t, 0] = -mu / at.price[2 * n + t]
    at.right[types, 0] = p.slope
    for j in range(n):
        _, slope, curvature = _demand(p, j, at.level[0])
        _job(p, j, mu, at, slope)
        for s in range(types + 1):
            for t in range(types):
                at.system[t, s] += p.gpus[j] * at.answer[j, t, s]
            at.system[types, s] += slope * at.answer[j, types + 1, s]
        for t in range(types):
            at.right[t, 0] -= p.gpus[j] * at.answer[j, t, types + 1]
        at.right[types, 0] -= slope * at.answer[j, types + 1, types + 1]
        at.system[types, types] += at.price[n + j] * curvature
    if p.kind == CONSTANT:
        at.system[types, types] = 1.0
    eliminate(at.system, at.right)
    for j in range(n):
        for row in range(types + 2):
            value = at.answer[j, row, types + 1]
            for s in range(types + 1):
                value += at.answer[j, row, s] * at.right[s, 0]
            if row < types:
                at.dx[j, row] = value
            else:
                at.after[(row - types) * n + j] = value
    for t in range(types):
        at.after[2 * n + t] = at.right[t, 0]
    return float(at.right[types, 0])


@hot_kernel
def _lengths(p: ShareProgram, mu: float, at: _Point, dlevel: float) -> tuple[float, float]:
    """How far the shares and the prices may go and stay positive."""
    n, types = at.x.shape
    length, other = 1.0, 1.0
    for j in range(n):
        for t in range(types):
            x, dx = at.x[j, t], at.dx[j, t]
            if dx < 0.0:
                length = min(length, -_NEAR * x / dx)
            dz = mu / x - at.z[j, t] * (1.0 + dx / x)
            if dz < 0.0:
                other = min(other, -_NEAR * at.z[j, t] / dz)
    for i in range(len(at.price)):
        if at.after[i] < at.price[i]:
            other = min(other, _NEAR * at.price[i] / (at.price[i] - at.after[i]))
    while not _look(p, at, length, dlevel):
        length *= 0.8
    return length, other


@hot_kernel
def _go(mu: float, at: _Point, dlevel: float, length: float, other: float) -> tuple[float, float]:
    """Take the step to the slacks in `at.room`; returns the sum of complementarities and a share's largest step."""
    n, types = at.x.shape
    gap, largest = 0.0, 0.0
    for j in range(n):
        for t in range(types):
            x, dx = at.x[j, t], at.dx[j, t]
            at.z[j, t] += other * (mu / x - at.z[j, t] * (1.0 + dx / x))
            at.x[j, t] += length * dx
            gap += at.x[j, t] * at.z[j, t]
            largest = max(largest, abs(dx))
    at.level[0] += length * dlevel
    for i in range(len(at.price)):
        at.slack[i] = at.next_slack[i]
        at.price[i] += other * (at.after[i] - at.price[i])
        gap += at.slack[i] * at.price[i]
    return gap, largest


@hot_kernel
def _follow(p: ShareProgram, at: _Point, mu: float) -> float:
    """Follow the central path to its end; returns the mean complementarity there."""
    n, types = at.x.shape
    constraints = n * types + n + types + (n if p.kind != CONSTANT else 0)
    _start(p, at, mu)
    last, ended, gap = mu * CENTRED, 0, mu
    for _ in range(_ITERATIONS):
        dlevel = _newton(p, mu, at)
        length, other = _lengths(p, mu, at, dlevel)
        total, largest = _go(mu, at, dlevel, length, other)
        gap = total / constraints
        ended += gap <= 2.0 * last
        if ended > CENTRINGS or (ended and length * largest < STILL):
            break
        free = min(length, other)  # a short step means that the path is far: back towards it before going on
        mu = last if ended else max(last, gap * (0.1 if free > 0.7 else 0.3 if free > 0.2 else 1.0))
    return gap


def centre(p: ShareProgram) -> tuple[NDArray[np.float64], float, float]:
    """The optimum, or the centre of several optima.

    Returns:
        Shares (jobs, types), the level, and the mean complementarity of the constraints: times their number, it bounds
        how far the value is from the optimum, if the program is linear.
    """
    n, types = p.gain.shape
    shapes = ((n, types), (n, types), (1,), 2 * n + types, 2 * n + types, (n, types), 2 * n + types, 2 * n + types)
    wide = types + 2
    at = _Point(*(np.zeros(s) for s in (*shapes, (wide, wide), (n, wide, wide), (wide - 1, wide - 1), (wide - 1, 1))))
    gap = _follow(p, at, max(float(p.gain.max()), abs(p.slope)))
    return at.x, float(at.level[0]), gap
