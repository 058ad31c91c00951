"""Identities that every run must satisfy, whatever the scheduler did.

The two sides of each identity are computed independently: one from the allocation rows, the other from what the event
loop accumulated (per job, and as integrals over time). The cost is a few passes over the rows.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel

_RELATIVE = 1e-9
_OF_SPAN = 1e-11
"""Rounding error allowed, relative to the value itself and to the time of the last finish (times have 53 bits)."""

_HELD_UP = 1e-6
"""Share of its capacity that a link may carry above it: jobs on links compute that share of their sending at least."""

_BLOCK = 1 << 16
"""Jobs compared at once, so that a check of millions of jobs needs little memory."""


class _Rows(NamedTuple):
    """Allocation rows of a run, shape (rows,)."""

    job: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    node: NDArray[np.int64]
    gpus: NDArray[np.int64]


class IdentityError(AssertionError):
    """A run contradicts itself. The message gives the identity, the job or node, and the values."""


def check_identities(run: Any, hold_s: float = 0.0, until_s: float = np.inf) -> None:
    """Check all identities of a run.

    Args:
        run: a `rarlib.simulator.run.Run`, or anything with its arrays. The rows of one holding interval stand
            together with nodes ascending, and the intervals of a job follow each other in time.
        hold_s: seconds a job may keep its GPUs after its work is done (the length of a slot, when slots are whole).
        until_s: when the run ended, even if jobs were left; inf: it ended with its last job.

    Raises:
        IdentityError: for the first identity that does not hold.
    """
    rows = _Rows(run.alloc_job, run.alloc_start, run.alloc_end, run.alloc_node, run.alloc_gpus)
    _times(run)
    whole, run = run, _closed(run, until_s) if np.isfinite(until_s) else run
    _capacity(run, rows)
    if len(run.prices.gbps):
        _reserved(run, rows)
    held_s = _gangs(run, rows)
    counted = np.bincount(rows.job, (rows.end - rows.start) * rows.gpus * run.cluster.is_gpu[rows.node], len(run.jobs))
    _equal(run, "GPU-seconds = sum over allocations", run.gpu_seconds, counted)
    _work(whole, hold_s)
    turnaround = run.finish_s - run.jobs.submit_s
    _equal(run, "waiting + holding GPUs = turnaround", run.queue_s + held_s, turnaround)
    parts = run.queue_s + run.useful_s + run.contention_s + run.overhead_s
    _equal(run, "queue + useful + contention + overhead = turnaround", parts, turnaround)
    if run.links is not None:
        _fabric(whole)
    if run.finished.all():
        _little(run, turnaround)


def _closed(run: Any, until_s: float) -> Any:
    """The run with every job leaving no later than the end of the run (a job submitted later leaves when submitted)."""
    ends = np.where(run.finished, run.finish_s, np.maximum(until_s, run.jobs.submit_s))
    return replace(run, finished=np.ones(len(run.jobs), np.bool_), finish_s=ends)


def _times(run: Any) -> None:
    ordered = (run.jobs.submit_s <= run.start_s) & (run.start_s <= run.finish_s)
    job = _first(run.finished & ~ordered)
    if job >= 0:
        raise IdentityError(
            f"submission <= start <= finish: {_name(run, job)}: "
            f"{run.jobs.submit_s[job]}, {run.start_s[job]}, {run.finish_s[job]}"
        )


def _capacity(run: Any, rows: _Rows) -> None:
    """No GPU is held twice: at any time, the jobs on a node hold no more GPUs than the node has."""
    starts, ends = np.argsort(rows.start, kind="stable"), np.argsort(rows.end, kind="stable")
    row, held = _overfull(rows, starts, ends, run.cluster.gpus)
    if row >= 0:
        node = int(rows.node[row])
        has = run.cluster.gpus[node] if 0 <= node < run.cluster.nodes else 0
        raise IdentityError(
            f"capacity: {_name(run, rows.job[row])} brings node {node} to {held} GPUs of {has} at {rows.start[row]} s"
        )


@kernel
def _overfull(
    rows: _Rows, starts: NDArray[np.int64], ends: NDArray[np.int64], capacity: NDArray[np.int64]
) -> tuple[int, int]:
    """First row that exceeds its node's capacity, and the GPUs held there, or (-1, 0). Empty intervals hold nothing."""
    used = np.zeros(len(capacity), np.int64)
    e = 0
    for row in starts:
        node, gpus, begin = rows.node[row], rows.gpus[row], rows.start[row]
        if node < 0 or node >= len(capacity) or gpus < 1 or not rows.end[row] >= begin:
            return row, gpus
        while rows.end[ends[e]] <= begin:
            if rows.end[ends[e]] > rows.start[ends[e]]:
                used[rows.node[ends[e]]] -= rows.gpus[ends[e]]
            e += 1
        if rows.end[row] > begin:
            used[node] += gpus
            if used[node] > capacity[node]:
                return row, used[node]
    return -1, 0


