"""Simple schedulers on a recorded trace: every job runs for its recorded duration, so only the order differs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace

# Denser at the top: the slowest jobs are what schedulers differ in.
CURVE_QUANTILES = (*(i / 100 for i in range(90)), *(i / 1000 for i in range(900, 1001)))


def run_cell(part: str, scheduler: str, settings: Mapping[str, Any], data: Path | None) -> pd.DataFrame:
    """Run one scheduler on a trace. The only table is `jct`.

    Returns:
        Tidy rows, see `replay`.
    """
    if part != "jct":
        raise InputError(f"unknown table {part!r}; known: jct", field="part")
    if data is None:
        raise InputError("needs a trace", field="reads")
    return replay(scheduler, load_trace(data, "rarlib").jobs, settings)


def replay(scheduler: str, jobs: Jobs, settings: Mapping[str, Any]) -> pd.DataFrame:
    """Run one scheduler on a trace.

    Returns:
        Tidy rows: job completion time (JCT: finish minus submission) as mean, median, 99th percentile and quantiles,
        mean queueing time, share of jobs that queued, makespan and utilisation until the last finish.

    Raises:
        InputError: a cluster that cannot be read, or that is smaller than a job.
    """
    try:
        cluster = Cluster.parse(settings["cluster"])
    except InputError as error:
        raise InputError(error.rule, field="cluster") from None
    if (largest := int(jobs.gpus.max())) > cluster.total_gpus:
        raise InputError(f"has {cluster.total_gpus} GPUs, a job asks for {largest}", field="cluster")
    run = simulate(
        jobs,
        cluster,
        make_scheduler(scheduler, {}),
        TraceCost(),
        restart_s=float(settings["restart_s"]),
        seed=int(settings["seed"]),
    )
    rows = [("", "", *row) for row in _summary(run, cluster)]
    curve = zip(CURVE_QUANTILES, np.quantile(run.turnaround_s, CURVE_QUANTILES), strict=True)
    rows += [("quantile", f"{q:g}", "jct_s", seconds, "s") for q, seconds in curve]
    frame = pd.DataFrame(rows, columns=["x_name", "x", "metric", "value", "unit"])
    return frame.assign(
        experiment="philly", setup=settings["cluster"], reading="trace", scheduler=scheduler, seed=int(settings["seed"])
    )[TIDY_COLUMNS]


def _summary(run: Run, cluster: Cluster) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    jct, queue = run.turnaround_s, run.queue_s
    busy = float(run.gpu_seconds.sum())
    return [
        ("jct_mean_s", float(jct.mean()), "s"),
        ("jct_median_s", float(np.median(jct)), "s"),
        ("jct_p99_s", float(np.quantile(jct, 0.99)), "s"),
        ("queue_mean_s", float(queue.mean()), "s"),
        ("queued_ratio", float((queue > 0).mean()), "1"),
        ("makespan_s", run.makespan_s, "s"),
        ("utilisation_ratio", busy / (cluster.total_gpus * run.makespan_s), "1"),
    ]
