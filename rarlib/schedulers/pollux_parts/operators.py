"""How allocations change: crossover of job rows, mutation, and the repair that makes a matrix an allocation."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.draws import Stream, below, uniform
from rarlib.model.jit import hot_kernel
from rarlib.schedulers.pollux_parts.problem import AllocationMatrix, SearchProblem

_Numbers = NDArray[np.int64]
Scratch = NDArray[np.int64]
"""Counters of the operators, shape (3, nodes)."""

CROSSED = 0.9
"""Fraction of the pairs of parents that are crossed; the others are copied."""

RESET, THINNED, DROPPED = 0.1, 0.1, 0.1
"""Probability that a job is reset to its current allocation; that it loses nodes; and that it then loses a given
node."""


@hot_kernel
def cross(
    mother: AllocationMatrix,
    father: AllocationMatrix,
    daughter: AllocationMatrix,
    son: AllocationMatrix,
    stream: Stream,
) -> None:
    """Cross two parents with one cut between two jobs; the children exchange the rows above it."""
    jobs, nodes = mother.shape
    cut = below(stream, jobs) if uniform(stream) < CROSSED else 0
    for j in range(jobs):
        for i in range(nodes):
            daughter[j, i] = father[j, i] if j < cut else mother[j, i]
            son[j, i] = mother[j, i] if j < cut else father[j, i]


@hot_kernel
def _thin(problem: SearchProblem, state: AllocationMatrix, stream: Stream) -> None:
    """Reset some jobs to their current allocation, and take nodes from some."""
    jobs, nodes = state.shape
    for j in range(jobs):
        if uniform(stream) < RESET:
            for i in range(nodes):
                state[j, i] = problem.base[j, i]
        if uniform(stream) < THINNED:
            for i in range(nodes):
                if state[j, i] > 0 and uniform(stream) < DROPPED:
                    state[j, i] = 0


@hot_kernel
def mutate(problem: SearchProblem, state: AllocationMatrix, scratch: Scratch, stream: Stream) -> None:
    """Reset some jobs, take nodes from some, and increase some entries on nodes with free GPUs, in place.

    On every such node, one job on average gets more GPUs, and so does one on average of those already there.
    """
    _thin(problem, state, stream)
    jobs, nodes = state.shape
    free, here = scratch[0], scratch[1]
    for i in range(nodes):
        free[i] = problem.node_gpus[i]
        here[i] = 0
    for j in range(jobs):
        for i in range(nodes):
            free[i] -= state[j, i]
            here[i] += state[j, i] > 0
    for j in range(jobs):
        for i in range(nodes):
            if free[i] > 0:
                chance = 1.0 / jobs
                if state[j, i] > 0:
                    chance += (1.0 - chance) / here[i]
                if uniform(stream) < chance:
                    state[j, i] += below(stream, problem.node_gpus[i] - state[j, i] + 1)


@hot_kernel
def _count(row: AllocationMatrix) -> tuple[int, int]:
    """Nodes and GPUs of a job."""
    used, gpus = 0, 0
    for i in range(len(row)):
        used += row[i] > 0
        gpus += row[i]
    return used, gpus


@hot_kernel
def _stand_back(row: AllocationMatrix, claimed: _Numbers) -> None:
    """Remove a job that spans nodes from nodes of other such jobs, and claim its remaining nodes for it."""
    for i in range(len(row)):
        if row[i] > 0 and claimed[i]:
            row[i] = 0
        elif row[i] > 0:
            claimed[i] = 1


@hot_kernel
def _trim(row: AllocationMatrix, most: int, spread: int, held: _Numbers, stream: Stream) -> None:
    """Keep at most `most` GPUs on at most `spread` nodes, taken in random order."""
    used = 0
    for i in range(len(row)):
        if row[i] > 0:
            held[used] = i
            used += 1
    for k in range(used):
        other = k + below(stream, used - k)
        node = held[other]
        held[other] = held[k]
        row[node] = min(row[node], most) if k < spread else 0
        most -= row[node]


@hot_kernel
def _take(row: AllocationMatrix, least: int, free: _Numbers) -> None:
    """Give a job those of its GPUs that are still free, or none if they are fewer than it needs."""
    gpus = 0
    for i in range(len(row)):
        row[i] = min(row[i], free[i])
        free[i] -= row[i]
        gpus += row[i]
    if gpus < least:
        for i in range(len(row)):
            free[i] += row[i]
            row[i] = 0


@hot_kernel
def repair(problem: SearchProblem, state: AllocationMatrix, scratch: Scratch, stream: Stream) -> None:
    """Make a matrix a valid allocation, in place: one spanning job per node, limits of jobs, GPUs of nodes.

    Jobs that come first keep what they have. A job left with fewer GPUs than it needs gets none.
    """
    jobs, nodes = state.shape
    free, claimed = scratch[0], scratch[1]
    for i in range(nodes):
        free[i] = problem.node_gpus[i]
        claimed[i] = 0
    for j in range(jobs):
        row = state[j]
        used, gpus = _count(row)
        if used == 0:
            continue
        if used > 1:
            _stand_back(row, claimed)
            used, gpus = _count(row)
        if gpus > problem.most[j] or used > problem.spread[j]:
            _trim(row, problem.most[j], problem.spread[j], scratch[2], stream)
        _take(row, problem.least[j], free)
