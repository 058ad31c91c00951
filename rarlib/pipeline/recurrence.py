"""One level of PipeDream's recurrence, for all segments and machine counts.

A segment runs from row i, meaning "after state i - 1" (0: from the start), to state j. A stage on r components takes

    published   max(C, sync[r] W) / r
    as coded    (C + sync[r] W) / r

with C the segment's time on one component and W its weights. A pipeline on m components ends in a stage from row k + 1
on r of them; what comes before is a pipeline on m - r. So A[i, m, j] is the least, over k and r, of the largest of
A[i, m - r, k], that stage's time and its boundary transfers; or the time of a single stage, if that is less. The first
stage of a pipeline is such a single stage: it has no boundary of its own.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel

ROWS = 32
"""Rows filled together: a stage is priced once for all of them, and its prices stay in the cache."""

_SLACK = 1e-12
"""Times closer than this, relatively, differ by rounding only."""


class Level(NamedTuple):
    """Prices of one level. `r` and `m` index component counts up to M (0 unused), S is the number of states."""

    segment_s: NDArray[np.float64]  # time of every segment on one component, inf where there is none, shape (S + 1, S)
    weights: NDArray[np.float64]  # bytes of weights before a row, shape (S + 1,)
    activations: NDArray[np.float64]  # bytes of outputs before a row, shape (S + 1,)
    entering: NDArray[np.float64]  # bytes that enter at a row, shape (S + 1,)
    leaving: NDArray[np.float64]  # bytes that leave after a state, 0 for the last, shape (S,)
    first: NDArray[np.float64]  # synchronisation, seconds per byte, of the first or only stage, shape (M + 1,) by r
    later: NDArray[np.float64]  # the same for a stage after others
    enter: NDArray[np.float64]  # seconds per byte that enters, shape (M + 1,) by r
    leave: NDArray[np.float64]  # seconds per byte that leaves, shape (M + 1,) by r
    # minibatches kept by a stage on r that ends a pipeline on m of M components, shape (M + 1, M + 1), [m, r]
    stash: NDArray[np.float64]
    memory: float  # bytes of a component (inf: no limit)
    widest: int  # most replicas of a stage
    overlap: bool  # whether synchronisation overlaps computation (published) or is added to it (as coded)
    idle_ahead: bool  # whether components may stay idle before the first stage (published)
    idle_after: bool  # whether they may stay idle after any but the first state of a segment (as coded)


def solve(level: Level, rows: int) -> NDArray[np.float64]:
    """Time of the best pipeline of every segment that starts in the first `rows` rows, inf where there is none.

    With a single row only the last state on all components is wanted, and pipelines slower than the best one found for
    it so far are not extended. That loses nothing: a longer pipeline is no faster than its beginning, so whatever is
    left out is slower than the answer. Entries up to the answer are exact, others may be too large.

    Returns:
        Shape (rows, M + 1, S), [i, m, j]; m = 0 is inf.
    """
    states = level.segment_s.shape[1]
    best = np.full((rows, len(level.first), states), np.inf)
    stage = np.empty(states)
    for first in range(0, rows, ROWS):
        _fill(best[first : first + ROWS], first, rows == 1, stage, level)
    return best


@kernel
def price(level: Level, row: int, m: int, r: int, leads: bool, start: int, out: NDArray[np.float64]) -> None:
    """Times on r components of the segments from a row to the states from `start` on, one entry of `out` each.

    The stage ends a pipeline on m components; `leads` says that it also starts it. The time is inf where the stage does
    not fit into memory.
    """
    segment, leaving = level.segment_s[row, start:], level.leaving[start:]
    weights, activations = level.weights[start + 1 :], level.activations[start + 1 :]
    weight, activation = level.weights[row], level.activations[row]
    sync = level.first[r] if leads else level.later[r]
    arrival = 0.0 if leads else level.entering[row] * level.enter[r]
    departure = 0.0 if leads else level.leave[r]
    stash = level.stash[m, r]
    for j in range(len(out)):
        exchange = sync * (weights[j] - weight)
        busy = (max(segment[j], exchange) if level.overlap else segment[j] + exchange) / r
        held = stash * (activations[j] - activation + weights[j] - weight)
        out[j] = np.inf if held > level.memory else max(busy, arrival, leaving[j] * departure)


@kernel
def _fill(best: NDArray[np.float64], first: int, answer_only: bool, stage: NDArray[np.float64], level: Level) -> None:
    """Fill rows from `first` on, state by state: what ends at k is complete before pipelines are extended from it."""
    rows, ends, states = best.shape
    for i in range(min(rows, states - first)):
        row = first + i
        for m in range(1, ends):
            for r in range(1 if level.idle_ahead else m, min(level.widest, m) + 1):
                price(level, row, m, r, True, row, stage[row:])
                for j in range(row, states):
                    best[i, m, j] = min(best[i, m, j], stage[j])
    for k in range(first, states):
        for i in range(min(rows, k - first) if level.idle_after else 0):
            for m in range(2, ends):
                best[i, m, k] = min(best[i, m, k], best[i, m - 1, k])
        for r in range(1, min(level.widest, ends - 2) + 1):
            out = stage[k + 1 :]
            for m in range(r + 1, ends):
                if m == r + 1 or level.memory < np.inf:  # without a limit the price does not depend on m
                    price(level, k + 1, m, r, False, k + 1, out)
                limit = best[0, ends - 1, states - 1] if answer_only else np.inf
                _go_on(best[: max(k + 1 - first, 0)], k, m, r, limit, out)


@kernel
def _go_on(best: NDArray[np.float64], k: int, m: int, r: int, limit: float, stage: NDArray[np.float64]) -> None:
    """Extend pipelines that end at state k on m - r components by a stage on r."""
    for i in range(len(best)):
        before = best[i, m - r, k]
        if before < np.inf and before <= limit:
            target = best[i, m, k + 1 :]
            for j in range(len(stage)):
                slowest = max(before, stage[j])
                target[j] = min(target[j], slowest)


class Cut(NamedTuple):
    """A stage of one level: where it starts and ends, its replicas, and the components used up to its end."""

    row: int
    state: int
    replicas: int
    used: int


def stage_cuts(level: Level, best: NDArray[np.float64], row: int, state: int) -> list[Cut]:
    """A pipeline that attains an entry of a row's table, shape (M + 1, S), on all components, stages in order.

    Of all pipelines that are as fast, one with few stages: from the end on, a single stage if that will do, else the
    last stage with the fewest replicas and then the most layers that leaves a prefix fast enough. The entry must be
    finite.
    """
    m, stages = len(level.first) - 1, []
    limit = float(best[m, state]) * (1.0 + _SLACK)
    while True:
        while level.idle_after and m > 1 and state > row and best[m - 1, state] <= limit:
            m -= 1
        k, r = _last_stage(best, row, state, m, limit, level)
        stages.append(Cut(k + 1, state, r, m))
        if k < row:
            return stages[::-1]
        state, m = k, m - r


@kernel
def _last_stage(best: NDArray[np.float64], row: int, state: int, m: int, limit: float, level: Level) -> tuple[int, int]:
    """State before the last stage (row - 1: it is the only one) and its replicas."""
    time = np.empty(1)
    for r in range(1 if level.idle_ahead else m, min(level.widest, m) + 1):
        price(level, row, m, r, True, state, time)
        if time[0] <= limit:
            return row - 1, r
    for r in range(1, min(level.widest, m - 1) + 1):
        for k in range(row, state):
            if best[m - r, k] <= limit:
                price(level, k + 1, m, r, False, state, time)
                if time[0] <= limit:
                    return k, r
    return -2, 0  # not reached: some choice gave the entry its value


def fixed_cuts(level: Level, replicas: Sequence[int]) -> list[Cut]:
    """The fastest pipeline whose stages have the given replicas, in order; nothing if there is none.

    Among equally fast ones, stages from the end on are as long as can be.
    """
    states = level.segment_s.shape[1]
    used, time = list(accumulate(replicas)), np.empty(states)
    best = np.full((len(replicas), states), np.inf)
    price(level, 0, used[0], replicas[0], True, 0, best[0])
    for stage in range(1, len(replicas)):
        for row in range(1, states):
            price(level, row, used[stage], replicas[stage], False, row, time[row:])
            best[stage, row:] = np.minimum(best[stage, row:], np.maximum(time[row:], best[stage - 1, row - 1]))
    limit, state = best[-1, -1] * (1.0 + _SLACK), states - 1
    if not np.isfinite(limit):
        return []
    found: list[Cut] = []
    for stage in range(len(replicas) - 1, 0, -1):
        for row in range(1, state + 1):
            price(level, row, used[stage], replicas[stage], False, state, time[:1])
            if max(time[0], best[stage - 1, row - 1]) <= limit:
                found.append(Cut(row, state, replicas[stage], used[stage]))
                state = row - 1
                break
    return [Cut(0, state, replicas[0], used[0]), *found[::-1]]
