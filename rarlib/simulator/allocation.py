"""Carrying out a decision on all jobs at once (`rarlib.model.decisions.Allocation`)."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices
from rarlib.simulator import progress
from rarlib.simulator.state import RUNNING, State


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
    """Stop the jobs that run, then start those that are given GPUs. The caller must ensure that they fit."""
    for job in jobs:
        if s.job[job].phase == RUNNING:
            progress.stop(s, prices, job, now)
    for i in range(len(jobs)):
        some = False
        for node in range(gpus.shape[1]):
            some = some or gpus[i, node] > 0
        if some:
            progress.start(s, prices, jobs[i], gpus[i], now)
