"""PipeDream's evaluation (SOSP 2019): Table 1 and the comparison of schedules.

A cell is one model in all its rows, or one schedule, in all readings (`choices.py`). Nothing is random, so there is one
seed. Column `x` of Table 1 names the plan:

| plan | what it is |
|---|---|
| `default` | the planner's choice as coded, all GPUs on one level, at the default rate of the program, 1e9 bytes/s |
| `default-levels` | the same on two levels, GPUs in servers |
| `flat` | the choice of the recurrence as published, on one level with the links between servers |
| `levels` | the same on two levels |
| `inside` | the same on one level with the links inside a server |
| `as-coded` | as `default`, with the links between servers |
| `printed` | the configuration that Table 1 prints, cut as the reading says |

`default` answers which configuration is chosen: the table came out of the authors' program. `printed` answers how fast
it is, since that is what the authors measured. Speed-ups over data parallelism are given as the recurrence predicts
them and as simulated (`placed.py`), the latter also without overlap in data parallelism. `planner` says whether any
plan of the planner is faster than data parallelism.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.papers.pipedream.bounds import NVLINK, excludes, least_rate_of_replication
from artifact.papers.pipedream.choices import (
    CODED,
    DEFAULT_BANDWIDTH,
    UNKNOWNS,
    Machines,
    cut_in,
    system_in,
    values_of_readings,
)
from artifact.papers.pipedream.inference import Bench
from artifact.papers.pipedream.placed import data_parallel_s, launched, pipeline_s
from artifact.papers.pipedream.schedules import schedule_facts
from artifact.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, TableRow
from artifact.unknowns import table_of_draws
from rarlib.model.errors import InputError
from rarlib.pipeline.graph import LayerGraph, from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration, plan_pipeline
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.traces.profile_sets import read_profile_set

_Fact = tuple[str, str, str, str, float, str]
"""reading, x_name, x, metric, value, unit."""
_Readings = Mapping[str, Mapping[str, Any]]
"""A value for each unknown, by reading."""


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None) -> pd.DataFrame:
    """Plan and simulate one model.

    Args:
        part: table1, schedules or inference.
        member: a key of `TABLE_1` or `SCHEDULE_ROWS`; in `inference` anything.
        settings: those that `Machines.of` and `choices.values_of_readings` read; `inference`: number of `draws`.
        data: the profile set.

    Returns:
        Tidy rows; the set-up is the row of Table 1, and `x` the plan or the schedule.

    Raises:
        InputError: an unknown table, model or reading, or no data.
    """
    if data is None:
        raise InputError("needs a profile set", field="reads")
    profiles, machines = read_profile_set(data), Machines.of(settings)
    if part == "inference":
        run, draws = Bench(profiles, machines).outcomes, int(settings["draws"])
        return table_of_draws(UNKNOWNS, draws, run, experiment="pipedream-inference", member=member)
    if part not in _PARTS:
        known = ", ".join([*_PARTS, "inference"])
        raise InputError(f"unknown table {part!r}; known: {known}", field="part")
    setups, measure = _PARTS[part]
    if member not in setups:
        raise InputError(f"unknown model {member!r}; known: {', '.join(setups)}", field="cells")
    readings = values_of_readings(settings)
    rows = [
        (row.label, *fact)
        for row in setups[member]
        for fact in measure(machines.rated(row), profiles[row.profile], machines, readings)
    ]
    frame = pd.DataFrame(rows, columns=["setup", "reading", "x_name", "x", "metric", "value", "unit"])
    return frame.assign(experiment=f"pipedream-{part}", scheduler=member, seed=0)[TIDY_COLUMNS]


def one_level(row: TableRow, default_rate: float) -> dict[str, tuple[float, Options]]:
    """The planner's ways with all GPUs on one level: bandwidth, prices."""
    return {
        "default": (default_rate, CODED),
        "flat": (row.bandwidth[-1], Options(compression=1.0)),
        "inside": (row.bandwidth[0], Options(compression=1.0)),
        "as-coded": (row.bandwidth[-1], CODED),
    }


