"""Section 5: the same stages under other schedules, and what they send.

Cut and system are left open by the paper. The headline cuts a straight pipeline and the printed configuration at the
best places of the published recurrence and has nominal rates. Where `x_name` is `system`, both are cut under the prices
of the authors' program at its default rate, and column `x` says what else is different:

| name | system |
|---|---|
| `nominal` | nothing else |
| `links-S` | all links reach the share S of their rate |
| `even-...` | model parallelism has stages of equal computing time, whatever they send |
| `recompute-...` | GPipe keeps only the inputs of a stage and runs its forward pass again before the backward pass |
| `full-...` | 1F1B, with which GPipe is compared, has a warm-up long enough to hide all transfers |
| `quarter` | AWD-LM and S2VT with a quarter of the samples, see `systems.py` |
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rarlib.papers.pipedream.placed import NOMINAL, System, data_parallel_s, launched, pipeline_s, placed
from rarlib.papers.pipedream.setups import TableRow
from rarlib.papers.pipedream.systems import CODED, REACHED, SMALL, HeadlineSystem
from rarlib.pipeline import comparison
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.graph_json import from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import plan_configuration
from rarlib.pipeline.stages import Pipeline

_Fact = tuple[str, str, str, str, float, str]
"""reading, x_name, x, metric, value, unit."""


def schedule_facts(row: TableRow, profile: Mapping[str, Any], headline: HeadlineSystem) -> Iterator[_Fact]:
    """What each schedule of a straight pipeline and of the printed configuration takes.

    Args:
        row: model and servers.
        profile: its layer profile, as in a profile set.
        headline: the machines and the software.
    """
    graph = from_json(profile)
    straight = plan_configuration(graph, [1] * row.workers, row.bandwidth[-1])
    printed = plan_configuration(graph, row.printed, row.bandwidth[-1])
    system = headline.system
    yield from _headline(row, launched(straight, row, system), launched(printed, row, system), headline)
    yield from _open(row, graph, headline)


def _headline(row: TableRow, straight: Plan, printed: Plan, headline: HeadlineSystem) -> Iterator[_Fact]:
    system = headline.system
    pipeline = placed(straight, row, system)
    fits = comparison.largest_flush(pipeline, headline.memory)
    times = {
        "model-parallel": comparison.model_parallel_s(pipeline),
        "1f1b": pipeline_s(straight, row, system),
        "gpipe-noam": comparison.gpipe_s(pipeline, straight.noam),
        "printed": pipeline_s(printed, row, system),
        "printed-unpipelined": comparison.model_parallel_s(placed(printed, row, system)),
    }
    if fits:
        times["gpipe-largest"] = comparison.gpipe_s(pipeline, fits)
    for reading, time in times.items():
        yield reading, "", "", "simulated_s", time, "s"
    yield "gpipe-largest", "", "", "flush", float(fits), "minibatch"
    yield "gpipe-noam", "", "", "flush", float(straight.noam), "minibatch"
    yield "printed", "", "", "sent_bytes", comparison.bytes_sent(printed), "B"
    yield "data-parallel", "", "", "sent_bytes", comparison.data_parallel_bytes_sent(printed), "B"
    yield "data-parallel", "gpus", "32", "overhead_percent", 100.0 * overhead(printed, row, 32, system), "%"
    gain = times["model-parallel"] / times["1f1b"]
    yield "1f1b", "", "", "over_model_parallel", gain, "x"
    yield "1f1b", "", "", "twice_model_parallel", float(gain > 2.0), "1"
    yield "printed", "", "", "over_model_parallel", times["model-parallel"] / times["printed"], "x"
    yield "printed", "", "", "over_unpipelined", times["printed-unpipelined"] / times["printed"], "x"
    for reading in ("gpipe-noam", "gpipe-largest"):
        if reading in times:
            yield reading, "", "", "loss_percent", 100.0 * (1.0 - times["1f1b"] / times[reading]), "%"
    yield "printed", "", "", "bytes_saved_percent", saved_percent(printed), "%"


def _open(row: TableRow, graph: LayerGraph, headline: HeadlineSystem) -> Iterator[_Fact]:
    """The same with the cuts of the authors' program, on every system."""
    alone = [1] * row.workers
    straight = plan_configuration(graph, alone, headline.default_rate, CODED)
    printed = plan_configuration(graph, row.printed, headline.default_rate, CODED)
    even = plan_configuration(graph, alone, headline.default_rate, replace(CODED, compression=None))
    for share in (1.0, *REACHED):
        system = headline.system._replace(between=share, inside=share)
        on = "" if share == 1.0 else f"links-{share:g}"
        pipeline = placed(launched(straight, row, system), row, system)
        yield from _gpipe(on, pipeline, straight.noam, headline.memory)
        whole = launched(printed, row, system)
        ours, name = pipeline_s(whole, row, system), on or "nominal"
        gain = comparison.model_parallel_s(placed(whole, row, system)) / ours
        yield "printed", "system", name, "over_unpipelined", gain, "x"
        gain = comparison.model_parallel_s(pipeline) / ours
        yield "printed", "system", name, "over_model_parallel", gain, "x"
        gain = comparison.model_parallel_s(placed(launched(even, row, system), row, system)) / ours
        yield "printed", "system", _joined("even", on), "over_model_parallel", gain, "x"
    if row.profile in SMALL:
        fewer = launched(printed, row, headline.system._replace(minibatch=0.25))
        yield "printed", "system", "quarter", "bytes_saved_percent", saved_percent(fewer), "%"


def _joined(*parts: str) -> str:
    return "-".join(part for part in parts if part)


def _gpipe(on: str, pipeline: Pipeline, noam: int, memory: float) -> Iterator[_Fact]:
    """Throughput that GPipe's flushes cost against 1F1B, at both depths, with and without recomputation."""
    again = replace(pipeline, backward_s=pipeline.backward_s + pipeline.forward_s)
    paces = {"": comparison.one_f_one_b_s(pipeline), "full": comparison.full_one_f_one_b_s(pipeline)}
    for reading, flush in (("gpipe-noam", noam), ("gpipe-largest", comparison.largest_flush(pipeline, memory))):
        if not flush:
            continue
        for how, flushed in (("", pipeline), ("recompute", again)):
            time = comparison.gpipe_s(flushed, flush)
            for warm, pace in paces.items():
                name = _joined(warm, how, on) or "nominal"
                yield reading, "system", name, "loss_percent", 100.0 * (1.0 - pace / time), "%"


def saved_percent(plan: Plan) -> float:
    """Bytes that a pipeline saves over data parallelism."""
    return 100.0 * (1.0 - comparison.bytes_sent(plan) / comparison.data_parallel_bytes_sent(plan))


def overhead(plan: Plan, row: TableRow, workers: int, system: System = NOMINAL) -> float:
    """Share of the time of data parallelism on `workers` GPUs that is not computation."""
    many = row._replace(servers=workers // row.cluster.gpus)
    alone = sum(stage.compute_s for stage in plan.stages) / workers
    return 1.0 - alone / data_parallel_s(plan, many, system)
