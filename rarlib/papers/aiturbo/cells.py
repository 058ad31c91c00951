"""AITurbo's evaluation as far as it can be rebuilt, and ablations; see `rarlib.papers.aiturbo.scenarios`.

A cell is one scheduler (or one variant of AITurbo) in one table, over all its points and seeds; every scheduler sees
the same instances.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.papers.aiturbo.scenarios import MAIN, MIXES, Instance, Scenario, draw_scenario
from rarlib.papers.aiturbo.study import run_study
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace


class _Member(NamedTuple):
    """A scheduler with its parameters.

    `hybrid` lets one job have workers on GPUs and on CPUs; `on_gpus` puts all workers on GPUs.
    """

    scheduler: str
    params: Mapping[str, Any] = {}
    hybrid: bool = False
    on_gpus: bool = False


_BASELINES = {
    "optimus": _Member("optimus", {"tick": 300.0}),
    "tiresias": _Member("tiresias"),
    "tiresias-lab": _Member("tiresias", {"servers_on_gpus": True, "tick": 240.0}),
    "srtf": _Member("requested", {"order": "remaining"}),
    "fcfs": _Member("requested"),
}
"""Tiresias decides at every event, because its demotions are events. In [LAB] it decides at arrivals and every 240 s,
and its parameter servers occupy GPUs: `tiresias-lab`."""

_ABLATIONS = {
    "aiturbo": _Member("aiturbo"),
    "strict": _Member("aiturbo", {"leftover": False}),
    "time": _Member("aiturbo", {"objective": "time"}),
    "no-borda": _Member("aiturbo", {"merge": "service"}),
    "arrival": _Member("aiturbo", {"inside": "arrival"}),
    "hybrid": _Member("aiturbo", hybrid=True),
    "gpu-only": _Member("aiturbo", on_gpus=True),
}
"""AITurbo, and AITurbo with one change each: `strict` allocates nothing beyond the rule of [LAB]; `time` compares moves
by the time they save, not by resource-time; `no-borda` has no second ballot; `arrival` serves each queue first come,
first served; `hybrid` lets one job have workers on GPUs and on CPUs; `gpu-only` has no workers on CPUs."""

JOBS_AT_ONCE_PER_GPUS = 2
"""First come, first served runs two jobs at a time on the testbed of 4 GPUs [LAB]: one for every two GPUs."""


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one table.

    Args:
        part: `study` (see `rarlib.papers.aiturbo.study`), `main`, `mixes`, `load`, `error` or `ablation`.
        member: a scheduler of `_BASELINES`, or a variant of `_ABLATIONS`.
        settings: `seeds`, `few` (seeds in load, error and ablation), `jobs`, `cluster`, `load`, `loads`,
            `errors`, `mixes`.
        data: the trace whose arrivals are replayed; for the study, its data set.

    Returns:
        Tidy rows, one per metric and run.

    Raises:
        InputError: for an unknown table or member, or no data.
    """
    if part == "study":
        return run_study(member, settings, data)
    members = {**_ABLATIONS, **_BASELINES}
    if member not in members:
        raise InputError(f"unknown member {member!r}; known: {', '.join(members)}", field="cells")
    if data is None:
        raise InputError("needs a trace whose arrivals are replayed", field="reads")
    own, submit_s = members[member], load_trace(data, "rarlib").jobs.submit_s
    seeds = range(int(settings["seeds" if part in ("main", "mixes") else "few"]))
    rows = [
        (point.setup, point.x_name, point.x, seed, *row)
        for point in points(part, settings)
        for seed in seeds
        for row in measure(own, draw_scenario(point._replace(on_gpus=own.on_gpus), seed, settings, submit_s), settings)
    ]
    frame = pd.DataFrame(rows, columns=["setup", "x_name", "x", "seed", "metric", "value", "unit"])
    return frame.assign(experiment=f"aiturbo-{part}", reading="headline", scheduler=member)[TIDY_COLUMNS]


def points(part: str, settings: Mapping[str, Any]) -> Sequence[Scenario]:
    """All points of a table.

    Raises:
        InputError: for an unknown table.
    """
    if part in ("main", "ablation"):
        return (MAIN,)
    if part == "mixes":
        return [mix for mix in MIXES if mix.setup in settings["mixes"]]
    if part == "load":
        return [MAIN._replace(setup="load", x_name="load", x=f"{x:g}", load=float(x)) for x in settings["loads"]]
    if part == "error":
        return [MAIN._replace(setup="error", x_name="error", x=f"{x:g}", error=float(x)) for x in settings["errors"]]
    raise InputError(f"unknown table {part!r}; known: study, main, mixes, load, error, ablation", field="cells")


def measure(member: _Member, case: Instance, settings: Mapping[str, Any]) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    cluster = Cluster.parse(settings["cluster"])
    params = dict(member.params)
    if member.scheduler == "requested" and "order" not in params:
        params["at_once"] = max(cluster.total_gpus // JOBS_AT_ONCE_PER_GPUS, 1)
    cost = ParameterServerCost(case.workload, member.hybrid)
    run = simulate(case.jobs, cluster, make_scheduler(member.scheduler, params), cost)
    return _summary(run, case)


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
        ("offered_load", case.load, "1"),
    ]
