"""What a predictable job saves with one task more or one task less (AITurbo, HPDC 2021).

    symbol   here              unit
    x        tasks             GPU workers, CPU workers, parameter servers
    T_rem    left * step_s     seconds until the job ends with x
    R(x)     tasks @ weights   service per second: 10 a GPU, 5 a task [LAB]
    S(x)     product           T_rem(x) R(x), service still needed

The abstract says only that a model predicts performance under other allocations [ABS]; the resource-time product as the
quantity to save, moves of one task per round, and the lists of jobs that grow and shrink come from [LAB]. In that code
a huge number stands for an impossible move, which can leave a job in either list, and no branch handles equal gains;
here an impossible move is never the best, and with equal gains the job shrinks [RECON].
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel
from rarlib.schedulers.aiturbo_parts.ranking import DECREASE, INCREASE, KEEP


class Moves(NamedTuple):
    """The best move of each job, shape (jobs, ...)."""

    tasks: NDArray[np.int64]
    """Allocation after the move: GPU workers, CPU workers, parameter servers, shape (jobs, 3)."""
    gain: NDArray[np.float64]
    """What it saves; 0 for jobs that keep what they have."""
    wish: NDArray[np.int64]
    """INCREASE, DECREASE or KEEP."""


@hot_kernel
def _cost(step_s: float, left: float, weights: NDArray[np.float64], gpu: int, cpu: int, servers: int) -> float:
    """S(x), or seconds left if all weights are zero."""
    weight = gpu * weights[0] + cpu * weights[1] + servers * weights[2]
    return left * step_s * (weight if weight > 0.0 else 1.0)


@hot_kernel
def _best_moves(
    table: NDArray[np.float64],
    jobs: NDArray[np.int64],
    left: NDArray[np.float64],
    weights: NDArray[np.float64],
    moves: Moves,
) -> None:
    for i in range(len(jobs)):
        job, gpu, cpu, servers = jobs[i], moves.tasks[i, 0], moves.tasks[i, 1], moves.tasks[i, 2]
        now = _cost(table[job, gpu, cpu, servers], left[i], weights, gpu, cpu, servers)
        gains, kinds = (0.0, 0.0), (-1, -1)  # of the best removal and of the best addition
        for kind in range(3):
            for more in range(2):
                step = 2 * more - 1
                g, c, s = gpu + step * (kind == 0), cpu + step * (kind == 1), servers + step * (kind == 2)
                if min(g, c, s) < 0 or g >= table.shape[1] or c >= table.shape[2] or s >= table.shape[3]:
                    continue
                gain = now - _cost(table[job, g, c, s], left[i], weights, g, c, s)
                if gain > gains[more]:
                    gains = (gains[0], gain) if more else (gain, gains[1])
                    kinds = (kinds[0], kind) if more else (kind, kinds[1])
        more = 1 if gains[1] > gains[0] else 0
        moves.gain[i], moves.wish[i] = gains[more], KEEP
        if kinds[more] >= 0:
            moves.wish[i] = INCREASE if more else DECREASE
            moves.tasks[i, kinds[more]] += 2 * more - 1


def best_moves(
    table: NDArray[np.float64],
    jobs: NDArray[np.int64],
    tasks: NDArray[np.int64],
    left: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> Moves:
    """The best addition or removal of one task for each job, whose present `tasks` must be able to run.

    `table` is predicted seconds of a step by job, GPU workers, CPU workers and servers, inf where a job cannot run.
    `weights` are service per second of a task of each kind; if all are zero, moves save time instead of service.
    """
    moves = Moves(tasks.copy(), np.zeros(len(jobs)), np.zeros(len(jobs), np.int64))
    _best_moves(table, jobs, left, weights, moves)
    return moves
