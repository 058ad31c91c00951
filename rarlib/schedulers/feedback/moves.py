"""One task more or one task less: what a predictable job saves by it (AITurbo, HPDC 2021).

    symbol   here              unit
    x        tasks             GPU workers, CPU workers, parameter servers
    T_rem    left * step_s     seconds until the job ends with x
    R(x)     tasks @ weights   service per second: 10 a GPU, 5 a task [LAB]
    S(x)     product           T_rem(x) R(x), what is left to pay, service

The abstract says only that a model predicts performance under other allocations [ABS]; that a job saves resource-time
product, moves of one task per round and the lists of jobs that grow and shrink are those of [LAB]. There a move that is
impossible is a huge number that can leave a job in either list, and equal gains fall through every branch; here an
impossible move is never the best, and of equal gains the job shrinks [RECON].
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.schedulers.feedback.ranking import DECREASE, INCREASE, KEEP

MOVES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]])
"""Of GPU workers, CPU workers, parameter servers; additions first."""

_ADDITIONS = 3


class Moves(NamedTuple):
    """The best move of each job, shape (jobs, ...)."""

    tasks: NDArray[np.int64]
    """Allocation after the move, shape (jobs, 3)."""
    gain: NDArray[np.float64]
    """What it saves; 0 for jobs that keep what they have."""
    wish: NDArray[np.int64]
    """INCREASE, DECREASE or KEEP."""


def step_seconds(table: NDArray[np.float64], jobs: NDArray[np.int64], tasks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Predicted seconds of a step, infinite outside the table.

    Args:
        table: by job, GPU workers, CPU workers and servers.
        jobs: positions, shape (jobs,).
        tasks: allocations, shape (..., jobs, 3).
    """
    most = np.array(table.shape[1:])
    inside = ((tasks >= 0) & (tasks < most)).all(axis=-1)
    gpu, cpu, servers = np.moveaxis(np.where(inside[..., None], tasks, 0), -1, 0)
    return np.where(inside, table[jobs, gpu, cpu, servers], np.inf)


def best_moves(
    table: NDArray[np.float64],
    jobs: NDArray[np.int64],
    tasks: NDArray[np.int64],
    left: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> Moves:
    """The best addition or removal of one task for each job.

    Args:
        table: predicted seconds of a step by job, GPU workers, CPU workers and servers.
        jobs: positions, shape (jobs,).
        tasks: their allocations, with which they can run, shape (jobs, 3).
        left: predicted steps left, shape (jobs,).
        weights: service per second of a task of each kind, shape (3,); zeros save time instead of service.
    """
    tried = tasks + np.concatenate([np.zeros((1, 3), np.int64), MOVES])[:, None, :]
    seconds = left * step_seconds(table, jobs, tried)
    cost = seconds * (tried @ weights if weights.any() else 1.0)
    gain = cost[0] - cost[1:]
    add, remove = gain[:_ADDITIONS].argmax(axis=0), gain[_ADDITIONS:].argmax(axis=0) + _ADDITIONS
    each = np.arange(len(jobs))
    gain_add, gain_remove = gain[add, each], gain[remove, each]
    wish = np.where(gain_add > np.maximum(gain_remove, 0.0), INCREASE, np.where(gain_remove > 0.0, DECREASE, KEEP))
    move = np.where(wish == INCREASE, add, remove)
    moved = np.where((wish == KEEP)[:, None], tasks, tasks + MOVES[move])
    return Moves(moved, np.where(wish == KEEP, 0.0, gain[move, each]), wish)