def _reserved(run: Any, rows: _Rows) -> None:
    """Reserved bandwidth: rings that run at the same time fit on every link and uplink that they use."""
    follows = (np.diff(rows.job) == 0) & (np.diff(rows.start) == 0) & (np.diff(rows.node) > 0)
    ring = np.concatenate([[0], np.cumsum(~follows)])[: len(rows.job)]
    nodes, racks = run.cluster.nodes, len(run.cluster.rack_gbps)
    by_rack = np.unique(ring * racks + run.cluster.rack[rows.node], return_index=True)[1]
    capacity = np.concatenate([np.broadcast_to(run.cluster.node_gbps, nodes), run.cluster.rack_gbps])
    users, places = [], []
    for part, place in (
        (np.arange(len(ring)), rows.node),
        (by_rack, nodes + run.cluster.rack[rows.node]),
    ):
        several = np.bincount(ring[part], minlength=len(ring))[ring[part]] > 1
        users.append(part[several])
        places.append(place[part[several]])
    row, place = np.concatenate(users), np.concatenate(places)
    gbps = run.prices.gbps[rows.job[row]]
    time = np.concatenate([rows.end[row], rows.start[row]])
    change, where = np.concatenate([-gbps, gbps]), np.concatenate([place, place])
    order = np.lexsort((change, time, where))  # at equal times, rings that end release their bandwidth first
    load, limit = np.cumsum(change[order]), capacity[where[order]]
    over = _first(load > limit * (1.0 + _RELATIVE) + _RELATIVE * max(1.0, float(gbps.sum())))
    if over >= 0:
        at = int(where[order[over]])
        name = f"link of node {at}" if at < nodes else f"uplink of rack {at - nodes}"
        raise IdentityError(
            f"reserved bandwidth: {name} has {limit[over]} Gbit/s, {load[over]} are reserved at {time[order[over]]} s"
        )


def _fabric(run: Any) -> None:
    """No link of a fabric carries more than it can, and the jobs' contention is that of the links they waited for."""
    span = float(run.counters["end_s"]) - float(run.jobs.submit_s.min(initial=np.inf))
    over = _first(run.links["carried_s"].to_numpy() > span * (1.0 + _HELD_UP) + _OF_SPAN * _span(run))
    if over >= 0:
        link, carried_s = run.links["link"][over], run.links["carried_s"][over]
        raise IdentityError(f"capacity of links: {link} carried {carried_s} s of what it can carry in {span} s")
    by_link, by_job = float(run.links["contention_s"].sum()), float(run.contention_s.sum())
    if not abs(by_link - by_job) <= _RELATIVE * abs(by_job) + _OF_SPAN * _span(run) * len(run.jobs):
        raise IdentityError(f"contention by link: {by_link} s over all links are not the {by_job} s of all jobs")


