"""Running jobs by their next own event, ties by row."""

from rarlib.model.heap import rise, sink
from rarlib.model.jit import hot_kernel
from rarlib.simulator.state import State


@hot_kernel
def set_event(s: State, job: int, due: float) -> None:
    """Set the time of a job's next own event, entering the job if it is not in the heap."""
    s.job[job].due = due
    at = s.job[job].heap_at
    if at < 0:
        at = s.run[0].heap
        s.run[0].heap += 1
        s.heap[at] = job
    rise(s.heap, s.job.due, s.job.heap_at, at)
    sink(s.heap, s.job.due, s.job.heap_at, s.run[0].heap, s.job[job].heap_at)


@hot_kernel
def remove(s: State, job: int) -> None:
    """Take a job out of the heap."""
    at = s.job[job].heap_at
    s.run[0].heap -= 1
    last = s.heap[s.run[0].heap]
    s.job[job].heap_at = -1
    if last != job:
        s.heap[at] = last
        rise(s.heap, s.job.due, s.job.heap_at, at)
        sink(s.heap, s.job.due, s.job.heap_at, s.run[0].heap, s.job[last].heap_at)
