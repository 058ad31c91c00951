"""PipeDream's pipelines beside the published points, for a reader who moves controls."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from artifact.papers.pipedream.figures.evaluation import published_loss, published_speedups
from artifact.plot.published import draw_published, published_key
from rarlib.plot import timeline
from rarlib.plot.axes import name_rows, plain_ticks
from rarlib.plot.style import GRID, INK, MUTED, look, note

_CHOSEN, _PRINTED = "#0072b2", look("pipedream").colour
_TIMES = ((-0.2, "compute_s", _CHOSEN, "computing"), (0.2, "sync_s", INK, "exchange"))


def partition_figure(
    speedups: pd.DataFrame, stages: Sequence[Any], share: float, row: str, published: pd.DataFrame
) -> Figure:
    """Speed-up over data parallelism by rate of the links, and what the stages chosen at one rate take.

    Args:
        speedups: by rate over the nominal one, columns `chosen`, `printed` and `configuration`.
        stages: of the plan at this rate, with `replicas`, `compute_s` and `sync_s`.
        share: the rate, over the nominal one.
        row: label of the row of Table 1.
        published: the published numbers.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6))
    for name, colour, marker in (("chosen", _CHOSEN, "o"), ("printed", _PRINTED, "*")):
        left.plot(speedups.index, speedups[name], color=colour, marker=marker, label=f"{name} configuration")
    left.axvline(share, color=MUTED, lw=1, ls=":")
    left.axhline(1, color=MUTED, lw=0.8)
    printed = published_speedups(published)
    handles, _ = left.get_legend_handles_labels()
    if row in printed.index:
        draw_published(left, 1.0, printed[row], INK)
        handles.append(published_key())
    left.set(xscale="log", xlabel="rate of all links / nominal", ylabel="speed-up over data parallelism", title=row)
    left.set_ylim(bottom=0)
    plain_ticks(left.xaxis, tuple(speedups.index))
    names = [f"stage {at}: x{stage.replicas}" for at, stage in enumerate(stages)]
    places = np.arange(len(stages))
    for shift, attribute, colour, label in (
        (-0.2, "compute_s", _CHOSEN, "computing"),
        (0.2, "sync_s", INK, "exchange"),
    ):
        times = [1e3 * getattr(stage, attribute) / stage.replicas for stage in stages]
        right.barh(places + shift, times, 0.38, color=colour, label=f"{label}, per minibatch")
    name_rows(right, names)
    right.set(xlabel="ms per minibatch, over the stage's replicas", title=f"Chosen: {_short(speedups, share)}")
    handles += right.get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _short(speedups: pd.DataFrame, share: float, most: int = 24) -> str:
    text = str(speedups["configuration"][share])
    return text if len(text) <= most else f"{text.count('-') + 1} stages"


def timeline_figure(rows: pd.DataFrame) -> Figure:
    """The passes of one schedule, with its idle share.

    `rows`: tidy rows of the timeline of one set-up and schedule.
    """
    schedule = str(rows["scheduler"].iloc[0])
    summary = rows[rows["reading"] == "summary"].set_index("metric")["value"]
    memory = rows[(rows["reading"] == "memory") & (rows["metric"] == "bytes")]["value"].max()
    described = f"{1e3 * summary['period_s']:.0f} ms per minibatch, {100 * summary['bubble']:.0f} % idle"
    panels = timeline.schedule_panels(rows, {schedule: f"{described}, at most {memory / 1e9:.1f} GB on a GPU"})
    return timeline.timelines([panels], [0.6 * panels[0].operations["end_s"].max()])


def flush_figure(losses: "pd.Series[float]", noam: int, row: str, published: pd.DataFrame) -> Figure:
    """Throughput lost to flushes over the minibatches between them, with the published loss at NOAM.

    `losses`: percent, by minibatches between flushes; `noam`: minibatches that fill the pipeline.
    """
    figure, ax = plt.subplots(figsize=(7.5, 3.4))
    ax.plot(losses.index, losses, color=_CHOSEN, marker="o", label="ours")
    ax.axvline(noam, color=MUTED, lw=1, ls=":", label=f"NOAM: {noam}")
    ax.axhline(0, color=GRID, lw=1.5)
    handles, _ = ax.get_legend_handles_labels()
    loss = published_loss(published, row, "gpipe-noam")
    if loss is not None:
        draw_published(ax, noam, loss, INK)
        handles.append(published_key(f"published at NOAM: {loss:.0f} %"))
    largest = published_loss(published, row, "gpipe-largest")
    if largest is not None:
        ax.axhline(largest, color=INK, lw=1, ls="--")
        note(ax, f"dashed: the paper's least loss at the largest depth that fits, {largest:.0f} %")
    ax.set(
        xscale="log", xlabel="minibatches between flushes", ylabel="throughput lost to flushes (%)", ylim=(None, 100)
    )
    plain_ticks(ax.xaxis, tuple(losses.index))
    figure.legend(handles=handles, loc="outside right upper", title=row)
    return figure


def reached_figure(values: "pd.Series[float]", published: pd.DataFrame) -> Figure:
    """Speed-ups by row of Table 1 beside the published ones and the 10 % around them.

    `values`: by label of the row.
    """
    printed = published_speedups(published).reindex(values.index)
    hit = (values - printed).abs() <= 0.1 * printed
    figure, ax = plt.subplots(figsize=(8, 3.9))
    places = np.arange(len(values))
    ax.hlines(places, 0.9 * printed, 1.1 * printed, color=GRID, lw=9, zorder=1)
    ax.scatter(values, places, marker="*", s=110, color=[_PRINTED if near else MUTED for near in hit], zorder=3)
    draw_published(ax, printed, places)
    ax.axvline(1, color=MUTED, lw=1, ls=":")
    ax.set(xscale="log", xlabel="speed-up over data parallelism (logarithmic)")
    plain_ticks(ax.xaxis, (0.3, 0.5, 1, 2, 3, 5, 10))
    ax.set_title(f"{int(hit.sum())} of {len(hit)} speed-ups within 10 %")
    name_rows(ax, [str(label) for label in values.index])
    return figure
