"""What an agent sees and may do, in one compiled pass over the state of a run; `rarlib.env.core` describes it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.jit import hot_kernel
from rarlib.simulator.state import RUNNING, State

JOB_FEATURES = ("gpus", "remaining_s", "waited_s", "attained_gpu_s")
"""Columns of `Observation.jobs`: GPUs asked for; running time left alone; time in the system without GPUs, up to the
job's last start or stop; GPU-seconds held, up to the last start or stop of the job or of one that shares a server."""


class Desk(NamedTuple):
    """Arrays that are written again at every look; K is the number of slots.

    Attributes:
        rows: rows of the jobs in the slots, waiting ones first, then running ones, shape (2, K).
        filled: how many slots of each kind hold a job, shape (2,).
        changed: number of the pass in which each job was last started or stopped, shape (jobs,).
        share: one over the GPUs of each node, shape (nodes,).
        total: GPUs of the cluster, shape (1,).
        jobs: `Observation.jobs`, shape (2 K, 4).
        nodes: `Observation.nodes`, shape (nodes,).
        counts: `Observation.counts`, shape (3,).
        allowed: whether each action is allowed, shape (2 K + 1,).
    """

    rows: NDArray[np.int64]
    filled: NDArray[np.int64]
    changed: NDArray[np.int64]
    share: NDArray[np.float64]
    total: NDArray[np.int64]
    jobs: NDArray[np.float32]
    nodes: NDArray[np.float32]
    counts: NDArray[np.float32]
    allowed: NDArray[np.bool_]


def new_desk(jobs: int, cluster: Cluster, slots: int) -> Desk:
    """Arrays for a run of so many jobs, before its first pass."""
    return Desk(
        rows=np.zeros((2, slots), np.int64),
        filled=np.zeros(2, np.int64),
        changed=np.full(jobs, -1),
        share=1.0 / cluster.gpus,
        total=np.array([cluster.total_gpus]),
        jobs=np.zeros((2 * slots, len(JOB_FEATURES)), np.float32),
        nodes=np.zeros(cluster.nodes, np.float32),
        counts=np.zeros(3, np.float32),
        allowed=np.zeros(2 * slots + 1, np.bool_),
    )


@hot_kernel
def fill_desk(s: State, d: Desk, over: bool) -> None:
    """Write `jobs`, `nodes`, `counts` and `allowed` of a desk, from its `rows`, `filled` and `changed`."""
    slots = d.rows.shape[1]
    running = s.run[0].arrived - s.run[0].finished - s.run[0].waiting
    more = s.run[0].arrived < len(s.job)
    for kind in range(2):
        may_stop = running > 1 or more
        for slot in range(slots):
            at = kind * slots + slot
            if slot >= d.filled[kind]:
                d.jobs[at, 0] = d.jobs[at, 1] = d.jobs[at, 2] = d.jobs[at, 3] = 0.0
                d.allowed[1 + at] = False
                continue
            job = d.rows[kind, slot]
            d.jobs[at, 0] = s.job[job].gpus
            d.jobs[at, 1] = max(_work_left(s, job), 0.0) / s.job[job].alone_rate
            d.jobs[at, 2] = s.job[job].queue_s
            d.jobs[at, 3] = s.job[job].gpu_seconds
            possible = s.job[job].gpus <= d.total[0] - s.run[0].busy if kind == 0 else may_stop
            d.allowed[1 + at] = possible and d.changed[job] != s.run[0].passes and not over
    d.allowed[0] = (running > 0 or more or s.run[0].waiting == 0) and not over
    d.counts[0], d.counts[1], d.counts[2] = s.run[0].waiting, running, len(s.job) - s.run[0].arrived
    for node in range(len(d.nodes)):
        d.nodes[node] = s.free[node] * d.share[node]


@hot_kernel
def _work_left(s: State, job: int) -> float:
    moving = 0.0
    if s.job[job].phase == RUNNING:
        moving = max(s.run[0].now - max(s.job[job].settled, s.job[job].ready), 0.0)
    return s.job[job].work - (s.job[job].done + moving * s.job[job].rate)
