"""A scheduler of ours is asked at every instant of a Slurm's history which jobs it would start now, and where.

A small delay changes which of two jobs comes first, and from then on two schedules have little in common although both
follow the same rules. So decisions are compared one by one, each in the situation that Slurm was in.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifact.slurm.excerpt import Excerpt
from artifact.slurm.history import History
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start
from rarlib.model.jobs import Job
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Running, Scheduler

_BURST_S = 0.3
"""Starts that follow one another this closely belong to one look at the queue."""


class Situation:
    """The part of `rarlib.model.scheduler.View` that schedulers without predictions of their own read."""

    def __init__(
        self, now_s: float, waiting: Sequence[Job], running: Sequence[Running], cluster: Cluster, prices: Prices
    ) -> None:
        self.now_s, self.waiting, self.running = now_s, waiting, running
        self.cluster, self.prices = cluster, prices
        self.rng = np.random.default_rng(0)

    @cached_property
    def waiting_rows(self) -> NDArray[np.int64]:
        """Rows of the waiting jobs, ascending."""
        return np.array([job.row for job in self.waiting], dtype=np.int64)

    def job(self, row: int) -> Job:
        """A waiting job by its row."""
        return self.waiting[int(np.searchsorted(self.waiting_rows, row))]

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of each node, shape (nodes,)."""
        free = self.cluster.gpus.copy()
        for each in self.running:
            for node, gpus in each.placement:
                free[node] -= gpus
        return free


class Agreement(NamedTuple):
    """What our schedulers say of each start of a Slurm, each of shape (jobs,).

    Attributes:
        wanted_s: when they would have started the job for the first time, in the situations that Slurm was in up to the
            job's start; nan if they would not have.
        same_gpus: whether they would have chosen the same GPUs of the same servers at the moment of the start.
    """

    wanted_s: NDArray[np.float64]
    same_gpus: NDArray[np.bool_]


def judge_decisions(excerpt: Excerpt, history: History, in_order: Scheduler, at_looks: Scheduler) -> Agreement:
    """Ask at every submission and end, and just before every start, what starts in order, and at every look what else.

    `in_order` is the scheduler that Slurm asks after every event, so its decisions must not depend on earlier passes;
    `at_looks` the one that it asks once in an interval.
    """
    starts = np.sort(history.start_s)
    bursts = starts[np.diff(starts, prepend=-np.inf) > _BURST_S]
    instants = [(float(at), in_order) for each in (history.submit_s, history.end_s, bursts) for at in each]
    instants += [(float(at), at_looks) for at in history.looks_s]
    n, prices = len(excerpt.jobs), TraceCost().price(excerpt.jobs, excerpt.cluster)
    wanted, same = np.full(n, np.nan), np.zeros(n, np.bool_)
    for now_s, scheduler in sorted(instants, key=lambda instant: instant[0]):
        view: Any = _situation(excerpt, history, prices, now_s)
        for decision in scheduler.decide(view):
            if isinstance(decision, Start):
                row = decision.job
                wanted[row] = np.fmin(wanted[row], now_s)
                if history.start_s[row] - now_s <= _BURST_S:
                    same[row] = sorted(decision.placement) == sorted(history.placement[row])
    return Agreement(wanted, same)


def _situation(excerpt: Excerpt, history: History, prices: Prices, now_s: float) -> Situation:
    """Slurm's situation, on a clock whose minutes are those of the machine's: Slurm counts windows of ends on it."""
    jobs, base_s = excerpt.jobs.rows, history.zero_s % 3600.0
    waiting = [job for job in jobs if history.submit_s[job.row] <= now_s <= history.start_s[job.row]]
    running = [
        Running(job, history.placement[job.row], base_s + float(history.start_s[job.row]))
        for job in jobs
        if history.start_s[job.row] < now_s < history.end_s[job.row]
    ]
    return Situation(base_s + now_s, waiting, running, excerpt.cluster, prices)