def _gangs(run: Any, rows: _Rows) -> NDArray[np.float64]:
    """Gangs are whole in every interval, and intervals do not overlap; returns the seconds that each job held GPUs."""
    intervals = np.zeros(len(run.jobs), np.int64)
    last, held_s = run.jobs.submit_s.copy(), np.zeros(len(run.jobs))
    gpus = rows._replace(gpus=np.where(run.cluster.is_gpu[rows.node], rows.gpus, 0))
    row, held = _broken_gang(gpus, run.jobs.min_gpus, run.jobs.max_gpus, intervals, last, held_s)
    if row >= 0:
        job = rows.job[row]
        raise IdentityError(
            f"gangs whole: {_name(run, job)} holds {held} GPUs from {rows.start[row]} s; it takes "
            f"{run.jobs.min_gpus[job]} to {run.jobs.max_gpus[job]}, and none before {last[job]} s"
        )
    _equal(run, "last allocation ends by the finish", np.maximum(last, run.finish_s), run.finish_s)
    starts = 1 + run.restarts + run.moves
    _equal(run, "intervals <= 1 + restarts + moves", np.maximum(intervals, starts), starts)
    return held_s


@kernel
def _broken_gang(
    rows: _Rows,
    fewest: NDArray[np.int64],
    most: NDArray[np.int64],
    intervals: NDArray[np.int64],
    last: NDArray[np.float64],
    held_s: NDArray[np.float64],
) -> tuple[int, int]:
    """First row of an interval that violates this, and its GPUs, or (-1, 0); fills the last three arrays by job."""
    row = 0
    while row < len(rows.job):
        job, begin, end, first, held = rows.job[row], rows.start[row], rows.end[row], row, 0
        while row < len(rows.job) and rows.job[row] == job and rows.start[row] == begin and rows.end[row] == end:
            if row > first and rows.node[row] <= rows.node[row - 1]:
                break
            held += rows.gpus[row]
            row += 1
        if held < fewest[job] or held > most[job] or begin < last[job]:
            return first, held
        intervals[job] += 1
        last[job] = end
        held_s[job] += end - begin
    return -1, 0


def _work(run: Any, hold_s: float) -> None:
    """Finished jobs did the work requested, and at most the work of one slot more."""
    speed = run.prices.node_speed.max() * max(1.0, run.prices.speedup.max())
    fastest = speed * run.prices.unit / np.maximum(run.prices.base_s, 1e-9)
    clock = _OF_SPAN * _span(run) * fastest
    excess = np.clip(run.work_done - run.prices.work, 0.0, hold_s * fastest)
    _equal(run, "work done = work asked", run.work_done - excess, run.prices.work, clock)


def _little(run: Any, turnaround: NDArray[np.float64]) -> None:
    """Little's law on the sample path: integrals over time = sums over jobs."""
    for name, integral, total in (
        ("jobs in the system", "area_system", turnaround.sum()),
        ("jobs waiting", "area_waiting", run.queue_s.sum()),
        ("busy GPUs", "area_busy_gpus", run.gpu_seconds.sum()),
    ):
        left = float(run.counters[integral])
        if not abs(left - total) <= _RELATIVE * abs(total) + _OF_SPAN * _span(run):
            raise IdentityError(f"Little's law: integral of {name} over time {left} is not the sum over jobs {total}")


def _equal(run: Any, identity: str, left: Any, right: Any, slack: Any = 0.0) -> None:
    span, slack = _OF_SPAN * _span(run), np.broadcast_to(slack, len(right))
    for begin in range(0, len(right), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        tolerance = _RELATIVE * np.abs(right[rows]) + span + slack[rows]
        bad = _first(run.finished[rows] & ~(np.abs(left[rows] - right[rows]) <= tolerance))
        if bad >= 0:
            job = begin + bad
            raise IdentityError(f"{identity}: {_name(run, job)}: {left[job]} is not {right[job]}")


def _span(run: Any) -> float:
    return float(max(1.0, np.max(run.finish_s, initial=0.0, where=run.finished)))


def _first(bad: NDArray[np.bool_]) -> int:
    return int(np.argmax(bad)) if bad.any() else -1


def _name(run: Any, job: Any) -> str:
    return f"job {run.jobs.job_id[job]}"
