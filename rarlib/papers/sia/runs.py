"""One run of Sia's evaluation, and the metrics of the paper.

Every policy sees the same jobs, the same true speeds and the same restart delays. As in the authors' simulator, rounds
begin at multiples of their length on the clock of the workload file, jobs end at whole seconds, and moving a gang to
other nodes of the same type and shape is free.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import Conventions, simulate
from rarlib.simulator.run import Run

_HOUR = 3600.0

CLUSTERS = {
    "heterogeneous": "t4:6x4,a100:2x8,rtx:3x8",
    "homogeneous": "t4:16x4",
    "testbed": "a100:2x8,quad:1x4,rtx:3x8",
}
"""64 GPUs, but 44 in the testbed; types in the order of the authors' names (aws, dgx-ext, ...), which breaks ties."""

ROUND_S = {"gavel": 360.0, "themis": 360.0, "shockwave": 360.0}
"""Seconds of a round where not the 60 s of Sia and Pollux. For Shockwave we chose that of other rigid policies."""

AS_CODED: dict[tuple[str, str], dict[str, Any]] = {
    ("gavel", "heterogeneous"): {"phantom_rate": 0.1},
    ("gavel", "homogeneous"): {"phantom_rate": 0.1},
    ("gavel", "testbed"): {"phantom_rate": 0.1},
    ("themis", "homogeneous"): {"phantom_rate": 0.1},
    # Two queues, the second from 16 GPU-hours on, in their physical cluster; they print no result of it.
    ("tiresias", "homogeneous"): {"thresholds": (16.0 * _HOUR,)},
    # Their simulator of one GPU type creates Sia's jobs without the batch size that users requested.
    ("sia", "homogeneous"): {"batch_limit": "largest"},
}
"""By scheduler and cluster: parameters of the authors' code that are not our defaults."""

_Metric = tuple[str, float, str]
"""Name, value, unit."""


class Case(NamedTuple):
    """A run: jobs on a cluster under a scheduler, with rounds of some length (seconds)."""

    jobs: Jobs
    cluster: str
    scheduler: str
    params: Mapping[str, Any]
    round_s: float


def simulate_case(case: Case, profiles: Profiles) -> Run:
    """Run one case."""
    params = {**AS_CODED.get((case.scheduler, case.cluster), {}), **case.params}
    if "round_s" in parameters(scheduler_class(case.scheduler)):
        params["round_s"] = case.round_s
    return simulate(
        case.jobs,
        Cluster.parse(CLUSTERS[case.cluster]),
        make_scheduler(case.scheduler, params),
        GoodputCost(profiles),
        quantum=case.round_s,
        conventions=Conventions(origin_s=case.jobs.origin_s, tick_s=1.0, free_moves=True),
    )


def crowd(run: Run, round_s: float) -> NDArray[np.int64]:
    """Jobs in the system at the end of every round until all are done, shape (rounds,)."""
    origin = run.jobs.origin_s
    ends = np.arange(1, np.ceil((run.makespan_s + origin) / round_s) + 1) * round_s - origin
    here = np.searchsorted(run.jobs.submit_s, ends + 1e-6, side="right")
    return here - np.searchsorted(np.sort(run.finish_s), ends + 1e-6, side="right")


def p99(jct_h: NDArray[np.float64]) -> float:
    """Element floor(0.99 n) of the sorted times, as the authors compute it."""
    return float(np.sort(jct_h)[int(0.99 * len(jct_h))])


def measure(run: Run, round_s: float) -> list[_Metric]:
    """The columns of Tables 3 and 4 for one workload file; mean contention is over rounds with jobs."""
    jct_h = run.turnaround_s / _HOUR
    jobs = crowd(run, round_s)
    return [
        ("avg_jct", float(jct_h.mean()), "h"),
        ("median_jct", float(np.median(jct_h)), "h"),
        ("p99_jct", p99(jct_h), "h"),
        ("makespan", run.makespan_s / _HOUR, "h"),
        ("gpu_hours", float(run.gpu_seconds.mean()) / _HOUR, "GPU h"),
        ("restarts", float(run.restarts.mean()), "1"),
        ("contention_mean", float(jobs[jobs > 0].mean()), "jobs"),
        ("contention_max", float(jobs.max()), "jobs"),
    ]


def pooled(runs: list[tuple[Run, float]]) -> list[_Metric]:
    """What the tables pool over all workload files: 99th percentile and largest contention."""
    jct_h = np.concatenate([run.turnaround_s for run, _ in runs]) / _HOUR
    return [
        ("p99_jct_pooled", p99(jct_h), "h"),
        ("contention_max_pooled", float(max(crowd(run, round_s).max() for run, round_s in runs)), "jobs"),
    ]
