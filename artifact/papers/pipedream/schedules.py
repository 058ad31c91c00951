"""Section 5: the same stages under other schedules, and what they send.

A straight pipeline and the printed configuration are cut and run as each reading says (`choices.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from artifact.papers.pipedream.choices import Machines, cut_in, system_in
from artifact.papers.pipedream.placed import NOMINAL, System, data_parallel_s, launched, pipeline_s, placed
from artifact.papers.pipedream.setups import TableRow
from rarlib.pipeline import comparison
from rarlib.pipeline.graph import from_json
from rarlib.pipeline.plan import Plan

_Fact = tuple[str, str, str, str, float, str]
"""reading, x_name, x, metric, value, unit."""


def schedule_facts(
    row: TableRow, profile: Mapping[str, Any], machines: Machines, readings: Mapping[str, Mapping[str, Any]]
) -> Iterator[_Fact]:
    """What each schedule of a straight pipeline and of the printed configuration takes.

    `row`: model and servers; `machines`: their memory and rates; `readings`: a value for each unknown, by reading.
    """
    graph = from_json(profile)
    for reading, values in readings.items():
        system = system_in(values, row)
        straight, printed = (
            launched(cut_in(values["cut"], graph, replicas, row, machines), row, system)
            for replicas in ((1,) * row.workers, row.printed)
        )
        for schedule, metric, value, unit in _facts(row, straight, printed, system, machines, values):
            yield reading, "schedule", schedule, metric, value, unit


def _facts(
    row: TableRow, straight: Plan, printed: Plan, system: System, machines: Machines, values: Mapping[str, Any]
) -> Iterator[tuple[str, str, float, str]]:
    """Schedule, metric, value, unit; GPipe repeats forward passes if the reading says so."""
    pipeline = placed(straight, row, system)
    again = pipeline.backward_s + (pipeline.forward_s if values["recompute"] else 0.0)
    flushed, fits = replace(pipeline, backward_s=again), comparison.largest_flush(pipeline, machines.memory)
    times = {
        "model-parallel": comparison.model_parallel_s(pipeline),
        "1f1b": pipeline_s(straight, row, system),
        "gpipe-noam": comparison.gpipe_s(flushed, straight.noam),
        "printed": pipeline_s(printed, row, system),
        "printed-unpipelined": comparison.model_parallel_s(placed(printed, row, system)),
    }
    if fits:
        times["gpipe-largest"] = comparison.gpipe_s(flushed, fits)
    for schedule, time in times.items():
        yield schedule, "simulated_s", time, "s"
    yield "gpipe-largest", "flush", float(fits), "minibatch"
    yield "gpipe-noam", "flush", float(straight.noam), "minibatch"
    yield "printed", "sent_bytes", comparison.bytes_sent(printed), "B"
    yield "data-parallel", "sent_bytes", comparison.data_parallel_bytes_sent(printed), "B"
    yield "data-parallel", "overhead_percent_of_32", 100.0 * overhead(printed, row, 32, system), "%"
    gain = times["model-parallel"] / times["1f1b"]
    yield "1f1b", "over_model_parallel", gain, "x"
    yield "1f1b", "twice_model_parallel", float(gain > 2.0), "1"
    yield "printed", "over_model_parallel", times["model-parallel"] / times["printed"], "x"
    yield "printed", "over_unpipelined", times["printed-unpipelined"] / times["printed"], "x"
    for schedule in ("gpipe-noam", "gpipe-largest"):
        if schedule in times:
            yield schedule, "loss_percent", 100.0 * (1.0 - times["1f1b"] / times[schedule]), "%"
    yield "printed", "bytes_saved_percent", saved_percent(printed), "%"


def saved_percent(plan: Plan) -> float:
    """Bytes that a pipeline saves over data parallelism."""
    return 100.0 * (1.0 - comparison.bytes_sent(plan) / comparison.data_parallel_bytes_sent(plan))


def overhead(plan: Plan, row: TableRow, workers: int, system: System = NOMINAL) -> float:
    """Share of the time of data parallelism on `workers` GPUs that is not computation."""
    many = row._replace(servers=workers // row.cluster.gpus)
    alone = sum(stage.compute_s for stage in plan.stages) / workers
    return 1.0 - alone / data_parallel_s(plan, many, system)
