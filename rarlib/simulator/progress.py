"""Primitives that change the state: progress, prices, starting, stopping, finishing."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.heap import rise, sink
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices, factor_of, iterations_per_s, reach, slot_end, stretched_s
from rarlib.simulator.state import FINISHED, RUNNING, WAITING, State


@hot_kernel
def _set_event(s: State, job: int, due: float) -> None:
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
def _remove_event(s: State, job: int) -> None:
    """Take a job out of the heap."""
    at = s.job[job].heap_at
    s.run[0].heap -= 1
    last = s.heap[s.run[0].heap]
    s.job[job].heap_at = -1
    if last != job:
        s.heap[at] = last
        rise(s.heap, s.job.due, s.job.heap_at, at)
        sink(s.heap, s.job.due, s.job.heap_at, s.run[0].heap, s.job[last].heap_at)


@hot_kernel
def settle(s: State, prices: Prices, job: int, now: float) -> None:
    """Account for a running job's time since it was last settled.

    After the restart, the time is split completely into contention (other jobs on the busiest server), per-server
    overhead and useful seconds, in proportion to their shares of the iteration time.
    """
    span = now - s.job[job].settled
    if span <= 0.0:
        return
    s.job[job].gpu_seconds += span * s.job[job].held
    restarting = min(max(s.job[job].ready - s.job[job].settled, 0.0), span)
    s.job[job].overhead_s += restarting
    s.job[job].restart_s += restarting
    s.job[job].settled = now
    moving = span - restarting
    s.job[job].done += moving * s.job[job].rate
    if len(prices.unmeasured) and prices.unmeasured[job]:
        s.job[job].unmeasured_s += moving
    if s.run[0].linked:
        s.job[job].laps += moving * s.job[job].rate / prices.unit[job]
    servers = s.job[job].servers
    if servers > 1:
        link = s.job[job].link
        tau = stretched_s(prices, job, servers, s.job[job].factor, link)
        alone = stretched_s(prices, job, servers, 1.0, link)
        bare = min(alone, prices.base_s[job] + prices.link_s[job] * link)
        s.job[job].contention_s += moving * ((tau - alone) / tau)
        s.job[job].overhead_s += moving * ((alone - bare) / tau)
        s.job[job].useful_s += moving * (bare / tau)
    else:
        s.job[job].useful_s += moving


@hot_kernel
def settle_each(s: State, prices: Prices, jobs: NDArray[np.int64], now: float) -> None:
    """Account for the time of several running jobs (see `settle`)."""
    for job in jobs:
        settle(s, prices, job, now)


@hot_kernel
def _note(s: State, job: int) -> None:
    """If jobs share links: a job's neighbours need new rates before time goes on."""
    if s.run[0].linked and s.job[job].servers > 1 and s.job[job].noted == 0:
        s.job[job].noted = 1
        s.changed[s.run[0].changed] = job
        s.run[0].changed += 1


@hot_kernel
def reprice(s: State, prices: Prices, job: int, now: float) -> None:
    """Recompute the rate and the next own event of a running job that started or whose row of prices is new."""
    _note(s, job)
    set_rate(s, prices, job, now)


@hot_kernel
def set_factor(s: State, prices: Prices, job: int, factor: float, now: float) -> None:
    """From now on, a running job's sending takes `factor` times as long as alone."""
    settle(s, prices, job, now)
    s.job[job].factor = factor
    set_rate(s, prices, job, now)


@hot_kernel
def speed_of(s: State, prices: Prices, job: int) -> float:
    """How many times faster than the price table says a running job's iterations are: type and number of its GPUs."""
    if prices.curve[job] >= 0:
        return s.job[job].speed * prices.speedup[prices.curve[job], s.job[job].held]
    return s.job[job].speed


@hot_kernel
def set_rate(s: State, prices: Prices, job: int, now: float) -> None:
    """Recompute a running job's rate and its next own event."""
    settle(s, prices, job, now)
    tau = stretched_s(prices, job, s.job[job].servers, s.job[job].factor, s.job[job].link)
    s.job[job].rate = prices.unit[job] * iterations_per_s(prices, job, tau / speed_of(s, prices, job))
    plan_event(s, prices, job)


@hot_kernel
def plan_event(s: State, prices: Prices, job: int) -> None:
    """Time of a job's next own event: its finish, the expiry of its row of prices or its next LAS level."""
    begin = max(s.job[job].settled, s.job[job].ready)
    left = max(min(prices.work[job], prices.until[job]) - s.job[job].done, 0.0)
    due = begin if left == 0.0 else (begin + left / s.job[job].rate if s.job[job].rate > 0.0 else np.inf)
    origin = s.run[0].origin_s
    if s.run[0].tick_s > 0.0:
        due = max(np.floor((due + origin) / s.run[0].tick_s + 0.5) * s.run[0].tick_s - origin, begin)
    s.job[job].expiry_due = np.inf
    if prices.until[job] < prices.work[job]:
        s.job[job].expiry_due = due
        s.job[job].finish_due = np.inf
    else:
        if s.run[0].whole_slots:
            due = slot_end(due, s.run[0].quantum, origin)
        s.job[job].finish_due = due
    if s.job[job].level < len(s.levels) and s.job[job].held > 0:
        attain = s.job[job].settled + (s.levels[s.job[job].level] - s.job[job].gpu_seconds) / s.job[job].held
        due = min(due, max(attain, s.job[job].settled))
    _set_event(s, job, due)


