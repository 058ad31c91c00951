"""The objectives of the search: a power mean of speedups, and how well the nodes in use are used.

An allocation is a matrix of GPUs, jobs x nodes. All inputs of an evaluation are tabulated beforehand by job, number of
nodes and number of GPUs, so that an evaluation takes two sums over jobs and one over nodes.
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
    """The inputs of one search; jobs are in the order in which they take GPUs when an allocation is repaired.

    Attributes:
        node_gpus: GPUs of each node, shape (nodes,).
        base: the current allocation, shape (jobs, nodes).
        least: fewest GPUs of each job that gets any, shape (jobs,).
        most: most GPUs of each job, shape (jobs,).
        spread: most nodes of each job, shape (jobs,).
        first: where the tables of each job begin, shape (jobs,); n nodes and g GPUs are at n * (most + 1) + g.
        speedup: speedups over the fair share.
        kept: contribution of a job to the power mean if its allocation is unchanged.
        moved: the same if it has to restart.
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
    """Fewest and most GPUs of each job that gets any, and most nodes, each of shape (jobs,)."""

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
    """Build a problem from tables of speedups.

    Args:
        node_gpus: GPUs of each node, shape (nodes,).
        base: the current allocation, shape (jobs, nodes).
        limits: limits of the jobs.
        speedups: for every job, speedups by nodes and GPUs, shape (spread + 1, most + 1).
        factor: fraction of its speedup that a job keeps when it restarts, shape (jobs,).
        p: exponent of the power mean.
    """
    sizes = [table.size for table in speedups]
    speedup = np.concatenate([table.ravel() for table in speedups])
    scaled = speedup / node_gpus.max()
    moved = scaled * np.repeat(factor, sizes)
    first = np.cumsum([0, *sizes[:-1]])
    return SearchProblem(node_gpus, base, *limits, first, speedup, _terms(scaled, p), _terms(moved, p), p)


def _terms(scaled: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """Contributions of scaled speedups to the power mean, or if p is 0, to the mean of logarithms."""
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
