"""PipeDream's evaluation (SOSP 2019): Table 1, the comparison of schedules, and their timelines (`timeline.py`).

A cell is one model in all its rows, or one schedule. Nothing is random, so there is one seed. Readings of Table 1:

| reading | plan |
|---|---|
| `flat` | the planner's own choice as published, all GPUs on one level with the links between servers |
| `levels` | the same on two levels, GPUs in servers |
| `as-coded` | the choice of the recurrence as the authors coded it, one level |
| `printed` | the configuration that Table 1 prints, with the best cuts that the published recurrence finds |

`flat` answers which configuration is chosen: 15-1 does not consist of whole servers, so Table 1 cannot come from two
levels. `printed` answers how fast it is, since that is what the authors measured. Speed-ups over data parallelism are
given as the recurrence predicts them and as simulated (`placed.py`), the latter with and without overlap in data
parallelism.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.papers.pipedream.placed import data_parallel_s, launched, pipeline_s, placed
from rarlib.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, TableRow
from rarlib.papers.pipedream.timeline import pictured, timeline_rows
from rarlib.pipeline import comparison
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.graph_json import from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration, plan_pipeline
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.traces.profile_sets import read_profile_set

_Fact = tuple[str, str, str, str, float, str]
"""reading, x_name, x, metric, value, unit."""


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None) -> pd.DataFrame:
    """Plan and simulate one model, or run one schedule for its timeline.

    Args:
        part: table1, schedules or timeline.
        member: a key of `TABLE_1` or `SCHEDULE_ROWS`; in `timeline` a schedule.
        settings: `memory_bytes` of a GPU.
        data: the profile set.

    Returns:
        Tidy rows; the set-up is the row of Table 1, the reading the plan, or in `schedules` the schedule.

    Raises:
        InputError: an unknown table or model, or no data.
    """
    if data is None:
        raise InputError("needs a profile set", field="reads")
    profiles = read_profile_set(data)
    if part == "timeline":
        return timeline_rows(member, pictured(profiles))
    if part not in _PARTS:
        raise InputError(f"unknown table {part!r}; known: {', '.join([*_PARTS, 'timeline'])}", field="part")
    setups, measure = _PARTS[part]
    if member not in setups:
        raise InputError(f"unknown model {member!r}; known: {', '.join(setups)}", field="cells")
    rows = [
        (row.label, *fact)
        for row in setups[member]
        for fact in measure(row, profiles[row.profile], float(settings["memory_bytes"]))
    ]
    frame = pd.DataFrame(rows, columns=["setup", "reading", "x_name", "x", "metric", "value", "unit"])
    return frame.assign(experiment=f"pipedream-{part}", scheduler=member, seed=0)[TIDY_COLUMNS]


def plans(row: TableRow, graph: LayerGraph) -> dict[str, Plan]:
    """The plan of each reading."""
    published, coded = Options(compression=1.0), Options(variant="as-coded", compression=1.0)
    slowest = row.bandwidth[-1]
    return {
        "flat": plan_pipeline(graph, [row.workers], [slowest], published),
        "levels": plan_pipeline(graph, row.machines, row.bandwidth, published),
        "as-coded": plan_pipeline(graph, [row.workers], [slowest], coded),
        "printed": plan_configuration(graph, row.printed, slowest, published),
    }


def _table_1(row: TableRow, profile: Mapping[str, Any], memory: float) -> Iterator[_Fact]:
    graph = from_json(profile)
    for reading, plan in plans(row, graph).items():
        replicas = tuple(stage.replicas for stage in plan.stages)
        for at, stage in enumerate(plan.stages):
            yield reading, "stage", str(at), "replicas", float(stage.replicas), "GPU"
        run = launched(plan, row)
        ours, theirs = pipeline_s(run, row), data_parallel_s(run, row)
        for metric, value, unit in (
            ("simulated_s", ours, "s"),
            ("data_parallel_s", theirs, "s"),
            ("simulated_speedup", theirs / ours, "x"),
            ("exposed_speedup", data_parallel_s(run, row, exposed=True) / ours, "x"),
            ("predicted_s", plan.pipeline_time_s, "s"),
            ("predicted_speedup", plan.data_parallel_time_s / plan.pipeline_time_s, "x"),
            ("faster", float(theirs > ours), "1"),
            ("as_printed", float(replicas == row.printed), "1"),
            ("noam", float(plan.noam), "minibatch"),
            ("peak_bytes", max(stage.memory_bytes for stage in run.stages), "B"),
            ("measured", float(profile["kind"] == "measured"), "1"),
        ):
            yield reading, "", "", metric, value, unit


def _schedules(row: TableRow, profile: Mapping[str, Any], memory: float) -> Iterator[_Fact]:
    """The same stages under other schedules: a straight pipeline on all GPUs, and the printed configuration."""
    graph = from_json(profile)
    straight = launched(plan_configuration(graph, [1] * row.workers, row.bandwidth[-1]), row)
    printed = launched(plan_configuration(graph, row.printed, row.bandwidth[-1]), row)
    pipeline = placed(straight, row)
    fits = comparison.largest_flush(pipeline, memory)
    times = {
        "model-parallel": comparison.model_parallel_s(pipeline),
        "1f1b": pipeline_s(straight, row),
        "gpipe-noam": comparison.gpipe_s(pipeline, straight.noam),
        "printed": pipeline_s(printed, row),
        "printed-unpipelined": comparison.model_parallel_s(placed(printed, row)),
    }
    if fits:
        times["gpipe-largest"] = comparison.gpipe_s(pipeline, fits)
    for reading, time in times.items():
        yield reading, "", "", "simulated_s", time, "s"
    yield "gpipe-largest", "", "", "flush", float(fits), "minibatch"
    yield "gpipe-noam", "", "", "flush", float(straight.noam), "minibatch"
    yield "printed", "", "", "sent_bytes", comparison.bytes_sent(printed), "B"
    yield "data-parallel", "", "", "sent_bytes", comparison.data_parallel_bytes_sent(printed), "B"
    yield "data-parallel", "gpus", "32", "overhead_percent", 100.0 * _overhead(printed, row, 32), "%"
    gain = times["model-parallel"] / times["1f1b"]
    yield "1f1b", "", "", "over_model_parallel", gain, "x"
    yield "1f1b", "", "", "twice_model_parallel", float(gain > 2.0), "1"
    yield "printed", "", "", "over_model_parallel", times["model-parallel"] / times["printed"], "x"
    yield "printed", "", "", "over_unpipelined", times["printed-unpipelined"] / times["printed"], "x"
    for reading in ("gpipe-noam", "gpipe-largest"):
        if reading in times:
            yield reading, "", "", "loss_percent", 100.0 * (1.0 - times["1f1b"] / times[reading]), "%"
    saved = 1.0 - comparison.bytes_sent(printed) / comparison.data_parallel_bytes_sent(printed)
    yield "printed", "", "", "bytes_saved_percent", 100.0 * saved, "%"


def _overhead(plan: Plan, row: TableRow, workers: int) -> float:
    """Share of the time of data parallelism on `workers` GPUs that is not computation."""
    many = row._replace(servers=workers // row.cluster.gpus)
    alone = sum(stage.compute_s for stage in plan.stages) / workers
    return 1.0 - alone / data_parallel_s(plan, many)


_PARTS = {"table1": (TABLE_1, _table_1), "schedules": (SCHEDULE_ROWS, _schedules)}
