"""One instance of SJF-BCO's evaluation beside the published points, for a reader who moves controls."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.plot.published import draw_published, published_key
from rarlib.plot.axes import plain_ticks
from rarlib.plot.gantt import gantt, job_colours
from rarlib.plot.style import ALARM, INK, MUTED, look

_NAMES = {"kappa": "κ (largest gang packed, GPUs)", "lambda": "λ (servers considered)"}


def ended_jobs(runs: Mapping[str, NDArray[Any] | None], published: Mapping[str, float], title: str) -> Figure:
    """Share of jobs that have ended over time, a curve per scheduler, with published makespans on the upper edge.

    `runs`: finish of every job (slots) by scheduler; None: there is no schedule. `published`: makespan by scheduler.
    """
    figure, ax = plt.subplots(figsize=(8.2, 3.4))
    for name, finish in runs.items():
        style = look(name)
        if finish is None:
            ax.plot([], [], color=style.colour, label=f"{style.label}: no schedule")
            continue
        share = 100 * np.arange(len(finish) + 1) / len(finish)
        label = f"{style.label}: {finish.max():.0f}, {finish.mean():.0f}"
        ax.step([0, *np.sort(finish)], share, where="post", color=style.colour, label=label)
        ax.plot(finish.max(), 100, marker=style.marker, color=style.colour)
    for name, makespan in published.items():
        draw_published(ax, makespan, 103, look(name).colour)
    ax.set(xlabel="slots", ylabel="jobs ended (%)", ylim=(0, 106), title=title)
    ax.set_xlim(left=0)
    hollow = [published_key("published makespan")] if published else []
    handles = [*ax.get_legend_handles_labels()[0], *hollow]
    figure.legend(handles=handles, loc="outside right upper", title="makespan, mean completion\n(slots)")
    return figure


def makespans(values: "pd.Series[float]", published: "pd.Series[float]", bound: float, name: str, title: str) -> Figure:
    """Makespan of SJF-BCO over a parameter.

    Args:
        values: makespan (slots) by value of the parameter; NaN: no schedule.
        published: the same, as published.
        bound: proven bound on the makespan, slots.
        name: kappa or lambda.
        title: of the figure.
    """
    figure, ax = plt.subplots(figsize=(6.6, 3.4))
    style = look("sjf-bco")
    ax.plot(values.index, values, color=style.colour, marker=style.marker, label="this instance")
    for x, value in values[values.diff() != 0].dropna().items():
        ax.annotate(f"{value:.0f}", (x, value), (0, 6), textcoords="offset points", ha="center", fontsize=8.5)
    draw_published(ax, published.index, published, ls="--", lw=1.2, label="published")
    ax.axhline(bound, color=INK, lw=1.2, ls=(0, (4, 1.5, 1, 1.5)), label="no schedule does better")
    ax.set_xscale("log", base=2)
    plain_ticks(ax.xaxis, sorted({*values.index, *published.index}))
    ax.set(xlabel=_NAMES[name], ylabel="makespan (slots)", ylim=(0, None), title=title)
    figure.legend(loc="outside right upper")
    return figure


def two_schedules(schedules: Mapping[str, pd.DataFrame], sizes: Sequence[int]) -> Figure:
    """Gantt charts one above the other on the same axis; a job has one colour in both.

    `schedules`: title -> when each job holds GPUs of each server: job_id, start_s, end_s, node, gpus (slots); `sizes`:
    GPUs of each server.
    """
    figure, axes = plt.subplots(len(schedules), 1, figsize=(8.2, 1.2 + 0.42 * sum(sizes) * len(schedules)), sharex=True)
    frames = schedules.values()
    colours = job_colours(sorted({job for frame in frames for job in frame["job_id"]}), frames, sizes)
    end = max(float(frame["end_s"].max()) for frame in frames)
    for ax, (title, frame) in zip(np.atleast_1d(axes), schedules.items(), strict=True):
        gantt(ax, frame, sizes, colours=colours, title=title, end=end)
    return figure


def published_ratios(ratios: "pd.Series[float]", within: "pd.Series[float]", title: str) -> Figure:
    """Our value over the published one, a row per published number, with the band of its tolerance.

    `ratios`: by label, NaN where the run gives no value; `within`: tolerance relative to the published number, in the
    same order.
    """
    figure, ax = plt.subplots(figsize=(7.4, 0.2 * len(ratios) + 1.3))
    rows = np.arange(len(ratios))
    ax.barh(rows, 2 * within, left=1 - within, height=0.8, color=MUTED, alpha=0.25, label="tolerance")
    out = (ratios - 1).abs().to_numpy() > within.to_numpy()
    for inside, colour, label in ((~out, look("sjf-bco").colour, "brought out"), (out, ALARM, "not brought out")):
        shown = inside & ratios.notna().to_numpy()
        ax.plot(ratios[shown], rows[shown], "o", ms=4.5, color=colour, label=label)
    ax.axvline(1, color=INK, lw=1)
    ax.set_xscale("log", base=2)
    plain_ticks(ax.xaxis, (0.25, 0.5, 1, 2, 4))
    ax.set_yticks(rows, ratios.index, fontsize=8)
    ax.set(xlabel="this run over the published value", title=title, ylim=(len(rows) - 0.4, -0.6), xlim=(0.2, 5))
    ax.grid(axis="y", visible=False)
    figure.legend(loc="outside right upper")
    return figure
