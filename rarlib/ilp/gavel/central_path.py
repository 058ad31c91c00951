"""Primal-dual interior-point method for shares of jobs on GPU types.

    maximise  sum_jt gain_jt x_jt + slope * level
    subject to  x >= 0,  sum_t x_jt <= 1,  sum_j gpus_j x_jt <= capacity_t,
                sum_t speed_jt x_jt >= demand_j(level)

Jobs of one application and size are interchangeable, so such a program seldom has one optimum, and what a round
mechanism makes of a vertex that serves one of two equal jobs differs from what it makes of equal shares. This method ends
at the analytic centre of the optimal face, which is one point, treats equal jobs equally and does not depend on their
order. Jobs meet only in the capacities and in `level`, so an iteration eliminates them one by one and solves a system
of one row per GPU type and one for the level.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel

CONSTANT, PROPORTIONAL, HYPERBOLIC = range(3)
"""demand_j(level): 0; level; work_j / (level base_j - age_j)."""

ITERATIONS, CENTRINGS = 200, 5
CENTRED = 1e-9
"""Complementarity per constraint at which the path ends, relative to the largest gain."""


class Program(NamedTuple):
    """The program above.

    Attributes:
        gain: shape (jobs, types).
        gpus: shape (jobs,).
        capacity: GPUs by type, shape (types,).
        speed: shape (jobs, types).
        kind: of demand.
        slope: of the level in the objective.
        work: shape (jobs,); of hyperbolic demands, as are the next two.
        base: shape (jobs,).
        age: shape (jobs,).
    """

    gain: NDArray[np.float64]
    gpus: NDArray[np.float64]
    capacity: NDArray[np.float64]
    speed: NDArray[np.float64]
    kind: int
    slope: float
    work: NDArray[np.float64]
    base: NDArray[np.float64]
    age: NDArray[np.float64]


class Point(NamedTuple):
    """Where the method stands; slacks and their prices are those of time (jobs), demands (jobs) and capacities (types)."""

    x: NDArray[np.float64]
    level: NDArray[np.float64]
    slack: NDArray[np.float64]
    z: NDArray[np.float64]
    price: NDArray[np.float64]


@kernel
def _demand(p: Program, j: int, level: float) -> tuple[float, float, float]:
    """Demand of a job at a level, its slope and curvature; inf where the level is out of its reach."""
    if p.kind == CONSTANT:
        return 0.0, 0.0, 0.0
    if p.kind == PROPORTIONAL:
        return level, 1.0, 0.0
    room = level * p.base[j] - p.age[j]
    if room <= 0.0:
        return np.inf, 0.0, 0.0
    d = p.work[j] / room
    return d, -d * p.base[j] / room, 2.0 * d * (p.base[j] / room) ** 2


@kernel
def _slacks(p: Program, x: NDArray[np.float64], level: float, out: NDArray[np.float64]) -> bool:
    """Room left in shares of time (jobs), demands (jobs) and capacities (types), in this order; whether all is positive."""
    n, types = x.shape
    for t in range(types):
        out[2 * n + t] = p.capacity[t]
    for j in range(n):
        out[j], speed = 1.0, 0.0
        for t in range(types):
            out[j] -= x[j, t]
            out[2 * n + t] -= p.gpus[j] * x[j, t]
            speed += p.speed[j, t] * x[j, t]
        out[n + j] = speed - _demand(p, j, level)[0] if p.kind != CONSTANT else 1.0
    return bool(out.min() > 0.0)


@kernel
def _start(p: Program, x: NDArray[np.float64]) -> float:
    """A strictly feasible point."""
    n, types = x.shape
    level = np.inf if p.kind == PROPORTIONAL else 0.0
    share = min(1.0 / (types + 1.0), p.capacity.min() / (2.0 * p.gpus.sum()))
    x[:, :] = share
    for j in range(n):
        speed = share * p.speed[j].sum()
        if p.kind == PROPORTIONAL:
            level = min(level, speed / 2.0)
        elif p.kind == HYPERBOLIC:
            level = max(level, (p.age[j] + 2.0 * p.work[j] / speed) / p.base[j])
    return level


@kernel
def _job(p: Program, j: int, mu: float, point: Point, demand: tuple[float, float, float]) -> NDArray[np.float64]:
    """A job's step: rows dx by type, price of its time, price of its demand; columns: its response to the price of each
    type, to the step of the level, and by itself.

    The prices stay unknowns of their own: eliminated, they would drown what tells one type from another.
    """
    n, types = point.x.shape
    block = np.zeros((types + 2, types + 2))
    sides = np.zeros((types + 2, types + 2))
    for t in range(types):
        block[t, t] = point.z[j, t] / point.x[j, t]
        block[t, types] = block[types, t] = 1.0
        sides[t, t] = -p.gpus[j]
        sides[t, types + 1] = p.gain[j, t] + mu / point.x[j, t]
    block[types, types] = -point.slack[j] / point.price[j]
    sides[types, types + 1] = -mu / point.price[j]
    block[types + 1, types + 1] = 1.0
    if p.kind != CONSTANT:
        for t in range(types):
            block[t, types + 1], block[types + 1, t] = -p.speed[j, t], p.speed[j, t]
        block[types + 1, types + 1] = point.slack[n + j] / point.price[n + j]
        sides[types + 1, types] = demand[1]
        sides[types + 1, types + 1] = mu / point.price[n + j]
    return np.linalg.solve(block, sides)


@kernel
def _newton(p: Program, mu: float, point: Point, dx: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Newton step towards the point of the central path at mu: `dx`, and the prices `after` it; returns the level's."""
    n, types = dx.shape
    system, right = np.zeros((types + 1, types + 1)), np.zeros(types + 1)
    answer = np.empty((n, types + 2, types + 2))
    for t in range(types):
        system[t, t] = -point.slack[2 * n + t] / point.price[2 * n + t]
        right[t] = -mu / point.price[2 * n + t]
    right[types] = p.slope
    for j in range(n):
        demand = _demand(p, j, point.level[0])
        answer[j] = _job(p, j, mu, point, demand)
        for s in range(types + 1):
            for t in range(types):
                system[t, s] += p.gpus[j] * answer[j, t, s]
            system[types, s] += demand[1] * answer[j, types + 1, s]
        for t in range(types):
            right[t] -= p.gpus[j] * answer[j, t, types + 1]
        right[types] -= demand[1] * answer[j, types + 1, types + 1]
        system[types, types] += point.price[n + j] * demand[2]
    if p.kind == CONSTANT:
        system[types, types] = 1.0
    move = np.linalg.solve(system, right)
    for j in range(n):
        step = answer[j, :, types + 1].copy()
        for s in range(types + 1):
            step += answer[j, :, s] * move[s]
        dx[j] = step[:types]
        after[j], after[n + j] = step[types], step[types + 1]
    after[2 * n :] = move[:types]
    return float(move[types])


