"""Why did my job wait? Each job's turnaround, split completely into parts.

    turnaround = waiting for GPUs + for consolidation + for the next round + behind others        (in the queue)
                 + restarts + per-server overhead + contention + running                          (holding GPUs)

A second in the queue belongs to the first of these cases that applies:

1. waiting for GPUs: fewer GPUs are free than the job's gang needs (`Record.gangs`).
2. fragmentation: enough GPUs are free, but not of one type although the scheduler does not mix types
   (`Record.type_of`), or not on as few servers as the placement rule demands (`consolidate`; the other rules take any
   free GPUs).
3. next round: the gang fits, but no scheduling pass has taken place since it began to fit (only with a quantum).
4. order: the gang fits, but the scheduler passed the job over (blocked head of the queue, reserved GPUs, another job
   preferred).

All gangs of one size see the same free GPUs, so the seconds of each case are summed once per size, and each wait is a
difference of two such sums: the cost is jobs + sizes x events. CPU task slots are not counted.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.records.availability import Availability, availability
from rarlib.records.read import Record

TURNAROUND_PARTS = {
    "wait_gpus_s": "waiting for GPUs",
    "wait_fragmentation_s": "fragmentation",
    "wait_round_s": "next round",
    "wait_order_s": "behind others",
    "restart_s": "restarts",
    "server_overhead_s": "per-server overhead",
    "contention_s": "contention",
    "running_s": "running",
}
"""Columns of the decomposition and their labels, in the order of a stacked bar."""

WAITS = tuple(TURNAROUND_PARTS)[:4]


def decompose(record: Record) -> pd.DataFrame:
    """The decomposition, one row per job in the order of jobs.csv: job_id, gpus, turnaround_s, `TURNAROUND_PARTS` (s).

    The parts add up to the turnaround: up to rounding for a run in memory, up to a few microseconds for one read from
    files.
    """
    jobs, clock = record.jobs, availability(record)
    job, start, end = waiting_intervals(record)
    parts = {name: np.zeros(len(jobs)) for name in WAITS}
    gangs = record.gangs[job]
    for gang in np.unique(gangs):
        mine = np.flatnonzero(gangs == gang)
        for name, seconds in zip(WAITS, _split(clock, int(gang), start[mine], end[mine]), strict=True):
            parts[name] += np.bincount(job[mine], seconds, len(jobs))
    holds = record.holds
    held = np.bincount(holds["job"], holds["end_s"] - holds["start_s"], len(jobs))
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "gpus": jobs["gpus"],
            "turnaround_s": jobs["finish_s"] - jobs["submit_s"],
            **parts,
            "restart_s": jobs["restart_s"],
            "server_overhead_s": jobs["overhead_s"] - jobs["restart_s"],
            "contention_s": jobs["contention_s"],
            "running_s": held - jobs["contention_s"] - jobs["overhead_s"],
        }
    )


def idle_but_fragmented(record: Record) -> float:
    """GPU-seconds idle while the gang of at least one waiting job does not fit, by number or by placement."""
    clock = availability(record)
    job, start, end = waiting_intervals(record)
    gangs, stuck = record.gangs[job], np.zeros(len(clock.times) - 1, np.bool_)
    for gang in np.unique(gangs):
        mine = gangs == gang
        change = np.zeros(len(clock.times), np.int64)
        np.add.at(change, np.searchsorted(clock.times, start[mine]), 1)
        np.add.at(change, np.searchsorted(clock.times, end[mine]), -1)
        stuck |= (np.cumsum(change)[:-1] > 0) & ~clock.fits(int(gang))[:-1]
    return float((np.diff(clock.times) * clock.free[:-1])[stuck].sum())


def waiting_intervals(record: Record) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Intervals in which a job is in the system without GPUs: job, start, end; by job, then time; none is empty."""
    jobs, holds = record.jobs, record.holds
    everyone = np.arange(len(jobs))
    job = np.concatenate([everyone, holds["job"]])
    start = np.concatenate([jobs["submit_s"], holds["end_s"]])
    end = np.concatenate([holds["start_s"], jobs["finish_s"]])
    owner = np.concatenate([holds["job"], everyone])
    starts, ends = np.lexsort((start, job)), np.lexsort((end, owner))
    job, start, end = job[starts], start[starts], end[ends]
    wait = end > start
    return job[wait], start[wait], end[wait]


def _split(
    clock: Availability, gang: int, start: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Seconds of each of `WAITS` in the waits from `start` to `end` of jobs with one gang size."""
    enough, fits = (clock.free >= gang)[:-1], clock.fits(gang)[:-1]
    first, last = np.searchsorted(clock.times, start), np.searchsorted(clock.times, end)
    seconds = np.diff(clock.times)
    short, fragmented, fitting = (
        total[last] - total[first]
        for total in (np.concatenate([[0.0], np.cumsum(seconds * kind)]) for kind in (~enough, enough & ~fits, fits))
    )
    before_pass = _before_pass(clock, fits, start, end)
    return short, fragmented, before_pass, fitting - before_pass


def _before_pass(
    clock: Availability, fits: NDArray[np.bool_], start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Seconds of each wait in which the gang fits, but no pass has taken place since it began to wait and fit."""
    change = np.diff(np.concatenate([[False], fits, [False]]).astype(np.int8))
    begins, ends = clock.times[change == 1], clock.times[change == -1]
    if not len(begins):
        return np.zeros(len(start))
    acts = np.minimum(clock.next_pass(begins), ends)
    total = np.concatenate([[0.0], np.cumsum(acts - begins)])
    first, last = np.searchsorted(begins, start), np.searchsorted(begins, end)
    beyond = np.where(last > first, np.maximum(acts[last - 1] - end, 0.0), 0.0)
    # The gang may have fitted already when the job began to wait.
    since = np.minimum(np.minimum(ends[first - 1], clock.next_pass(start)), end)
    already = np.where(first > 0, np.maximum(since - start, 0.0), 0.0)
    return total[last] - total[first] - beyond + already
