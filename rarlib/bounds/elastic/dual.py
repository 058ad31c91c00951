"""Least mean busy times under prices of GPU time: the compiled part of `rarlib.bounds.elastic.bounds`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

_CLOSE = 1e-7
"""Relative precision of m: the error left lowers the bound, but its proof holds."""

_TURNS = 60


class Lines(NamedTuple):
    """Configurations that are best at some price; those of one segment of an application are adjacent."""

    kind: NDArray[np.int64]  # GPU type, shape (lines,)
    gpus: NDArray[np.float64]  # GPUs, shape (lines,)
    speed: NDArray[np.float64]  # progress relative to the fastest configuration, shape (lines,)
    # position of each segment's first line, and the end of the last segment, shape (segments + 1,)
    first: NDArray[np.int64]


class Parts(NamedTuple):
    """Parts of jobs, one after another; arrays of shape (parts,), seconds."""

    release: NDArray[np.float64]  # earliest time it can begin
    length: NDArray[np.float64]  # least time it takes
    whole: NDArray[np.float64]  # least time of all its job's parts
    segment: NDArray[np.int64]  # segment of its application, which gives its configurations


class Market(NamedTuple):
    """Configurations and what they cost."""

    lines: Lines  # the configurations
    # edges of buckets of time, ascending from 0; the last bucket has no end, shape (buckets,)
    edges: NDArray[np.float64]
    price: NDArray[np.float64]  # price of a GPU-second, 0 in the last bucket, shape (types, buckets)
    cost: NDArray[np.float64]  # scratch for costs of configurations, shape (lines,)


@hot_kernel
def _best(cost: NDArray[np.float64], speed: NDArray[np.float64], u: float) -> int:
    """Line with the largest u speed - cost, the steepest of equal ones; -1 if none is above 0 now or right after."""
    found, value, slope = -1, 0.0, 0.0
    for i in range(len(speed)):
        worth = u * speed[i] - cost[i]
        if worth > value or (worth == value and speed[i] > slope):
            found, value, slope = i, worth, speed[i]
    return found


@hot_kernel
def _next(
    cost: NDArray[np.float64], speed: NDArray[np.float64], line: int, u: float, until: float
) -> tuple[int, float]:
    """The line that overtakes `line` first after u, and where; `line` itself if none does before `until`."""
    slope, paid = (speed[line], cost[line]) if line >= 0 else (0.0, 0.0)
    found, meet = line, until
    for i in range(len(speed)):
        if speed[i] > slope:
            at = max((cost[i] - paid) / (speed[i] - slope), u)
            if at < meet or (at == meet and found != line and speed[i] > speed[found]):
                found, meet = i, at
    return found, meet


@hot_kernel
def _gain(
    m: float, parts: Parts, part: int, market: Market, used: NDArray[np.float64], note: bool
) -> tuple[float, float]:
    """Integrals over t >= release of max(0, max over lines of (m - t) speed - whole price gpus), and of its speed.

    With `note`, GPU-seconds held are added to `used`, shape (types, buckets).
    """
    lines, edges = market.lines, market.edges
    low, high = lines.first[parts.segment[part]], lines.first[parts.segment[part] + 1]
    kind, gpus, speed = lines.kind[low:high], lines.gpus[low:high], lines.speed[low:high]
    cost = market.cost[low:high]
    total, served, last = 0.0, 0.0, len(edges) - 1
    begin = parts.release[part]
    b = max(int(np.searchsorted(edges, begin, side="right")) - 1, 0)
    while begin < m:
        end = m if b >= last else min(m, edges[b + 1])
        for i in range(len(cost)):
            cost[i] = parts.whole[part] * market.price[kind[i], b] * gpus[i]
        u, until = m - end, m - begin
        line = _best(cost, speed, u)
        while u < until:
            then, meet = _next(cost, speed, line, u, until)
            if line >= 0:
                span = meet - u
                total += span * (speed[line] * (meet + u) / 2.0 - cost[line])
                served += span * speed[line]
                if note:
                    used[kind[line], b] += span * gpus[line]
            if then == line:
                break
            u, line = meet, then
        begin = end
        b += 1
    return total, served


@hot_kernel
def _level(parts: Parts, part: int, market: Market, start: float, used: NDArray[np.float64]) -> float:
    """The m at which a part is served for exactly its length: by false position, with bisection every third time."""
    length, release = parts.length[part], parts.release[part]
    m, below, above, lacks, excess = max(start, release + length), release, np.inf, length, 0.0
    for turn in range(_TURNS):
        over = _gain(m, parts, part, market, used, False)[1] - length
        if abs(over) <= _CLOSE * length:
            break
        if over < 0.0:
            below, lacks = m, -over
        else:
            above, excess = m, over
        if above - below <= _CLOSE * length:
            break
        if above == np.inf:
            m = below + 2.0 * lacks + (m - release) / 2.0
        elif turn % 3 == 2:
            m = (below + above) / 2.0
        else:
            m = below + (above - below) * lacks / (lacks + excess)
    return m


@hot_kernel
def least(parts: Parts, market: Market, start: NDArray[np.float64], used: NDArray[np.float64]) -> float:
    """Sum over parts of their share of the job's mean busy time, and of what their GPUs cost.

    The search begins at `start`, m of each part, and leaves the best m there; GPU-seconds are added to `used`.
    """
    value = 0.0
    for part in range(len(parts.length)):
        length = parts.length[part]
        if length > 0.0:
            m = _level(parts, part, market, start[part], used)
            start[part] = m
            value += (length * m - _gain(m, parts, part, market, used, True)[0]) / parts.whole[part]
    return value
