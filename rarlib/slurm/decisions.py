"""A scheduler of ours asked at every instant of a Slurm's history: which jobs would it start now, and where?

A small delay changes which of two jobs comes first, and from then on two schedules have little in common although both
follow the same rules. So decisions are compared one by one, each in the situation that Slurm was in.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement, Start
from rarlib.model.jobs import Job
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Running, Scheduler
from rarlib.slurm.history import History
from rarlib.slurm.window import Window

_BURST_S = 0.3
"""Starts that follow one another this closely belong to one look at the queue."""


class Situation:
    """The part of `rarlib.model.scheduler.View` that schedulers without predictions of their own read.

    Args:
        now_s: present time.
        waiting: jobs that hold nothing, in submission order.
        running: jobs that hold GPUs, in submission order.
        cluster: the cluster.
        prices: the price table.
    """

    def __init__(
        self, now_s: float, waiting: Sequence[Job], running: Sequence[Running], cluster: Cluster, prices: Prices
    ) -> None:
        self.now_s, self.waiting, self.running = now_s, waiting, running
        self.cluster, self.prices = cluster, prices
        self.rng = np.random.default_rng(0)

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of each node, shape (nodes,)."""
        free = self.cluster.gpus.copy()
        for each in self.running:
            for node, gpus in each.placement:
                free[node] -= gpus
        return free


class Judged(NamedTuple):
    """What our scheduler says of each start of a Slurm, each of shape (jobs,).

    Attributes:
        wanted_s: when it would have started the job for the first time, in the situations that Slurm was in up to the
            job's start; nan if it would not have.
        same_gpus: whether it would have chosen the same GPUs of the same servers at the moment of the start.
    """

    wanted_s: NDArray[np.float64]
    same_gpus: NDArray[np.bool_]


def judge_decisions(window: Window, history: History, scheduler: Scheduler) -> Judged:
    """Ask a scheduler at every submission and end, and just before every start.

    Args:
        window: jobs and cluster.
        history: what a Slurm did with them.
        scheduler: one whose decisions do not depend on earlier passes.
    """
    jobs, base_s = window.jobs.rows, history.zero_s % 3600.0
    prices = TraceCost().price(window.jobs, window.cluster)
    wanted, same = np.full(len(jobs), np.nan), np.zeros(len(jobs), np.bool_)
    starts = np.sort(history.start_s)
    bursts = starts[np.diff(starts, prepend=-np.inf) > _BURST_S]
    instants = np.unique(np.concatenate([history.submit_s, history.end_s, bursts]))
    for now_s in instants:
        waiting = [job for job in jobs if history.submit_s[job.row] <= now_s <= history.start_s[job.row]]
        running = [
            Running(job, history.placement[job.row], base_s + float(history.start_s[job.row]))
            for job in jobs
            if history.start_s[job.row] < now_s < history.end_s[job.row]
        ]
        view: Any = Situation(base_s + float(now_s), waiting, running, window.cluster, prices)
        for decision in scheduler.decide(view):
            if isinstance(decision, Start):
                row = decision.job
                wanted[row] = np.fmin(wanted[row], now_s)
                if history.start_s[row] - now_s <= _BURST_S:
                    same[row] = _same(decision.placement, history.placement[row])
    return Judged(wanted, same)


def _same(ours: Placement, theirs: Placement) -> bool:
    return sorted(ours) == sorted(theirs)
