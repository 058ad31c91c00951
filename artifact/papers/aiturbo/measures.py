"""One run of one scheduler on one instance of AITurbo's evaluation, and what is measured of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from artifact.papers.aiturbo.members import Contestant
from artifact.papers.aiturbo.scenarios import Instance, Scenario, draw_scenario
from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

JOBS_AT_ONCE_PER_GPUS = 2
"""First come, first served runs two jobs at a time on the testbed of 4 GPUs [LAB]: one for every two GPUs."""


def run_instance(
    scenario: Scenario, member: Contestant, seed: int, settings: Mapping[str, Any], submit_s: NDArray[np.float64]
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run on a drawn instance.

    `scenario`: how the instance is drawn; `submit_s`: submissions of the trace whose arrivals are replayed, ascending,
    s.
    """
    case = draw_scenario(scenario, seed, settings, submit_s)
    return _summary(simulated(member, case, settings), case)


def simulated(member: Contestant, case: Instance, settings: Mapping[str, Any]) -> Run:
    """One run; reads the settings `cluster` and `restart`, how many times as long as a checkpoint a restart takes."""
    cluster = Cluster.parse(settings["cluster"])
    params = dict(member.params)
    if member.scheduler == "requested" and not params:
        params["at_once"] = max(cluster.total_gpus // JOBS_AT_ONCE_PER_GPUS, 1)
    cost = ParameterServerCost(case.workload, restart=float(settings.get("restart", 1.0)))
    return simulate(case.jobs, cluster, make_scheduler(member.scheduler, params), cost)


def _summary(run: Run, case: Instance) -> list[tuple[str, float, str]]:
    """Metric, value and unit: mean JCT of all jobs and of groups, makespan, queueing, restarts and utilisation."""
    jct, lasts = run.turnaround_s, case.jobs.duration_s
    unpredictable, short = case.workload.switch > 0.0, lasts < np.median(lasts)
    groups = {
        "all": np.ones(len(jct), np.bool_),
        "short": short,
        "long": ~short,
        "predictable": ~unpredictable,
        "unpredictable": unpredictable,
    }
    rows = [(f"jct_{name}_s", float(jct[group].mean()), "s") for name, group in groups.items() if group.any()]
    return [
        *rows,
        ("makespan_s", run.makespan_s, "s"),
        ("queue_mean_s", float(run.queue_s.mean()), "s"),
        ("held_mean_s", float((jct - run.queue_s).mean()), "s"),
        ("restarts_mean", float(run.restarts.mean()), "1"),
        ("utilisation_ratio", float(run.gpu_seconds.sum()) / (run.cluster.total_gpus * run.makespan_s), "1"),
        *([] if np.isnan(case.load) else [("offered_load", case.load, "1")]),
    ]
