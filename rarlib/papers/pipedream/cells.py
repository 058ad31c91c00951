"""PipeDream's evaluation (SOSP 2019): Table 1, the comparison of schedules, and their timelines (`timeline.py`).

A cell is one model in all its rows, or one schedule. Nothing is random, so there is one seed. Readings of Table 1:

| reading | plan |
|---|---|
| `default` | the planner's choice as coded, all GPUs on one level, at the default rate of the program, 1e9 bytes/s |
| `default-levels` | the same on two levels, GPUs in servers |
| `flat` | the choice of the recurrence as published, on one level with the links between servers |
| `levels` | the same on two levels |
| `inside` | the same on one level with the links inside a server |
| `as-coded` | as `default`, with the links between servers |
| `printed` | the configuration that Table 1 prints, with the best cuts that the published recurrence finds |
| `printed-default` | the same with the best cuts under the prices of `default` |

`default` answers which configuration is chosen: the table came out of the authors' program. `printed` answers how fast
it is, since that is what the authors measured. Speed-ups over data parallelism are given as the recurrence predicts
them and as simulated (`placed.py`), the latter with and without overlap in data parallelism; those of the printed
configurations also on the systems of `systems.py`, named in column `x`. `planner` and `one-level` say whether any plan
of the planner, or any on one level, is faster than data parallelism.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.papers.pipedream.bounds import NVLINK, excludes, least_rate_of_replication
from rarlib.papers.pipedream.inference import inference_rows
from rarlib.papers.pipedream.placed import System, data_parallel_s, launched, pipeline_s
from rarlib.papers.pipedream.schedules import schedule_facts
from rarlib.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, TableRow
from rarlib.papers.pipedream.systems import CODED, DEFAULT_BANDWIDTH, HeadlineSystem, systems
from rarlib.papers.pipedream.timeline import pictured, timeline_rows
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
        part: table1, schedules, timeline or inference.
        member: a key of `TABLE_1` or `SCHEDULE_ROWS`; in `timeline` a schedule, in `inference` anything.
        settings: those that `HeadlineSystem.of` reads; `inference`: number of `draws`; `timeline`: see `timeline.py`.
        data: the profile set.

    Returns:
        Tidy rows; the set-up is the row of Table 1, the reading the plan, or in `schedules` the schedule.

    Raises:
        InputError: an unknown table or model, or no data.
    """
    if data is None:
        raise InputError("needs a profile set", field="reads")
    profiles, headline = read_profile_set(data), HeadlineSystem.of(settings)
    if part == "timeline":
        plans = pictured(profiles, int(settings["workers"]), float(settings["rate"]))
        short = {name: settings[name] for name in ("minibatches", "extra", "flush")}
        return timeline_rows(member, plans, **short)
    if part == "inference":
        return inference_rows(profiles, int(settings["draws"]), headline).assign(scheduler=member)
    if part not in _PARTS:
        known = ", ".join([*_PARTS, "timeline", "inference"])
        raise InputError(f"unknown table {part!r}; known: {known}", field="part")
    setups, measure = _PARTS[part]
    if member not in setups:
        raise InputError(f"unknown model {member!r}; known: {', '.join(setups)}", field="cells")
    rows = [
        (row.label, *fact)
        for row in setups[member]
        for fact in measure(headline.rated(row), profiles[row.profile], headline)
    ]
    frame = pd.DataFrame(rows, columns=["setup", "reading", "x_name", "x", "metric", "value", "unit"])
    return frame.assign(experiment=f"pipedream-{part}", scheduler=member, seed=0)[TIDY_COLUMNS]


def one_level(row: TableRow, default_rate: float) -> dict[str, tuple[float, Options]]:
    """Readings of the planner with all GPUs on one level: bandwidth, prices."""
    return {
        "default": (default_rate, CODED),
        "flat": (row.bandwidth[-1], Options(compression=1.0)),
        "inside": (row.bandwidth[0], Options(compression=1.0)),
        "as-coded": (row.bandwidth[-1], CODED),
    }


def plans(row: TableRow, graph: LayerGraph, default_rate: float = DEFAULT_BANDWIDTH) -> dict[str, Plan]:
    """The plan of each reading."""
    published, everywhere = Options(compression=1.0), [default_rate] * len(row.machines)
    return {
        **{
            name: plan_pipeline(graph, [row.workers], [rate], prices)
            for name, (rate, prices) in one_level(row, default_rate).items()
        },
        "levels": plan_pipeline(graph, row.machines, row.bandwidth, published),
        "default-levels": plan_pipeline(graph, row.machines, everywhere, CODED),
        "printed": plan_configuration(graph, row.printed, row.bandwidth[-1], published),
        "printed-default": plan_configuration(graph, row.printed, default_rate, CODED),
    }


