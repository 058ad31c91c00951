"""Whether a gang may start where a scheduler wants it to, and decisions on all jobs at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement
from rarlib.model.jit import hot_kernel
from rarlib.model.jobs import Job
from rarlib.model.prices import Prices
from rarlib.simulator import progress
from rarlib.simulator.state import RUNNING, State


def checked_placement(state: State, job: Job, placement: Placement) -> NDArray[np.int64]:
    """GPUs that a gang takes on each node, shape (nodes,).

    Raises:
        ValueError: naming the rule that the placement breaks.
    """
    free = state.free
    counts, total = np.zeros(len(free), np.int64), 0
    for node, gpus in placement:
        if not (is_whole(node) and 0 <= node < len(free)):
            raise ValueError(f"job {job.job_id}: there is no node {node}")
        if not (is_whole(gpus) and gpus >= 1) or counts.item(node):
            raise ValueError(f"job {job.job_id}: node {node} must appear once, with whole GPUs, at least 1")
        if gpus > free.item(node):
            raise ValueError(f"job {job.job_id}: node {node} has {free[node]} GPUs free, {gpus} requested")
        counts[node] = gpus
        if state.is_gpu.item(node):
            total += int(gpus)
    if not job.min_gpus <= total <= job.max_gpus:
        rule = f"{job.min_gpus}" if job.min_gpus == job.max_gpus else f"{job.min_gpus} to {job.max_gpus}"
        raise ValueError(f"job {job.job_id}: gang of {rule} GPUs, {total} given")
    return counts


def is_whole(number: Any) -> bool:
    """Whether this is an integer and no truth value."""
    return type(number) is int or (isinstance(number, int | np.integer) and not isinstance(number, bool))


@hot_kernel
def _holds(s: State, job: int, counts: NDArray[np.int64]) -> bool:
    """Whether a job holds exactly `counts[node]` GPUs of each node."""
    left = 0
    for node in range(len(counts)):
        left += counts[node]
    if s.job[job].phase != RUNNING:
        return left == 0
    for row in range(s.job[job].first_row, s.job[job].first_row + s.job[job].servers):
        if s.rows[row].gpus != counts[s.rows[row].node]:
            return False
        left -= s.rows[row].gpus
    return left == 0


@hot_kernel
def find_changed(s: State, jobs: NDArray[np.int64], gpus: NDArray[np.int64], changed: NDArray[np.bool_]) -> None:
    """Fill `changed`, shape (n,): whether a job's GPUs differ from those it should hold, `gpus`, shape (n, nodes)."""
    for i in range(len(jobs)):
        changed[i] = not _holds(s, jobs[i], gpus[i])


@hot_kernel
def carry_out(s: State, prices: Prices, jobs: NDArray[np.int64], gpus: NDArray[np.int64], now: float) -> None:
    """Carry out a decision on all jobs at once (`rarlib.model.decisions.Allocation`), which must fit."""
    for job in jobs:
        if s.job[job].phase == RUNNING:
            progress.stop(s, prices, job, now)
    for i in range(len(jobs)):
        some = False
        for node in range(gpus.shape[1]):
            some = some or gpus[i, node] > 0
        if some:
            progress.start(s, prices, jobs[i], gpus[i], now)
