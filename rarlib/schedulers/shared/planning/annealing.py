"""Local search for the shortest schedule of a batch: simulated annealing over list orders.

An order of the gangs is turned into a schedule by placing one gang after the other where it ends first: on one server,
or on several servers that it uses completely. Gangs on whole servers share no link with other spanning gangs, so the
planned times are exact. Two neighbouring orders differ by one gang moved or two gangs exchanged.

The makespan alone is a poor guide, since most moves do not change it. Orders are therefore compared by a high power
mean of the levels of all GPUs, which falls when the level of any of the fullest GPUs falls. Kirkpatrick, Gelatt,
Vecchi, "Optimization by Simulated Annealing", Science 220, 1983, doi 10.1126/science.220.4598.671.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

SQUARINGS = 5
"""The exponent of the mean is 2 to this power: high enough to be near the maximum, low enough to reward progress below
it."""

TEMPERATURE = 5e-4
"""Temperature at the start, relative to the score; it falls linearly to 0."""


class DecodingState(NamedTuple):
    """The state on which orders are decoded; times in seconds (or slots)."""

    gang: NDArray[np.int64]  # GPUs of each gang, shape (gangs,)
    # duration of each gang on a single server, inf where it does not fit, shape (gangs, servers)
    alone: NDArray[np.float64]
    # duration of each gang by number of servers, if it shares them with no other spanning gang, at the slowest speed
    # and link; ascending, 0 for no and one server; shape (gangs, servers + 1)
    spread: NDArray[np.float64]
    size: NDArray[np.int64]  # GPUs of each server, shape (servers,)
    # times at which the GPUs of each server become free, ascending, shape (servers, largest size)
    begin: NDArray[np.float64]
    level: NDArray[np.float64]  # the same during a decoding; scratch space
    counts: NDArray[np.int64]  # GPUs taken on each server by the last gang placed, shape (servers,); scratch space
    floor: float  # lower bound on the makespan


@hot_kernel
def _gap(y: DecodingState, s: int, gang: int) -> float:
    """GPU time left unused on server `s` when a gang starts there as soon as it can."""
    gap = 0.0
    for g in range(gang):
        gap += y.level[s, gang - 1] - y.level[s, g]
    return gap


@hot_kernel
def _home(y: DecodingState, i: int) -> tuple[int, float]:
    """The server on which gang `i` ends first, ties by smallest gap, and its finish; -1 and inf if it fits on none."""
    home, finish, gap = -1, np.inf, np.inf
    gang = y.gang[i]
    for s in range(len(y.size)):
        if y.alone[i, s] == np.inf:
            continue
        end = y.level[s, gang - 1] + y.alone[i, s]
        if end < finish or (end == finish and _gap(y, s, gang) < gap):
            home, finish, gap = s, end, _gap(y, s, gang)
    return home, finish


@hot_kernel
def _span(y: DecodingState, i: int, limit: float) -> float:
    """Finish of gang `i` on several servers, entered in `counts`; inf if that is not before `limit`.

    The servers that become free first are used completely. If the gang must span (no limit) and a part of it is left
    over, that part goes to the server on which it can start first; links may then be shared, and the schedule may take
    longer than planned.
    """
    left, ready, servers = y.gang[i], 0.0, 0
    while left > 0 and ready + y.spread[i, servers] < limit:
        best, at = np.inf, -1
        for s in range(len(y.size)):
            n = y.size[s]
            if y.counts[s] == 0 and 0 < n <= left and n < y.gang[i] and y.level[s, n - 1] < best:
                best, at = y.level[s, n - 1], s
        if at < 0 and limit == np.inf:
            for s in range(len(y.size)):
                if y.counts[s] == 0 and y.size[s] >= left and y.level[s, left - 1] < best:
                    best, at = y.level[s, left - 1], s
        if at < 0:
            return np.inf
        taken = min(left, y.size[at])
        y.counts[at] = taken
        left -= taken
        servers += 1
        ready = max(ready, best)
    finish = ready + y.spread[i, servers]
    return finish if finish < limit else np.inf


@hot_kernel
def _raise(y: DecodingState, s: int, taken: int, finish: float) -> None:
    """Let the `taken` GPUs of server `s` that are free first become free at `finish`; levels stay ascending."""
    at = 0
    for g in range(taken, y.size[s]):
        if y.level[s, g] >= finish:
            break
        y.level[s, at] = y.level[s, g]
        at += 1
    for g in range(at, at + taken):
        y.level[s, g] = finish


@hot_kernel
def place_gang(y: DecodingState, i: int) -> float:
    """Place gang `i` where it ends first, enter its GPUs on each server in `counts`, and return its finish."""
    for s in range(len(y.size)):
        y.counts[s] = 0
    home, finish = _home(y, i)
    if y.gang[i] > 1:
        spanning = _span(y, i, finish)
        if spanning < finish:
            finish = spanning
        else:
            for s in range(len(y.size)):
                y.counts[s] = 0
            y.counts[home] = y.gang[i]
    else:
        y.counts[home] = 1
    for s in range(len(y.size)):
        if y.counts[s] > 0:
            _raise(y, s, y.counts[s], finish)
    return finish


@hot_kernel
def reset(y: DecodingState) -> None:
    """Reset the levels to those before anything is placed."""
    for s in range(len(y.size)):
        for g in range(y.size[s]):
            y.level[s, g] = y.begin[s, g]


@hot_kernel
def score(y: DecodingState, order: NDArray[np.int64]) -> tuple[float, float]:
    """Makespan of an order, and the power mean of the levels of all GPUs."""
    reset(y)
    makespan = 0.0
    for i in order:
        makespan = max(makespan, place_gang(y, i))
    total, gpus = 0.0, 0
    if makespan == 0.0:
        return 0.0, 0.0
    for s in range(len(y.size)):
        for g in range(y.size[s]):
            power = y.level[s, g] / makespan
            for _ in range(SQUARINGS):
                power *= power
            total += power
            gpus += 1
    return makespan, makespan * (total / gpus) ** (0.5**SQUARINGS)


@hot_kernel
def _move(order: NDArray[np.int64], a: int, b: int) -> None:
    """Move the gang at position `a` to position `b`; those between close up."""
    item = order[a]
    step = 1 if a < b else -1
    while a != b:
        order[a] = order[a + step]
        a += step
    order[b] = item


@hot_kernel
def _swap(order: NDArray[np.int64], a: int, b: int) -> None:
    order[a], order[b] = order[b], order[a]


@hot_kernel
def _copy(source: NDArray[np.int64], target: NDArray[np.int64]) -> None:
    for k in range(len(source)):
        target[k] = source[k]


@hot_kernel
def anneal(
    y: DecodingState, order: NDArray[np.int64], best: NDArray[np.int64], draws: NDArray[np.float64]
) -> tuple[float, int]:
    """Improve an order in place; the best one found is left in `best`.

    `draws` are uniform numbers in [0, 1), shape (steps, 3): two positions and the chance to accept.

    Returns:
        Makespan of the best order, and steps taken; the search ends early if the makespan reaches its lower bound.
    """
    gangs, steps = len(order), len(draws)
    shortest, current = score(y, order)
    _copy(order, best)
    if gangs < 2:
        return shortest, 0
    for step in range(steps):
        if shortest <= y.floor:
            return shortest, step
        a, b = int(draws[step, 0] * gangs), int(draws[step, 1] * gangs)
        swaps = step % 3 == 0
        if swaps:
            _swap(order, a, b)
        else:
            _move(order, a, b)
        makespan, value = score(y, order)
        heat = TEMPERATURE * current * (1.0 - step / steps)
        if value < current - heat * np.log(1.0 - draws[step, 2]):
            current = value
            if makespan < shortest:
                shortest = makespan
                _copy(order, best)
        elif swaps:
            _swap(order, a, b)
        else:
            _move(order, b, a)
    return shortest, steps
