"""Waiting jobs of the compiled driver: one heap per gang size.

Whether a gang fits depends on its size alone, so the next job to start is the best head among the sizes
that fit. With few distinct sizes this makes a pass independent of the length of the queue.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model import heap
from rarlib.model.jit import hot_kernel


class Queues(NamedTuple):
    """Heaps stored one after the other: size class c holds slots offset[c] .. offset[c] + length[c] - 1."""

    sizes: NDArray[np.int64]
    """Distinct gang sizes, ascending, shape (classes,)."""
    of_job: NDArray[np.int64]
    """Class of each job, shape (jobs,)."""
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    slot: NDArray[np.int64]
    """Jobs, shape (jobs,)."""
    key: NDArray[np.float64]
    """Sort key of each job, smallest first, ties by row; shape (jobs,)."""
    place: NDArray[np.int64]
    """Position of each job in its heap, shape (jobs,)."""


def new_queues(gpus: NDArray[np.int64]) -> Queues:
    """Empty queues for jobs with the given gang sizes, shape (jobs,)."""
    sizes, of_job, counts = np.unique(gpus, return_inverse=True, return_counts=True)
    offset = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    zeros = np.zeros(len(sizes), np.int64)
    slot, place = np.zeros((2, len(gpus)), np.int64)
    return Queues(sizes, of_job.astype(np.int64), offset, zeros, slot, np.zeros(len(gpus)), place)


@hot_kernel
def earlier(q: Queues, a: int, b: int) -> bool:
    """Whether job a is served before job b."""
    return heap.before(q.key, a, b)


@hot_kernel
def push(q: Queues, job: int, key: float) -> None:
    """Add a waiting job."""
    q.key[job] = key
    c = q.of_job[job]
    queue = q.slot[q.offset[c] :]
    queue[q.length[c]] = job
    heap.rise(queue, q.key, q.place, q.length[c])
    q.length[c] += 1


@hot_kernel
def pop_class(q: Queues, c: int) -> int:
    """Remove and return the head of a class that is not empty."""
    head = heap.pop(q.slot[q.offset[c] :], q.key, q.place, q.length[c])
    q.length[c] -= 1
    return head


@hot_kernel
def best_class(q: Queues, gpus: int, blocked: NDArray[np.bool_]) -> int:
    """Class with the best head among the sizes of at most `gpus` that are not blocked, or -1."""
    found = -1
    for c in range(len(q.sizes)):
        if q.sizes[c] > gpus:
            break
        if q.length[c] == 0 or blocked[c]:
            continue
        if found < 0 or earlier(q, q.slot[q.offset[c]], q.slot[q.offset[found]]):
            found = c
    return found
