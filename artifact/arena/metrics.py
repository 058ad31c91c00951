"""The metrics of a run in the arena. Each is defined once, in `METRICS`; the data dictionary is made from it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.records.read import Record
from rarlib.records.waiting import TURNAROUND_PARTS, decompose, idle_but_fragmented
from rarlib.simulator.run import Run

HOUR = 3600.0

UNFAIR = 1.1
"""Finish-time ratio above which a job counts as treated unfairly: 1 in the papers, plus a tenth for simulator error."""

JCT_QUANTILES = {"median_jct": 50, "p99_jct": 99}
"""Metrics that are quantiles of the JCT, and their percentages."""

_Row = tuple[str, float, str]
"""Metric, value, unit."""


class _Metric(NamedTuple):
    """One metric of a run.

    Attributes:
        name: in the column `metric` of tidy tables.
        unit: of its values.
        formula: over the n jobs of a run.
        source: who defined it so; empty where it is plain arithmetic.
    """

    name: str
    unit: str
    formula: str
    source: str = ""


_WAITING = "`waiting.csv`, above"
_CAPACITY = "GPUs of the cluster x makespan"
_THEMIS = "Themis (Mahajan et al., NSDI 2020), as Sia reads it for rigid jobs (SOSP 2023, section 5)"

METRICS = (
    _Metric("mean_jct", "h", "mean of JCT = finish_s - submit_s"),
    *(
        _Metric(name, "h", f"least JCT that {percent} % of the jobs do not exceed (an element, not interpolated)")
        for name, percent in JCT_QUANTILES.items()
    ),
    _Metric("makespan", "h", "latest finish, from the first submission"),
    _Metric("queue_s", "s", "mean seconds in the system without GPUs; the sum of the four `wait_` metrics"),
    *(
        _Metric(name, "s", f"mean over the jobs: {label}; the eight parts add up to the mean JCT", _WAITING)
        for name, label in TURNAROUND_PARTS.items()
    ),
    _Metric("restarts", "1", "mean number of starts after the first"),
    _Metric(
        "worst_rho",
        "1",
        "largest finish-time ratio rho = JCT / (T max(1, g k / N)): T seconds alone on the g GPUs asked for, N GPUs of "
        "the cluster, k jobs in the system on average while the job is",
        _THEMIS,
    ),
    _Metric("unfair_share", "%", f"share of jobs with rho > {UNFAIR}", "1 in the papers; a tenth is tolerated here"),
    _Metric(
        "jain_index",
        "1",
        "(sum x)^2 / (n sum x^2) of the slowdowns x = JCT / T: 1 if all jobs are slowed alike, 1/n at worst",
        "Jain, Chiu, Hawe, DEC-TR-301, 1984",
    ),
    _Metric("utilisation", "%", f"GPU-seconds held / ({_CAPACITY})"),
    _Metric(
        "useful_utilisation",
        "%",
        "the same, of each job only the part of its time with GPUs in which it progressed as if alone: without "
        "contention, per-server overhead and restarts",
    ),
    _Metric("gpu_hours", "GPU h", "mean GPU-hours a job held", "Sia, SOSP 2023, Table 3"),
    _Metric(
        "fragmentation",
        "%",
        f"GPU-seconds idle while at least one job waits whose gang does not fit / ({_CAPACITY})",
        "as `wait_gpus_s` and `wait_fragmentation_s` understand it",
    ),
)
"""All metrics, in the order of `measure`."""


def measure(run: Run, facts: Mapping[str, Any] | None = None) -> list[_Row]:
    """All metrics of a run in which every job finished.

    T of the fairness metrics is the recorded duration, `duration_s`; jobs with T = 0 are left out of them.

    Args:
        run: the run.
        facts: as for `Record.of`: `quantum_s`, `origin_s` and the scheduler's `parameters` give the cause of a wait.

    Returns:
        Metric, value and unit, in the order of `METRICS`.
    """
    record = Record.of(run, facts)
    jct_s, capacity = run.turnaround_s, run.cluster.total_gpus * run.makespan_s
    found = {"mean_jct": float(jct_s.mean()) / HOUR, "makespan": run.makespan_s / HOUR}
    quantiles = np.quantile(jct_s, [percent / 100.0 for percent in JCT_QUANTILES.values()], method="inverted_cdf")
    found |= dict(zip(JCT_QUANTILES, (quantiles / HOUR).tolist(), strict=True))
    parts = decompose(record)
    found |= {name: float(parts[name].mean()) for name in TURNAROUND_PARTS}
    found |= {"queue_s": float(run.queue_s.mean()), "restarts": float(run.restarts.mean())}
    found |= _fairness(run)
    held_s = jct_s - run.queue_s
    useful = np.divide(run.useful_s, held_s, out=np.zeros(len(held_s)), where=held_s > 0.0)
    shares = {
        "utilisation": float(run.gpu_seconds.sum()),
        "useful_utilisation": float((run.gpu_seconds * useful).sum()),
        "fragmentation": idle_but_fragmented(record),
    }
    found |= {name: 100.0 * seconds / capacity if capacity > 0.0 else 0.0 for name, seconds in shares.items()}
    found["gpu_hours"] = float(run.gpu_seconds.mean()) / HOUR
    return [(metric.name, found[metric.name], metric.unit) for metric in METRICS]


def mean_jobs_in_system(run: Run) -> NDArray[np.float64]:
    """Mean number of jobs in the system (the job included) while each job is there, shape (jobs,)."""
    submit, finish = run.jobs.submit_s, run.finish_s
    times = np.unique(np.concatenate([submit, finish]))
    here = np.searchsorted(np.sort(submit), times, "right") - np.searchsorted(np.sort(finish), times, "right")
    area = np.concatenate([[0.0], np.cumsum(here[:-1] * np.diff(times))])
    stay = finish - submit
    total = area[np.searchsorted(times, finish)] - area[np.searchsorted(times, submit)]
    return np.divide(total, stay, out=np.ones(len(stay)), where=stay > 0.0)


def finish_time_ratios(run: Run, alone_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finish-time ratio rho of every job (`METRICS`), shape (jobs,); NaN where `alone_s` is 0."""
    crowding = np.maximum(run.jobs.gpus * mean_jobs_in_system(run) / run.cluster.total_gpus, 1.0)
    return np.divide(run.turnaround_s, alone_s * crowding, out=np.full(len(alone_s), np.nan), where=alone_s > 0.0)


def _fairness(run: Run) -> dict[str, float]:
    alone_s = run.jobs.duration_s
    rho = finish_time_ratios(run, alone_s)
    counted = np.isfinite(rho)
    if not counted.any():
        return {"worst_rho": np.nan, "unfair_share": np.nan, "jain_index": np.nan}
    slowdown = run.turnaround_s[counted] / alone_s[counted]
    squares = len(slowdown) * float((slowdown**2).sum())
    return {
        "worst_rho": float(rho[counted].max()),
        "unfair_share": 100.0 * float((rho[counted] > UNFAIR).mean()),
        "jain_index": float(slowdown.sum()) ** 2 / squares if squares > 0.0 else 1.0,
    }