def _table_1(row: TableRow, profile: Mapping[str, Any], headline: HeadlineSystem) -> Iterator[_Fact]:
    graph, system = from_json(profile), headline.system
    found = plans(row, graph, headline.default_rate)
    faster = {}
    for reading, plan in found.items():
        for at, stage in enumerate(plan.stages):
            yield reading, "stage", str(at), "replicas", float(stage.replicas), "GPU"
        run = launched(plan, row, system)
        ours, theirs = pipeline_s(run, row, system), data_parallel_s(run, row, system)
        faster[reading] = theirs > ours
        for metric, value, unit in (
            ("simulated_s", ours, "s"),
            ("data_parallel_s", theirs, "s"),
            ("simulated_speedup", theirs / ours, "x"),
            ("exposed_speedup", data_parallel_s(run, row, system, exposed=True) / ours, "x"),
            ("predicted_s", plan.pipeline_time_s, "s"),
            ("predicted_speedup", plan.data_parallel_time_s / plan.pipeline_time_s, "x"),
            ("faster", float(faster[reading]), "1"),
            ("as_printed", float(plan.configuration == _text(row.printed)), "1"),
            ("noam", float(plan.noam), "minibatch"),
            ("peak_bytes", max(stage.memory_bytes for stage in run.stages), "B"),
            ("measured", float(profile["kind"] == "measured"), "1"),
        ):
            yield reading, "", "", metric, value, unit
    flat = one_level(row, headline.default_rate)
    yield from _against_the_printed(row, graph, found, flat)
    for name, readings in (("planner", [*flat, "levels", "default-levels"]), ("one-level", list(flat))):
        yield name, "", "", "none_faster", float(not any(faster[reading] for reading in readings)), "1"
    for reading in ("printed", "printed-default"):
        yield from _on_systems(reading, found[reading], row, system)


def _text(replicas: tuple[int, ...]) -> str:
    return "-".join(map(str, replicas))


def _against_the_printed(
    row: TableRow, graph: LayerGraph, found: Mapping[str, Plan], flat: Mapping[str, tuple[float, Options]]
) -> Iterator[_Fact]:
    """Whether the recurrence predicts as short a time for the printed configuration as for its own choice.

    A choice among equals is then a matter of how ties are broken, which the paper does not say. Beside it, what
    `bounds.py` proves of a row.
    """
    for reading, (bandwidth, prices) in flat.items():
        printed = plan_configuration(graph, row.printed, bandwidth, prices)
        tied = printed.pipeline_time_s <= found[reading].pipeline_time_s * (1.0 + _TIE)
        yield reading, "", "", "tied", float(tied), "1"
    if len(row.printed) == 1:
        rate = least_rate_of_replication(row, graph, Options(), 2.0 * NVLINK)
        if rate > NVLINK:
            rate = min(rate, least_rate_of_replication(row, graph, CODED, 2.0 * NVLINK))
        yield "planner", "", "", "replicated_from", rate, "B/s"
        yield "planner", "", "", "never_replicated", float(rate > NVLINK), "1"
    if row.to_accuracy is not None:
        yield "printed", "", "", "other_epochs", float(excludes(row.per_epoch, row.to_accuracy)), "1"


def _on_systems(reading: str, plan: Plan, row: TableRow, headline: System) -> Iterator[_Fact]:
    """A printed configuration on every system that is tried; a plan without a cut is data parallelism everywhere."""
    if len(plan.stages) == 1:
        return
    for name, system in systems(row, plan.single_machine_time_s, headline).items():
        run = launched(plan, row, system)
        ours, theirs = pipeline_s(run, row, system), data_parallel_s(run, row, system)
        yield reading, "system", name, "simulated_speedup", theirs / ours, "x"
        yield reading, "system", name, "faster", float(theirs > ours), "1"


_TIE = 1e-9
"""Predicted times closer than this, relatively, differ by rounding only."""

_PARTS = {"table1": (TABLE_1, _table_1), "schedules": (SCHEDULE_ROWS, schedule_facts)}
