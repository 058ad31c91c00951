"""Indexed binary heap over running jobs: next own event first, ties by row."""

from rarlib.model.jit import hot_kernel
from rarlib.simulator.state import State


@hot_kernel
def _before(s: State, a: int, b: int) -> bool:
    return s.job[a].due < s.job[b].due or (s.job[a].due == s.job[b].due and a < b)


@hot_kernel
def _put(s: State, at: int, job: int) -> None:
    s.heap[at] = job
    s.job[job].heap_at = at


@hot_kernel
def _up(s: State, at: int) -> None:
    job = s.heap[at]
    while at > 0:
        parent = (at - 1) // 2
        if not _before(s, job, s.heap[parent]):
            break
        _put(s, at, s.heap[parent])
        at = parent
    _put(s, at, job)


@hot_kernel
def _down(s: State, at: int) -> None:
    job = s.heap[at]
    size = s.run[0].heap
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _before(s, s.heap[child + 1], s.heap[child]):
            child += 1
        if not _before(s, s.heap[child], job):
            break
        _put(s, at, s.heap[child])
        at = child
    _put(s, at, job)


@hot_kernel
def schedule(s: State, job: int, due: float) -> None:
    """Set the time of a job's next own event, entering the job if it is not in the heap."""
    s.job[job].due = due
    at = s.job[job].heap_at
    if at < 0:
        at = s.run[0].heap
        s.run[0].heap += 1
        _put(s, at, job)
    _up(s, at)
    _down(s, s.job[job].heap_at)


@hot_kernel
def remove(s: State, job: int) -> None:
    """Take a job out of the heap."""
    at = s.job[job].heap_at
    s.run[0].heap -= 1
    last = s.heap[s.run[0].heap]
    s.job[job].heap_at = -1
    if last != job:
        _put(s, at, last)
        _up(s, at)
        _down(s, s.job[last].heap_at)
