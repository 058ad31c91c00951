"""What an allocation is judged by: a power mean of speedups, and how well the nodes in use are used.

An allocation is a matrix of GPUs, jobs x nodes. Everything that an evaluation needs is tabulated beforehand by job,
number of nodes and number of GPUs, so that evaluating takes two sums over jobs and one over nodes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

AllocationMatrices = NDArray[np.int16]
AllocationMatrix = NDArray[np.int16]

FLOOR = 1e-3
"""Added to every scaled speedup before the power is taken, so that a job without GPUs counts as almost nothing."""


class SearchProblem(NamedTuple):
    """One search; jobs stand in the order in which they take GPUs when an allocation is repaired.

    Attributes:
        node_gpus: GPUs of each node, shape (nodes,).
        base: the allocation now, shape (jobs, nodes).
        least: fewest GPUs of each job that is given any, shape (jobs,).
        most: most GPUs of each job, shape (jobs,).
        spread: most nodes of each job, shape (jobs,).
        first: where the tables of a job begin, shape (jobs,); within, n nodes and g GPUs stand at n * (most + 1) + g.
        speedup: over the fair share.
        kept: what a job adds to the power mean where it stays as it is.
        moved: the same where it has to restart.
        p: exponent of the power mean; 0: the geometric mean.
    """

    node_gpus: NDArray[np.int64]
    base: AllocationMatrix
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    spread: NDArray[np.int64]
    first: NDArray[np.int64]
    speedup: NDArray[np.float64]
    kept: NDArray[np.float64]
    moved: NDArray[np.float64]
    p: float


class JobLimits(NamedTuple):
    """Fewest and most GPUs of each job that is given any, and most nodes, each of shape (jobs,)."""

    least: NDArray[np.int64]
    most: NDArray[np.int64]
    spread: NDArray[np.int64]


def problem_of(
    node_gpus: NDArray[np.int64],
    base: AllocationMatrix,
    limits: JobLimits,
    speedups: Sequence[NDArray[np.float64]],
    factor: NDArray[np.float64],
    p: float,
) -> SearchProblem:
    """A problem from tables of speedups.

    Args:
        node_gpus: GPUs of each node, shape (nodes,).
        base: the allocation now, shape (jobs, nodes).
        limits: of the jobs.
        speedups: of every job, by nodes and GPUs, shape (spread + 1, most + 1).
        factor: part of its speedup that a job keeps when it restarts, shape (jobs,).
        p: exponent of the power mean.
    """
    sizes = [table.size for table in speedups]
    speedup = np.concatenate([table.ravel() for table in speedups])
    scaled = speedup / node_gpus.max()
    moved = scaled * np.repeat(factor, sizes)
    first = np.cumsum([0, *sizes[:-1]])
    return SearchProblem(node_gpus, base, *limits, first, speedup, _terms(scaled, p), _terms(moved, p), p)


def _terms(scaled: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """What scaled speedups add to the power mean; to the mean of logarithms if p is 0."""
    raised: NDArray[np.float64] = np.log(np.maximum(scaled, FLOOR)) if p == 0.0 else (scaled + FLOOR) ** p
    return raised


@hot_kernel
def objectives(problem: SearchProblem, state: AllocationMatrix) -> tuple[float, float]:
    """Both objectives of an allocation, to be minimised.

    Returns:
        Minus the power mean of the jobs' speedups; minus the sum of speedups per GPU of the nodes in use.
    """
    jobs, nodes = state.shape
    total, speed = 0.0, 0.0
    for j in range(jobs):
        used, gpus, change = 0, 0, 0
        for i in range(nodes):
            used += state[j, i] > 0
            gpus += state[j, i]
            change += state[j, i] != problem.base[j, i]
        at = problem.first[j] + used * (problem.most[j] + 1) + gpus
        speed += problem.speedup[at]
        total += problem.moved[at] if change else problem.kept[at]
    mean = np.exp(total / jobs) if problem.p == 0.0 else (total / jobs) ** (1.0 / problem.p)
    active = 0
    for i in range(nodes):
        for j in range(jobs):
            if state[j, i] > 0:
                active += problem.node_gpus[i]
                break
    return -mean, -speed / max(active, 1)
