"""The same jobs on the same machines under several schedulers, as tidy rows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.records.tidy import tidy
from rarlib.simulator.cost_models import CostModel
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

EXPERIMENT = "compare"


def compare(  # noqa: PLR0913 - the options of a comparison, all by keyword
    names: Iterable[str],
    jobs: Jobs,
    cluster: Cluster,
    cost: CostModel,
    *,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    quantum: float = 0.0,
    restart_s: float | None = None,
    seed: int = 0,
    experiment: str = EXPERIMENT,
    seen: Callable[[str, Run], None] | None = None,
) -> pd.DataFrame:
    """Run schedulers, each on the same jobs and price table, and measure what users compare.

    Args:
        names: of schedulers (`scheduler_names`).
        jobs: the jobs.
        cluster: the cluster.
        cost: the cost model.
        params: parameters by name of the scheduler; those that are missing keep their defaults.
        quantum: seconds between scheduling passes; 0: whenever something changes.
        restart_s: seconds that a stopped job loses when it starts again; None: as the cost model has it.
        seed: of the schedulers' own random streams; the column `seed` of the rows.
        experiment: the column `experiment` of the rows.
        seen: called with the name of a scheduler and its run.

    Returns:
        Tidy rows, one for each scheduler and metric: columns experiment, setup (the cluster), reading (the cost model),
        scheduler, x_name, x, seed, metric, value, unit.

    Raises:
        InputError: for a scheduler that is unknown or given twice, or a job that does not fit the cluster.
        DecisionError: when a scheduler asks for something impossible.
    """
    wanted = list(names)
    if twice := sorted({name for name in wanted if wanted.count(name) > 1}):
        raise InputError(f"{twice[0]} is given twice", field="scheduler")
    frames = []
    for name in wanted:
        scheduler = make_scheduler(name, (params or {}).get(name))
        run = simulate(jobs, cluster, scheduler, cost, quantum=quantum, restart_s=restart_s, seed=seed)
        if seen is not None:
            seen(name, run)
        rows = [(cluster.spec, cost.name, "", "", seed, *metric) for metric in run_metrics(run)]
        frames.append(tidy(rows, experiment, name))
    return pd.concat(frames, ignore_index=True)


def run_metrics(run: Run) -> list[tuple[str, float, str]]:
    """Metric, value and unit of a run in which all jobs ended."""
    jct, queue = run.turnaround_s, run.queue_s
    gpu_s = run.cluster.total_gpus * run.makespan_s
    return [
        ("jct_mean_s", float(jct.mean()), "s"),
        ("jct_median_s", float(np.median(jct)), "s"),
        ("jct_p99_s", float(np.quantile(jct, 0.99)), "s"),
        ("queue_mean_s", float(queue.mean()), "s"),
        ("queued_ratio", float((queue > 0.0).mean()), "1"),
        ("makespan_s", run.makespan_s, "s"),
        ("utilisation_ratio", float(run.gpu_seconds.sum()) / gpu_s if gpu_s else 0.0, "1"),
        ("restarts_mean", float(run.restarts.mean()), "1"),
    ]