@hot_kernel
def _count_sharers(s: State, job: int) -> int:
    """Number of jobs on the busiest of the job's servers: p of SJF-BCO eq. 6, for a job that spans servers."""
    most = 0
    for row in range(s.job[job].first_row, s.job[job].first_row + s.job[job].servers):
        most = max(most, s.spanning[s.rows[row].node])
    return most


@hot_kernel
def _reprice_neighbours(s: State, prices: Prices, job: int, now: float) -> None:
    """Update p of all spanning jobs on the servers of a job that has come or gone.

    Only jobs whose p changed get a new rate, if p sets it. It can only change where p was that of this server, counted
    before the job left, or is below that of this server now.
    """
    for row in range(s.job[job].first_row, s.job[job].first_row + s.job[job].servers):
        node = s.rows[row].node
        for i in range(s.spanning[node]):
            other = s.tenants[node, i]
            if s.spanning[node] <= s.job[other].sharers != s.spanning[node] + 1:
                continue
            sharers = _count_sharers(s, other)
            if sharers != s.job[other].sharers:
                s.job[other].sharers = sharers
                if s.run[0].linked:
                    continue
                if other == job:
                    s.job[job].factor = factor_of(prices, sharers)
                else:
                    set_factor(s, prices, other, factor_of(prices, sharers), now)


@hot_kernel
def start(s: State, prices: Prices, job: int, counts: NDArray[np.int64], now: float) -> None:
    """Give a waiting job `counts[node]` GPUs of each node. The caller must ensure that they are free."""
    s.job[job].queue_s += now - s.job[job].settled
    if np.isnan(s.job[job].start_s):
        s.job[job].start_s = now
        s.job[job].ready = now + prices.launch_s[job]
    else:
        s.job[job].restarts += 1
        s.job[job].ready = now + prices.restart_s[job]
    row = s.run[0].rows
    s.job[job].first_row = row
    s.job[job].held = 0
    for node in range(len(counts)):
        if counts[node] > 0:
            s.rows[row].job, s.rows[row].node, s.rows[row].gpus = job, node, counts[node]
            s.rows[row].start_s = now
            s.free[node] -= counts[node]
            if s.is_gpu[node]:
                s.job[job].held += counts[node]
            row += 1
    nodes = s.rows.node[s.run[0].rows : row]
    s.job[job].servers, s.job[job].speed, s.job[job].link = reach(prices, nodes)
    s.run[0].rows = row
    s.job[job].phase = RUNNING
    s.job[job].settled = now
    s.job[job].sharers = 0
    s.job[job].factor = 1.0
    s.run[0].waiting -= 1
    s.run[0].busy += s.job[job].held
    if s.job[job].servers > 1:
        for r in range(s.job[job].first_row, row):
            node = s.rows[r].node
            s.tenants[node, s.spanning[node]] = job
            s.spanning[node] += 1
        _reprice_neighbours(s, prices, job, now)
    reprice(s, prices, job, now)


@hot_kernel
def _release(s: State, prices: Prices, job: int, now: float) -> None:
    settle(s, prices, job, now)
    _note(s, job)
    _remove_event(s, job)
    for row in range(s.job[job].first_row, s.job[job].first_row + s.job[job].servers):
        node = s.rows[row].node
        s.rows[row].end_s = now
        s.free[node] += s.rows[row].gpus
        if s.job[job].servers > 1:
            i = 0
            while s.tenants[node, i] != job:
                i += 1
            s.spanning[node] -= 1
            s.tenants[node, i] = s.tenants[node, s.spanning[node]]
    s.run[0].busy -= s.job[job].held
    if s.job[job].servers > 1:
        _reprice_neighbours(s, prices, job, now)
    s.job[job].held = 0


@hot_kernel
def expire(s: State, prices: Prices, job: int, now: float) -> None:
    """Bring a job to the end of the phase for which its row of prices holds; the training must then renew it."""
    settle(s, prices, job, now)
    _remove_event(s, job)
    s.job[job].done = prices.until[job]
    s.run[0].expired = job


@hot_kernel
def keep_going(s: State, prices: Prices, job: int, ready: float) -> None:
    """Turn the start of a job that was stopped at the same instant into a move without cost."""
    s.job[job].restarts -= 1
    s.job[job].moves += 1
    s.job[job].ready = ready
    plan_event(s, prices, job)


@hot_kernel
def stop(s: State, prices: Prices, job: int, now: float) -> None:
    """Take a running job's GPUs away; it keeps its progress and waits."""
    _release(s, prices, job, now)
    s.job[job].phase = WAITING
    s.run[0].waiting += 1


@hot_kernel
def finish_job(s: State, prices: Prices, job: int, now: float) -> None:
    """Finish a running job whose work is done."""
    _release(s, prices, job, now)
    if s.run[0].tick_s > 0.0:
        s.job[job].done = prices.work[job]  # its end was moved to the tick
    s.job[job].phase = FINISHED
    s.job[job].finish_s = now
    s.run[0].finished += 1
    s.heap[len(s.heap) - s.run[0].finished] = job