def plans(row: TableRow, graph: LayerGraph, default_rate: float = DEFAULT_BANDWIDTH) -> dict[str, Plan]:
    """The planner's choices, by name of the plan."""
    everywhere = [default_rate] * len(row.machines)
    return {
        **{
            name: plan_pipeline(graph, [row.workers], [rate], prices)
            for name, (rate, prices) in one_level(row, default_rate).items()
        },
        "levels": plan_pipeline(graph, row.machines, row.bandwidth, Options(compression=1.0)),
        "default-levels": plan_pipeline(graph, row.machines, everywhere, CODED),
    }


def _table_1(row: TableRow, profile: Mapping[str, Any], machines: Machines, readings: _Readings) -> Iterator[_Fact]:
    graph = from_json(profile)
    chosen = plans(row, graph, machines.default_rate)
    proven = list(_proven(row, graph, chosen, machines))
    for reading, values in readings.items():
        found = chosen | {"printed": cut_in(values["cut"], graph, row.printed, row, machines)}
        faster = {}
        for name, plan in found.items():
            for at, stage in enumerate(plan.stages):
                yield reading, "stage", f"{name}/{at}", "replicas", float(stage.replicas), "GPU"
            facts = _plan_facts(plan, row, values) | {"measured": (float(profile["kind"] == "measured"), "1")}
            faster[name] = facts["faster"][0]
            for metric, (value, unit) in facts.items():
                yield reading, "plan", name, metric, value, unit
        yield reading, "plan", "planner", "none_faster", float(not any(faster[name] for name in chosen)), "1"
        for name, metric, value, unit in proven:
            yield reading, "plan", name, metric, value, unit


def _plan_facts(plan: Plan, row: TableRow, values: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """Metric -> value and unit of a plan in a reading."""
    system = system_in(values, row)
    run = launched(plan, row, system)
    ours, theirs = pipeline_s(run, row, system), data_parallel_s(run, row, system)
    return {
        "simulated_s": (ours, "s"),
        "data_parallel_s": (theirs, "s"),
        "simulated_speedup": (theirs / ours, "x"),
        "exposed_speedup": (data_parallel_s(run, row, system, exposed=True) / ours, "x"),
        "predicted_s": (plan.pipeline_time_s, "s"),
        "predicted_speedup": (plan.data_parallel_time_s / plan.pipeline_time_s, "x"),
        "faster": (float(theirs > ours), "1"),
        "as_printed": (float(plan.configuration == "-".join(map(str, row.printed))), "1"),
        "noam": (float(plan.noam), "minibatch"),
        "peak_bytes": (max(stage.memory_bytes for stage in run.stages), "B"),
    }


def _proven(
    row: TableRow, graph: LayerGraph, chosen: Mapping[str, Plan], machines: Machines
) -> Iterator[tuple[str, str, float, str]]:
    """What holds in every reading: plan, metric, value and unit.

    Whether the recurrence predicts as short a time for the printed configuration as for its own choice: a choice among
    equals is a matter of how ties are broken, which the paper does not say. Beside it, what `bounds.py` proves.
    """
    for name, (bandwidth, prices) in one_level(row, machines.default_rate).items():
        printed = plan_configuration(graph, row.printed, bandwidth, prices)
        tied = printed.pipeline_time_s <= chosen[name].pipeline_time_s * (1.0 + _TIE)
        yield name, "tied", float(tied), "1"
    if len(row.printed) == 1:
        rate = least_rate_of_replication(row, graph, Options(), 2.0 * NVLINK)
        if rate > NVLINK:
            rate = min(rate, least_rate_of_replication(row, graph, CODED, 2.0 * NVLINK))
        yield "planner", "replicated_from", rate, "B/s"
        yield "planner", "never_replicated", float(rate > NVLINK), "1"
    if row.to_accuracy is not None:
        yield "printed", "other_epochs", float(excludes(row.per_epoch, row.to_accuracy)), "1"


_TIE = 1e-9
"""Predicted times closer than this, relatively, differ by rounding only."""

_PARTS = {"table1": (TABLE_1, _table_1), "schedules": (SCHEDULE_ROWS, schedule_facts)}
