"""One run of Sia's evaluation, and the metrics of the paper.

Every policy sees the same jobs, the same true speeds and the same restart delays. As in the authors' simulator, rounds
begin at multiples of their length on the clock of the workload file, jobs end at whole seconds, and moving a gang to
other nodes of the same type and shape is free.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import TYPES, gpu_type
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.cluster import CPU, Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.limits import PASSES
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

RIGID = ("gavel", "themis", "shockwave")
"""Policies under which a job has the GPUs and the batch size that its user requested."""

_AS_CODED: dict[str, dict[str, Any]] = {
    "gavel": {"phantom_rate": 0.1},
    "themis": {"phantom_rate": 0.1},
    # Fair times grow while jobs wait; their regulariser of 1e-9 per second is nothing.
    "shockwave": {"fair": "age", "k": 0.0, "replan": "rounds", "unsolved": "longest"},
    # Two queues, the second from 16 GPU-hours on, in their physical cluster; they print no result of it.
    "tiresias": {"thresholds": (16.0 * _HOUR,)},
}


def as_coded(scheduler: str, gpu_types: int) -> dict[str, Any]:
    """Parameters of the authors' code that are not our defaults, for a scheduler on so many GPU types."""
    if scheduler == "sia" and gpu_types == 1:
        # Their simulator of one GPU type creates Sia's jobs without the batch size that users requested.
        return {"batch_limit": "largest"}
    return dict(_AS_CODED.get(scheduler, {}))


def round_s(scheduler: str) -> float:
    """Seconds of a round."""
    return ROUND_S.get(scheduler, 60.0)


def conventions(jobs: Jobs) -> Conventions:
    """Those of the authors' simulator."""
    return Conventions(origin_s=jobs.origin_s, tick_s=1.0, free_moves=True)


def in_their_order(cluster: Cluster) -> Cluster:
    """The nodes in the order of the authors' names of the types (aws, azure, dgx-ext, ...), which breaks their ties."""
    ours = [kind for kind in dict.fromkeys(cluster.gpu_type) if kind != CPU]
    return cluster.numbered(sorted(ours, key=lambda kind: TYPES[gpu_type(kind)]))


_Metric = tuple[str, float, str]
"""Name, value, unit."""


class Case(NamedTuple):
    """A run: jobs on a cluster under a scheduler, with rounds of some length (seconds); `seed` is the scheduler's.

    `cluster` is a name in `CLUSTERS` or a specification such as `t4:16x4`.
    """

    jobs: Jobs
    cluster: str
    scheduler: str
    params: Mapping[str, Any]
    round_s: float
    seed: int = 0


def machines(cluster: str) -> Cluster:
    """The nodes of a cluster, given by its name in `CLUSTERS` or by a specification.

    Raises:
        InputError: a specification that cannot be read.
    """
    try:
        return Cluster.parse(CLUSTERS.get(cluster, cluster), as_written=True)
    except InputError as error:
        raise InputError(error.rule, field="cluster") from None


@lru_cache(1)
def as_measured(profiles: Profiles) -> GoodputCost:
    """The authors' simulator knows what was measured, and no more. Runs share tables of times."""
    return GoodputCost(profiles, extended=False)


def simulate_case(case: Case, profiles: Profiles) -> Run:
    """Run one case.

    Raises:
        InputError: a cluster that does not fit the jobs or the profiles.
    """
    try:
        return _simulated(case, machines(case.cluster), profiles)
    except InputError as error:
        if error.field in ("gpus", "type", "batch_size"):
            raise InputError(f"{case.cluster} does not suit these jobs: {error.rule}", field="cluster") from None
        raise


def _simulated(case: Case, cluster: Cluster, profiles: Profiles) -> Run:
    params = {**as_coded(case.scheduler, len(set(cluster.gpu_type))), **case.params}
    if "round_s" in parameters(scheduler_class(case.scheduler)):
        params["round_s"] = case.round_s
    return simulate(
        case.jobs,
        cluster,
        make_scheduler(case.scheduler, params),
        as_measured(profiles),
        quantum=case.round_s,
        conventions=conventions(case.jobs),
        seed=case.seed,
    )


def rounds_before(run: Run, round_s: float) -> int:
    """Rounds on the clock of the file that end before the first submission."""
    return max(0, int(np.ceil(run.jobs.origin_s / round_s - 1e-9)) - 1)


def crowd(run: Run, round_s: float) -> NDArray[np.int64]:
    """Jobs in the system at the end of every round until all are done, shape (rounds,), one round at least.

    Rounds that end before the first submission are left out: a trace's clock may have begun decades ago.

    Raises:
        InputError: more rounds than a run may have passes.
    """
    origin = run.jobs.origin_s
    before = rounds_before(run, round_s)
    rounds = max(before + 1.0, np.ceil((run.makespan_s + origin) / round_s))
    PASSES.check(rounds - before, field="quantum")
    ends = np.arange(before + 1, rounds + 1) * round_s - origin
    here = np.searchsorted(run.jobs.submit_s, ends + 1e-6, side="right")
    return here - np.searchsorted(np.sort(run.finish_s), ends + 1e-6, side="right")


def p99(jct_h: NDArray[np.float64]) -> float:
    """Element floor(0.99 n) of the sorted times, as the authors compute it."""
    return float(np.sort(jct_h)[int(0.99 * len(jct_h))])


def measure(run: Run, round_s: float) -> list[_Metric]:
    """The columns of Tables 3 and 4 for one workload file; rounds that end without jobs do not count for contention."""
    jct_h = run.turnaround_s / _HOUR
    jobs = crowd(run, round_s)
    return [
        ("avg_jct", float(jct_h.mean()), "h"),
        ("median_jct", float(np.median(jct_h)), "h"),
        ("p99_jct", p99(jct_h), "h"),
        ("makespan", run.makespan_s / _HOUR, "h"),
        ("gpu_hours", float(run.gpu_seconds.mean()) / _HOUR, "GPU h"),
        ("restarts", float(run.restarts.mean()), "1"),
        ("contention_mean", float(jobs.sum() / max(np.count_nonzero(jobs), 1)), "jobs"),
        ("contention_max", float(jobs.max()), "jobs"),
    ]


def pooled(runs: list[tuple[Run, float]]) -> list[_Metric]:
    """What the tables pool over all workload files: 99th percentile and largest contention."""
    jct_h = np.concatenate([run.turnaround_s for run, _ in runs]) / _HOUR
    return [
        ("p99_jct_pooled", p99(jct_h), "h"),
        ("contention_max_pooled", float(max(crowd(run, round_s).max() for run, round_s in runs)), "jobs"),
    ]
