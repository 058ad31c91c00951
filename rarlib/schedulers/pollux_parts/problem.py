"""The objectives of the search: a power mean of speedups, and how well the nodes in use are used.

An allocation is a matrix of GPUs, jobs x nodes, packed in the search. All inputs of an evaluation are tabulated
beforehand by job, number of nodes and number of GPUs, so that it takes two sums over jobs and one over nodes.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import inlined, kernel
from rarlib.schedulers.pollux_parts.packed import PackedRow, PackedState, pack_states

AllocationMatrices = NDArray[np.int16]
AllocationMatrix = NDArray[np.int16]

_GUIDE = 128
"""Entries of `SearchProblem.guide`."""

FLOOR = 1e-3
"""Added to every scaled speedup before the power is taken, so that a job without GPUs counts as almost nothing."""


class SearchProblem(NamedTuple):
    """The inputs of one search; jobs are in the order in which they take GPUs when an allocation is repaired.

    Attributes:
        node_gpus: GPUs of each node, shape (nodes,).
        base: the current allocation, shape (jobs, nodes).
        packed: the same, packed.
        least: fewest GPUs of each job that gets any, shape (jobs,).
        most: most GPUs of each job, shape (jobs,).
        spread: most nodes of each job, shape (jobs,).
        first: where the tables of each job begin, shape (jobs,); n nodes and g GPUs are at n * (most + 1) + g.
        speedup: speedups over the fair share.
        kept: contribution of a job to the power mean if its allocation is unchanged.
        moved: the same if it has to restart.
        p: exponent of the power mean; 0: the geometric mean.
        within: probability of at most n failures before a success of probability 1 / jobs, shape (jobs + 1,), the
            last 1.
        guide: where in `within` to begin the search for a number, by its leading bits.
    """

    node_gpus: NDArray[np.int64]
    base: AllocationMatrix
    packed: PackedState
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    spread: NDArray[np.int64]
    first: NDArray[np.int64]
    speedup: NDArray[np.float64]
    kept: NDArray[np.float64]
    moved: NDArray[np.float64]
    p: float
    within: NDArray[np.float64]
    guide: NDArray[np.int64]


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
    within = np.array([1.0 - (1.0 - 1.0 / len(base)) ** k for k in range(1, len(base) + 2)])
    within[-1] = 1.0
    guide = np.searchsorted(within, np.arange(_GUIDE) / _GUIDE, side="right")
    terms = _terms(scaled, p), _terms(moved, p)
    return SearchProblem(node_gpus, base, pack_states(base[None])[0], *limits, first, speedup, *terms, p, within, guide)


def cannot_improve(problem: SearchProblem) -> bool:
    """Whether every job has the most speedup that it can have at all, so that no other allocation is better."""
    gpus, nodes = problem.base.sum(axis=1), (problem.base > 0).sum(axis=1)
    held = problem.kept[problem.first + nodes * (problem.most + 1) + gpus]
    best = np.minimum if problem.p < 0.0 else np.maximum
    return bool((held == best.reduceat(problem.kept, problem.first)).all())


@kernel
def _terms(scaled: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """Contributions of scaled speedups to the power mean, or if p is 0, to the mean of logarithms.

    Compiled, since numpy's powers of arrays have other last digits on other processors, and a random search that
    compares their sums would end elsewhere.
    """
    raised = np.empty_like(scaled)
    for at in range(len(scaled)):
        raised[at] = math.log(max(scaled[at], FLOOR)) if p == 0.0 else (scaled[at] + FLOOR) ** p
    return raised


@inlined
def contributions(problem: SearchProblem, j: int, row: PackedRow) -> tuple[float, float]:
    """What a job adds to the power mean, and to the sum of speedups."""
    gpus, same = 0, row[0] == problem.packed[j, 0]
    for k in range(row[0]):
        gpus += row[2 + 2 * k]
        same = same and problem.base[j, row[1 + 2 * k]] == row[2 + 2 * k]
    at = problem.first[j] + row[0] * (problem.most[j] + 1) + gpus
    return problem.kept[at] if same else problem.moved[at], problem.speedup[at]


@inlined
def objectives(problem: SearchProblem, mean: float, speed: float, free: NDArray[np.int64]) -> tuple[float, float]:
    """Both objectives of a valid allocation, to be minimised.

    Args:
        problem: what to allocate.
        mean: sum of the jobs' contributions to the power mean.
        speed: sum of their speedups.
        free: free GPUs of each node under it, shape (nodes,).

    Returns:
        Minus the power mean of the jobs' speedups; minus the sum of speedups per GPU of the nodes in use.
    """
    mean /= len(problem.base)
    mean = np.exp(mean) if problem.p == 0.0 else mean ** (1.0 / problem.p)
    active = 0
    for i in range(len(free)):
        active += problem.node_gpus[i] if free[i] < problem.node_gpus[i] else 0
    return -mean, -speed / max(active, 1)
