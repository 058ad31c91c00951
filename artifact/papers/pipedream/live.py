"""PipeDream's planner and its pipelines under other links, memories and schedules, while a reader watches."""

from dataclasses import replace
from functools import cache

import pandas as pd
from matplotlib.figure import Figure

from artifact.papers.pipedream.choices import CODED, PIPEDREAM_STATED
from artifact.papers.pipedream.figures import live
from artifact.papers.pipedream.inference import SPEEDUPS, profile_of, recorded_bench
from artifact.papers.pipedream.placed import NOMINAL, System, data_parallel_s, launched, pipeline_s, placed
from artifact.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1
from artifact.papers.pipedream.timeline import pictured, timeline_rows
from rarlib.pipeline import comparison
from rarlib.pipeline.graph_json import to_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration, plan_pipeline
from rarlib.plot.style import mark

ROWS_BY_LABEL = {row.label: row for table in (TABLE_1, SCHEDULE_ROWS) for rows in table.values() for row in rows}
PRICES = {"as coded": CODED, "as published": Options(compression=1.0)}
SHARES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Rates of the links, over the nominal ones."""
_FLUSHES = (1, 2, 4, 8, 16, 32, 64)
_LABELS = {number: label for label, number in SPEEDUPS.items()}


def _marked(figure: Figure, *names: str) -> Figure:
    if any(profile_of(name).standin for name in names):
        mark(figure, ["STAND-IN DATA: analytic profiles in place of the measured ones"])
    return figure


@cache
def planned_stages(label: str, prices: str, share: float) -> Plan:
    """The planner's choice with all GPUs on one level, whose links have this share of the nominal rate."""
    row = ROWS_BY_LABEL[label]
    return plan_pipeline(profile_of(row.profile).graph, [row.workers], [share * row.bandwidth[-1]], PRICES[prices])


def speedup(label: str, plan: Plan, share: float) -> float:
    """Simulated speed-up of a plan over data parallelism when all links have this share of their nominal rate."""
    row, system = ROWS_BY_LABEL[label], System(between=share, inside=share)
    run = launched(plan, row, system)
    return data_parallel_s(run, row, system) / pipeline_s(run, row, system)


@cache
def speedups(label: str, prices: str) -> pd.DataFrame:
    """Speed-ups over data parallelism of the planner's choice and of the printed configuration, by rate of the links.

    `label`: of a row of Table 1.

    Returns:
        A row for each of `SHARES`, columns `chosen`, `printed` and `configuration` (the planner's).
    """
    row = ROWS_BY_LABEL[label]
    rate = row.bandwidth[-1]
    printed = plan_configuration(profile_of(row.profile).graph, row.printed, rate, PRICES["as published"])
    plans = {share: planned_stages(label, prices, share) for share in SHARES}
    rows = [(speedup(label, p, s), speedup(label, printed, s), p.configuration) for s, p in plans.items()]
    return pd.DataFrame(rows, index=list(SHARES), columns=["chosen", "printed", "configuration"])


def partition_picture(published: pd.DataFrame, row: str, prices: str, links: float) -> Figure:
    """Figure of a row of Table 1: speed-up over the rate of the links, and the stages chosen at one rate."""
    plan, name = planned_stages(row, prices, links), ROWS_BY_LABEL[row].profile
    return _marked(live.partition_figure(speedups(row, prices), plan.stages, links, row, published), name)


def passes(model: str, schedule: str, gbps: float, extra: int, workers: int = 4) -> Figure:
    """Figure of a timeline of the planner's pipeline.

    Args:
        model: `VGG-16` or `GNMT-8`.
        schedule: a key of `timeline.SCHEDULE_KINDS`.
        gbps: Gbit/s between the GPUs.
        extra: minibatches that a worker of 1F1B admits beyond its warm-up, for every boundary still to come.
        workers: GPUs.
    """
    rows = timeline_of(model, schedule, gbps, extra, workers)
    return _marked(live.timeline_figure(rows), "pipedream-vgg16", "pipedream-gnmt")


@cache
def timeline_of(model: str, schedule: str, gbps: float, extra: int, workers: int = 4) -> pd.DataFrame:
    """Tidy rows of a timeline; arguments as those of `passes`."""
    plan = _pictured(gbps, workers)[model]
    return timeline_rows(schedule, {model: plan}, 16, extra=extra)


@cache
def _pictured(gbps: float, workers: int) -> dict[str, Plan]:
    names = ("pipedream-vgg16", "pipedream-gnmt")
    return pictured({name: to_json(profile_of(name).graph) for name in names}, workers, gbps * 1.25e8)


@cache
def flush_losses(label: str, links: float, recompute: bool) -> tuple["pd.Series[float]", int]:
    """Throughput that GPipe's flushes cost a straight pipeline against 1F1B, percent.

    Args:
        label: of a row.
        links: share of the nominal rates that is reached.
        recompute: whether GPipe repeats forward passes instead of keeping activations.

    Returns:
        Loss by minibatches between flushes; NOAM.
    """
    row, system = ROWS_BY_LABEL[label], NOMINAL._replace(between=links, inside=links)
    plan = plan_configuration(profile_of(row.profile).graph, [1] * row.workers, row.bandwidth[-1])
    pipeline = placed(launched(plan, row, system), row, system)
    again = pipeline.forward_s if recompute else 0.0
    flushed = replace(pipeline, backward_s=pipeline.backward_s + again)
    pace = comparison.one_f_one_b_s(pipeline)
    losses = {count: 100.0 * (1.0 - pace / comparison.gpipe_s(flushed, count)) for count in (*_FLUSHES, plan.noam)}
    return pd.Series(losses).sort_index(), plan.noam


def flush_picture(published: pd.DataFrame, row: str, links: float, recompute: bool) -> Figure:
    """Figure of what GPipe's flushes cost; arguments as those of `flush_losses`."""
    losses, noam = flush_losses(row, links, recompute)
    return _marked(live.flush_figure(losses, noam, row, published), ROWS_BY_LABEL[row].profile)


def reached_picture(
    published: pd.DataFrame, links: float, inside: float, overlap: bool, limit: float | None = None
) -> Figure:
    """Figure of all speed-ups of Table 1 at rates that a reader chooses, beside the published ones.

    Args:
        published: the published numbers.
        links: share of the nominal rate between servers that is reached.
        inside: the same inside a server.
        overlap: whether data parallelism hides its exchange behind the backward pass.
        limit: GB/s that an all-reduce reaches at most between servers; None: no limit.
    """
    values = speedups_reached(links, inside, overlap, limit)
    return _marked(live.reached_figure(values, published), *(row.profile for row in ROWS_BY_LABEL.values()))


@cache
def speedups_reached(links: float, inside: float, overlap: bool, limit: float | None) -> "pd.Series[float]":
    """Speed-up over data parallelism by row of Table 1; arguments as those of `reached_picture`."""
    chosen = {"between": links, "inside": inside, "overlap": overlap, "limit": limit}
    found = recorded_bench().outcomes({**PIPEDREAM_STATED, **chosen})
    return pd.Series({label: found[number] for number, label in _LABELS.items()})
