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

from rarlib.model.jit import hot_kernel, inlined, kernel

SQUARINGS = 5
"""The exponent of the mean is 2 to this power: high enough to be near the maximum, low enough to reward progress below
it."""

BLOCK = 8
"""Gangs after which a decoding is kept; at so many it takes little of the time that it saves."""

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


@inlined
def _gap(y: DecodingState, s: int, gang: int) -> float:
    """GPU time left unused on server `s` when a gang starts there as soon as it can."""
    gap = 0.0
    for g in range(gang):
        gap += y.level[s, gang - 1] - y.level[s, g]
    return gap


@inlined
def _home(y: DecodingState, i: int) -> tuple[int, float]:
    """The server on which gang `i` ends first, ties by smallest gap, and its finish; -1 and inf if it fits on none."""
    home, finish = -1, np.inf
    gang = y.gang[i]
    for s in range(len(y.size)):
        if y.alone[i, s] == np.inf:
            continue
        end = y.level[s, gang - 1] + y.alone[i, s]
        if end < finish or (end == finish and _gap(y, s, gang) < _gap(y, home, gang)):
            home, finish = s, end
    return home, finish


@inlined
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


@inlined
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
    spanning = _span(y, i, finish) if y.gang[i] > 1 else np.inf
    if spanning < finish:
        for s in range(len(y.size)):
            if y.counts[s] > 0:
                _raise(y, s, y.counts[s], spanning)
        return spanning
    for s in range(len(y.size)):
        y.counts[s] = 0
    y.counts[home] = y.gang[i]
    _raise(y, home, y.gang[i], finish)
    return finish


@hot_kernel
def _copy(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    for s in range(source.shape[0]):
        for g in range(source.shape[1]):
            target[s, g] = source[s, g]


@hot_kernel
def _score(
    y: DecodingState, kept: NDArray[np.float64], side: NDArray[np.int64], order: NDArray[np.int64], first: int
) -> tuple[float, float]:
    """Makespan of an order, and the power mean of the levels of all GPUs.

    Up to position `first` the order is the one accepted last, whose levels (and makespan, in a row of its own) before
    every `BLOCK` gangs are in `kept[side]`, shape (2, blocks, servers + 1, largest size); its own go to the other side.
    """
    block = first // BLOCK
    _copy(kept[side[block], block, :-1], y.level)
    makespan = kept[side[block], block, -1, 0]
    for at in range(block * BLOCK, len(order)):
        if at % BLOCK == 0 and at // BLOCK > block:
            own = kept[1 - side[at // BLOCK], at // BLOCK]
            _copy(y.level, own)
            own[-1, 0] = makespan
        makespan = max(makespan, place_gang(y, order[at]))
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


@kernel
def anneal(
    y: DecodingState, order: NDArray[np.int64], best: NDArray[np.int64], draws: NDArray[np.float64]
) -> tuple[float, int]:
    """Improve an order in place; the best one found is left in `best`.

    `draws` are uniform numbers in [0, 1), shape (steps, 3): two positions and the chance to accept.

    Returns:
        Makespan of the best order, and steps taken; the search ends early if the makespan reaches its lower bound.
    """
    gangs, steps = len(order), len(draws)
    kept = np.zeros((2, gangs // BLOCK + 1, y.begin.shape[0] + 1, y.begin.shape[1]))
    side = np.zeros(gangs // BLOCK + 1, np.int64)
    kept[0, 0, :-1] = y.begin
    shortest, current = _score(y, kept, side, order, 0)
    side[1:] = 1
    best[:] = order
    if gangs < 2:
        return shortest, 0
    for step in range(steps):
        if shortest <= y.floor:
            return shortest, step
        a, b = int(draws[step, 0] * gangs), int(draws[step, 1] * gangs)
        swaps = step % 3 == 0
        if swaps:
            order[a], order[b] = order[b], order[a]
        else:
            _move(order, a, b)
        makespan, value = _score(y, kept, side, order, min(a, b))
        heat = TEMPERATURE * current * (1.0 - step / steps)
        if value < current - heat * np.log(1.0 - draws[step, 2]):
            current = value
            side[min(a, b) // BLOCK + 1 :] ^= 1
            if makespan < shortest:
                shortest = makespan
                best[:] = order
        elif swaps:
            order[a], order[b] = order[b], order[a]
        else:
            _move(order, b, a)
    return shortest, steps
