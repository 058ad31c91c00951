"""The compiled driver: runs a `Discipline` (an ordering and a placement) without leaving the kernel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import choose
from rarlib.model import heap
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices
from rarlib.simulator import progress
from rarlib.simulator.clock import OVER, PASS, open_instant
from rarlib.simulator.state import RUNNING, WAITING, State


class Queues(NamedTuple):
    """Waiting jobs, a heap per gang size: size class c holds slots offset[c] .. offset[c] + length[c] - 1.

    Whether a gang fits depends on its size alone, so the next job to start is the best head among the sizes that fit.
    With few distinct sizes this makes a pass independent of the length of the queue.
    """

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


SUBMISSION, DURATION, REMAINING, ATTAINED = range(4)
ORDERS = {"submission": SUBMISSION, "duration": DURATION, "remaining": REMAINING, "attained": ATTAINED}


class Rule(NamedTuple):
    """A discipline encoded as numbers, with the scratch space of its passes."""

    order: int
    head_blocks: bool
    preemptive: bool
    placement: int
    duration_s: NDArray[np.float64]
    total_gpus: int
    capacity: NDArray[np.int64]
    """GPUs per node, descending."""
    tier: NDArray[np.int64]
    """Rank of each node's GPU type by speed, shape (nodes,)."""
    random: NDArray[np.uint64]
    counts: NDArray[np.int64]
    blocked: NDArray[np.bool_]
    ranked: NDArray[np.int64]
    """Running jobs in serving order, shape (jobs,); the first `entered[1]` entries are in use."""
    granted: NDArray[np.int64]
    entered: NDArray[np.int64]
    """Number of arrivals entered into the queues so far; length of `ranked`."""


@hot_kernel
def remaining_s(s: State, job: int, now: float) -> float:
    """Running time left on the requested gang, alone and uncontended."""
    done = s.job[job].done
    if s.job[job].phase == RUNNING:
        done += max(now - max(s.job[job].settled, s.job[job].ready), 0.0) * s.job[job].rate
    left = max(s.job[job].work - done, 0.0)
    return left / s.job[job].alone_rate


@hot_kernel
def _key(s: State, rule: Rule, job: int, now: float) -> float:
    if rule.order == DURATION:
        return rule.duration_s[job]
    if rule.order == REMAINING:
        return remaining_s(s, job, now)
    if rule.order == ATTAINED:
        return float(s.job[job].level)
    return 0.0  # rows are in submission order, and ties are broken by row


@hot_kernel
def _place_and_start(s: State, prices: Prices, rule: Rule, job: int, now: float) -> bool:
    if not choose(s.free, s.job[job].gpus, rule.placement, rule.capacity, rule.tier, rule.random, rule.counts):
        return False
    progress.start(s, prices, job, rule.counts, now)
    rule.counts[:] = 0
    return True


@hot_kernel
def _greedy_pass(s: State, prices: Prices, rule: Rule, q: Queues, now: float) -> None:
    """Start all waiting jobs that fit, in order (or stop at the first that does not fit)."""
    rule.blocked[:] = False
    while s.run[0].waiting > 0:
        spare = rule.total_gpus - s.run[0].busy
        c = best_class(q, rule.total_gpus if rule.head_blocks else spare, rule.blocked)
        if c < 0 or q.sizes[c] > spare:
            break
        if _place_and_start(s, prices, rule, q.slot[q.offset[c]], now):
            pop_class(q, c)
        elif rule.head_blocks:
            break
        else:
            rule.blocked[c] = True  # free GPUs only shrink during a pass


@hot_kernel
def _rank_running(s: State, rule: Rule, q: Queues, now: float) -> int:
    """Drop jobs that have finished and restore the order by insertion sort, since it rarely changes."""
    size = 0
    for i in range(rule.entered[1]):
        job = rule.ranked[i]
        if s.job[job].phase != RUNNING:
            continue
        q.key[job] = _key(s, rule, job, now)
        at = size
        while at > 0 and earlier(q, job, rule.ranked[at - 1]):
            rule.ranked[at] = rule.ranked[at - 1]
            at -= 1
        rule.ranked[at] = job
        size += 1
    rule.entered[1] = size
    return size


@hot_kernel
def _preemptive_pass(s: State, prices: Prices, rule: Rule, q: Queues, now: float) -> None:
    """Grant GPUs to jobs in order while they last; stop running jobs that get none, and start waiting jobs that do."""
    running = _rank_running(s, rule, q, now)
    spare, starts, stops = rule.total_gpus, 0, 0
    at = 0
    c = best_class(q, spare, rule.blocked)
    while at < running or c >= 0:
        if c >= 0 and (at == running or earlier(q, q.slot[q.offset[c]], rule.ranked[at])):
            job = pop_class(q, c)
            rule.granted[starts] = job
            starts += 1
            spare -= s.job[job].gpus
            c = best_class(q, spare, rule.blocked)
            continue
        job = rule.ranked[at]
        at += 1
        if s.job[job].gpus <= spare:
            spare -= s.job[job].gpus
            if c >= 0 and q.sizes[c] > spare:
                c = best_class(q, spare, rule.blocked)
        else:
            stops += 1
            rule.granted[len(rule.granted) - stops] = job
    for i in range(stops):
        job = rule.granted[len(rule.granted) - 1 - i]
        progress.stop(s, prices, job, now)
        push(q, job, _key(s, rule, job, now))
    for i in range(starts):
        job = rule.granted[i]
        _place_and_start(s, prices, rule, job, now)
        rule.ranked[rule.entered[1]] = job
        rule.entered[1] += 1


@hot_kernel
def _enter_arrivals(s: State, rule: Rule, q: Queues, now: float) -> None:
    for job in range(rule.entered[0], s.run[0].arrived):
        push(q, job, _key(s, rule, job, now))
    rule.entered[0] = s.run[0].arrived


@hot_kernel
def queue_again(s: State, q: Queues, key: NDArray[np.float64], entered: int) -> None:
    """Enter those of the first `entered` jobs that wait into empty queues, with the keys that they had."""
    for job in range(entered):
        if s.job[job].phase == WAITING:
            push(q, job, key[job])


@hot_kernel
def run(s: State, prices: Prices, rule: Rule, q: Queues, until_events: int, more_follow: bool) -> bool:
    """Run until every job is done, no event is left or `until_events` events are over.

    With `more_follow`, other jobs follow those of the table: return when its last one has been submitted.

    Returns:
        Whether the run is over; if not, call again, with more allocation rows if they have run out, and after
            `rarlib.cost.links.link_sharing.renew_rates` if jobs share links.
    """
    row_reserve = rule.total_gpus
    while s.run[0].events < until_events and s.run[0].changed == 0:
        if more_follow and s.run[0].arrived == len(s.job):
            return False
        if s.run[0].finished == len(s.job):
            return True
        if s.run[0].rows + row_reserve > len(s.rows):
            return False
        happened = open_instant(s, prices)
        if happened == OVER:
            return True
        if happened == PASS:
            now = s.run[0].now
            _enter_arrivals(s, rule, q, now)
            if s.run[0].waiting > 0:
                if rule.preemptive:
                    _preemptive_pass(s, prices, rule, q, now)
                else:
                    _greedy_pass(s, prices, rule, q, now)
    return False
