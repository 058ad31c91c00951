"""From numbers of workers to servers: a job whose number of workers is unchanged stays where it is.

Alg. 2 draws mappings anew in every slot; in the paper moving a job is free, in a simulation it costs a restart.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.exact import Packing
from rarlib.ilp.gadget.problem import SlotProblem

Held = Mapping[int, NDArray[np.int64]]
"""Row of the problem -> workers that a running job has now, shape (servers,)."""


def stay(problem: SlotProblem, workers: NDArray[np.int64], held: Held, *, keep: bool = False) -> NDArray[np.int64]:
    """An allocation with the same numbers of workers in which jobs stay where they are, if the others still fit.

    It is `workers` itself if they do not. With `keep`, jobs that would be stopped continue if no other job needs their
    GPUs.
    """
    size = workers.sum(axis=1)
    same = [row for row, now in held.items() if now.sum() == size[row]]
    dropped = [row for row in held if not size[row]]
    for staying in ([*same, *dropped], same) if keep and dropped else (same,):
        found = _beside(problem, size, held, staying)
        if found is not None:
            return found
    return workers


def _beside(
    problem: SlotProblem, size: NDArray[np.int64], held: Held, staying: Sequence[int]
) -> NDArray[np.int64] | None:
    packing = Packing(problem)
    for row in staying:
        packing.take(row, held[row])
    moving = np.setdiff1d(np.flatnonzero(size), staying)
    for row in moving[np.argsort(-size[moving], kind="stable")]:
        if not packing.place(int(row), int(size[row])):
            return None
    return packing.workers


def fill(problem: SlotProblem, workers: NDArray[np.int64], held: Held) -> NDArray[np.int64]:
    """The allocation with jobs added that had no workers, those with the largest gain per worker first.

    A running job keeps its placement if it still fits there; any other job gets the largest ring that fits. Ties are
    broken by the order of the problem. Jobs whose utility no longer increases come last, but they are placed, too.
    """
    packing = Packing(problem)
    for row in np.flatnonzero(workers.any(axis=1)):
        packing.take(int(row), workers[row])
    waiting = np.flatnonzero(~workers.any(axis=1))
    count = np.maximum(np.arange(problem.gain.shape[1]), 1)
    rate = (problem.gain[waiting] / count).max(axis=1, initial=0.0)
    for row in waiting[np.argsort(-rate, kind="stable")]:
        if packing.full:
            break
        now = held.get(int(row))
        if now is not None and packing.fits(int(row), now):
            packing.take(int(row), now)
            continue
        for size in range(int(problem.largest[row]), int(problem.smallest[row]) - 1, -1):
            if packing.place(int(row), size):
                break
    return packing.workers
