"""How allocations change: crossover of jobs, mutation, and the repair that makes the outcome an allocation.

Allocations are in the packed form of `rarlib.schedulers.pollux_parts.packed`, so that the work grows with the nodes in
use, not with jobs times nodes.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.draws import Stream, below, halves, uniform
from rarlib.model.jit import inlined
from rarlib.schedulers.pollux_parts.packed import PackedRow, PackedState, copy_row, drop, entry_of, total
from rarlib.schedulers.pollux_parts.problem import SearchProblem

_Numbers = NDArray[np.int64]
Scratch = NDArray[np.int64]
"""Counters of the operators, shape (3, nodes)."""

CROSSED = 0.9
"""Fraction of the pairs of parents that are crossed; the others are copied."""

RESET, THINNED, DROPPED = 0.1, 0.1, 0.1
"""Probability that a job is reset to its current allocation; that it loses nodes; and that it then loses a given
node."""


@inlined
def cut_between(jobs: int, stream: Stream) -> int:
    """Job at which both children of two parents go on with the rows of the other parent; 0: they are copies."""
    return below(stream, jobs) if uniform(stream) < CROSSED else 0


@inlined
def inherit(
    problem: SearchProblem, parents: tuple[PackedState, PackedState], cut: int, state: PackedState, scratch: Scratch,
    stream: Stream,
) -> None:  # fmt: skip
    """Fill a state with the rows of the first parent before a cut, then of the second one, and change some of them.

    Some jobs are reset to their current allocation, and some lose nodes, independently of each other. The same pass
    counts the free GPUs of every node, and the jobs there.
    """
    free, here = scratch[0], scratch[1]
    for i in range(len(free)):
        free[i], here[i] = problem.node_gpus[i], 0
    for j in range(len(state)):
        row = state[j]
        drawn = uniform(stream)  # both happen below RESET * THINNED, then one of them alone
        copy_row(problem.packed[j] if drawn < RESET else parents[0][j] if j < cut else parents[1][j], row)
        if drawn < RESET * THINNED or RESET <= drawn < RESET + (1.0 - RESET) * THINNED:
            for k in range(row[0] - 1, -1, -1):
                if uniform(stream) < DROPPED:
                    drop(row, k)
        for k in range(row[0]):
            free[row[1 + 2 * k]] -= row[2 + 2 * k]
            here[row[1 + 2 * k]] += 1


@inlined
def increase(problem: SearchProblem, state: PackedState, scratch: Scratch, stream: Stream) -> None:
    """Increase some entries on nodes with free GPUs, in place.

    On every such node, one job on average gets more GPUs, and so does one on average of those already there.
    """
    free, here = scratch[0], scratch[1]
    jobs = len(state)
    for j in range(jobs):
        row = state[j]
        for k in range(row[0]):
            i = row[1 + 2 * k]
            if free[i] > 0 and (here[i] == 1 or uniform(stream) < 1.0 / jobs + (1.0 - 1.0 / jobs) / here[i]):
                row[2 + 2 * k] += below(stream, problem.node_gpus[i] - row[2 + 2 * k] + 1)
    _raise_others(problem, state, scratch, stream)


@inlined
def _raise_others(problem: SearchProblem, state: PackedState, scratch: Scratch, stream: Stream) -> None:
    """Raise each job on each node with free GPUs where it is not, with probability 1 / jobs.

    Pairs of node and job are passed in one sequence. Gaps between raised ones are geometric, and drawn by inversion of
    their distribution function; a gap of as many pairs as there are jobs stands for at least as many.
    """
    free, here, nodes = scratch[0], scratch[1], scratch[2]
    jobs, count = len(state), 0
    for i in range(len(free)):
        nodes[count] = i
        count += free[i] > 0
    f, j = 0, 0
    while f < count:
        drawn, amount = halves(stream)
        gap = problem.guide[int(drawn * len(problem.guide))]
        while drawn >= problem.within[gap]:
            gap += 1
        j += gap
        if j >= jobs:
            f, j = f + 1, j - jobs
        if f < count and gap < jobs:
            i = nodes[f]
            if here[i] == 0 or entry_of(state[j], i) < 0:
                _raise(state[j], i, int(amount * (problem.node_gpus[i] + 1)))
            j += 1
            if j == jobs:
                f, j = f + 1, 0


@inlined
def _raise(row: PackedRow, node: int, gpus: int) -> None:
    if gpus > 0:
        row[1 + 2 * row[0]], row[2 + 2 * row[0]] = node, gpus
        row[0] += 1


@inlined
def _stand_back(row: PackedRow, claimed: _Numbers) -> None:
    """Remove a job that spans nodes from nodes of other such jobs, and claim its remaining nodes for it."""
    for k in range(row[0] - 1, -1, -1):
        if claimed[row[1 + 2 * k]]:
            drop(row, k)
        else:
            claimed[row[1 + 2 * k]] = 1


@inlined
def _trim(row: PackedRow, most: int, spread: int, stream: Stream) -> None:
    """Keep at most `most` GPUs on at most `spread` nodes, taken in random order."""
    used = row[0]
    kept = min(used, spread)
    for k in range(kept):
        other = k + below(stream, used - k)
        node, gpus = row[1 + 2 * other], row[2 + 2 * other]
        row[1 + 2 * other], row[2 + 2 * other] = row[1 + 2 * k], row[2 + 2 * k]
        row[1 + 2 * k], row[2 + 2 * k] = node, min(gpus, most)
        most -= row[2 + 2 * k]
        if most == 0:
            kept = k + 1
            break
    row[0] = kept


@inlined
def _take(row: PackedRow, least: int, free: _Numbers) -> None:
    """Give a job those of its GPUs that are still free, or none if they are fewer than it needs."""
    gpus = 0
    for k in range(row[0] - 1, -1, -1):
        i = row[1 + 2 * k]
        held = min(row[2 + 2 * k], free[i])
        if held == 0:
            drop(row, k)
        else:
            row[2 + 2 * k] = held
            free[i] -= held
            gpus += held
    if gpus < least:
        for k in range(row[0]):
            free[row[1 + 2 * k]] += row[2 + 2 * k]
        row[0] = 0


@inlined
def repair(problem: SearchProblem, j: int, row: PackedRow, free: _Numbers, claimed: _Numbers, stream: Stream) -> None:
    """Make a job's row valid, in place: one spanning job per node, limits of the job, GPUs that are still free.

    Jobs that come first keep what they have. A job left with fewer GPUs than it needs gets none.
    """
    if row[0] > 1:
        _stand_back(row, claimed)
    if row[0] > problem.spread[j] or total(row) > problem.most[j]:
        _trim(row, problem.most[j], problem.spread[j], stream)
    _take(row, problem.least[j], free)