@kernel
def _within(values: NDArray[np.float64], steps: NDArray[np.float64]) -> float:
    """Largest step, at most 1, after which positive values are still positive."""
    length = 1.0
    for i in range(len(values)):
        if steps[i] < 0.0:
            length = min(length, -0.995 * values[i] / steps[i])
    return length


@kernel
def centre(p: Program) -> tuple[NDArray[np.float64], float, float]:
    """Follow the central path to its end.

    Returns:
        Shares (jobs, types), the level, and the mean complementarity of the constraints: their number times it bounds
        what the value lacks to the optimum, if the program is linear.
    """
    n, types = p.gain.shape
    x = np.empty((n, types))
    level = np.array([_start(p, x)])
    slack = np.empty(2 * n + types)
    _slacks(p, x, level[0], slack)
    mu = max(p.gain.max(), abs(p.slope))
    last = mu * CENTRED
    point = Point(x, level, slack, mu / x, mu / slack)
    dx, room, after = np.empty((n, types)), np.empty(2 * n + types), np.empty(2 * n + types)
    constraints = n * types + n + types + (n if p.kind != CONSTANT else 0)
    if p.kind == CONSTANT:
        point.price[n : 2 * n] = 0.0
    gap, ended = mu, 0
    for _ in range(ITERATIONS):
        dlevel = _newton(p, mu, point, dx, after)
        length = _within(x.ravel(), dx.ravel())
        while not _slacks(p, x + length * dx, level[0] + length * dlevel, room):
            length *= 0.8
        dz = mu / x - point.z * (1.0 + dx / x)
        other = min(_within(point.z.ravel(), dz.ravel()), _within(point.price, after - point.price))
        x += length * dx
        level[0] += length * dlevel
        slack[:] = room
        point.z[:] = point.z + other * dz
        point.price[:] = point.price + other * (after - point.price)
        gap = ((x * point.z).sum() + (slack * point.price).sum()) / constraints
        ended += mu <= last
        if ended and (length > 0.99 or ended > CENTRINGS):
            break
        if length > 0.2 and other > 0.2:
            mu = max(last, min(mu, gap) * (0.1 if min(length, other) > 0.7 else 0.3))
    return x, float(level[0]), gap
