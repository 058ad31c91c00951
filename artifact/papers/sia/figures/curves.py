"""Sia (SOSP 2023) over a parameter: arrival rate, exponent p, round length, shares of jobs that adapt less."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.papers.sia.figures.comparison import ONE_FILE, POLICY_ORDER, files_in
from artifact.papers.sia.figures.hybrid import hybrid_scaling
from artifact.plot.published import draw_published, published_curve, published_key, published_value
from artifact.plot.strips import bars, over
from rarlib.plot.axes import from_zero, name_columns
from rarlib.plot.frames import in_order, pick
from rarlib.plot.style import INK, MUTED, Look, look

RELATIVE = {
    "avg_jct": ("avg JCT", "average JCT", INK, "o"),
    "p99_jct": ("p99 JCT", "99th percentile", "#0072b2", "s"),
    "makespan": ("makespan", "makespan", "#e69f00", "^"),
}
"""Metric -> its name in the published numbers, label, colour, marker; for figures of one scheduler's metrics."""


KNOWN_BEFORE = {
    "oracle": "oracle",
    "projection-paper": "bootstrap,\nas in the text",
    "bootstrap": "bootstrap,\nas coded",
    "none": "none",
}
"""What Sia knows of GPU types that a job has not seen, and its label."""


def _curve(ax: Axes, frame: pd.DataFrame, metric: str, drawn: Look, points: "pd.Series[float]") -> None:
    """Published points and ours, with a thin line per workload file if there are several (seed 0: all together)."""
    label, colour, marker = drawn
    own = pick(frame, metric=metric)
    draw_published(ax, points.index, points, colour, label=f"{label}: published, not run" if own.empty else None)
    if own.empty:
        return
    files = own[own["seed"] > 0]
    if files_in(files) > 1:
        each: dict[str, Any] = {
            "units": "seed",
            "estimator": None,
            "color": colour,
            "alpha": 0.25,
            "lw": 0.8,
            "legend": False,
        }
        sns.lineplot(files.astype({"x": float}), x="x", y="value", **each, ax=ax)
    over(ax, files if len(files) else own, colour, marker, label=label)


def _legend(figure: Figure, axes: list[Axes], frame: pd.DataFrame) -> None:
    known = {handle.get_label(): handle for ax in axes for handle in ax.get_legend_handles_labels()[0]}
    handles = list(known.values())
    files = files_in(frame)
    if files > 1:
        handles.append(Line2D([], [], color=MUTED, alpha=0.5, lw=0.8, label="a workload file"))
    elif files == 1:
        handles.append(Line2D([], [], lw=0, label="ours: a single workload file"))
    handles.append(published_key(colour=MUTED))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def arrival_rates(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Average JCT over the arrival rate; Sia and Pollux are drawn again on an axis of their own."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
    names = list(dict.fromkeys([*in_order(frame, POLICY_ORDER), "sia", "pollux", "gavel"]))
    for ax, shown in zip(axes, (names, [name for name in names if name in ("sia", "pollux")]), strict=True):
        for name in shown:
            style = look(name)
            points = published_curve(published, "sia", "arrival-rate figure", style.label)
            _curve(ax, pick(frame, scheduler=name), "avg_jct", Look(*style), points)
        ax.set(xlabel="arrivals (jobs per hour)", ylabel="average JCT (h)")
        ax.set_xticks(sorted(set(frame["x"].astype(float))))
        from_zero(ax)
    _legend(figure, list(axes), frame)
    return figure


def sensitivity(powers: pd.DataFrame, rounds: pd.DataFrame, known: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Sia over the exponent p, each metric relative to its best, over the length of a round, and by what it knows."""
    figure, (left, right, last) = plt.subplots(1, 3, figsize=(13.2, 4.4))
    for metric, (series, *drawn) in RELATIVE.items():
        _curve(left, powers, f"{metric}_relative", Look(*drawn), published_curve(published, "sia", "p sweep", series))
    left.axhline(1, color=MUTED, lw=0.8)
    left.set(xlabel="p", ylabel="relative to the best p", xticks=(-1, -0.5, 0, 0.5, 1))
    points = published_curve(published, "sia", "round-length figure", "Sia")
    _curve(right, rounds, "avg_jct", Look(*look("sia")), points)
    right.set(xlabel="length of a round (s)", ylabel="average JCT (h)", xticks=sorted(set(rounds["x"].astype(float))))
    from_zero(right)
    _by_knowledge(last, known, published)
    for ax, title in ((left, "Exponent p"), (right, "Length of a round"), (last, "What is known of a job")):
        ax.set_title(title)
    _legend(figure, [left, right], rounds)
    return figure


def _by_knowledge(ax: Axes, frame: pd.DataFrame, published: pd.DataFrame) -> None:
    """Average JCT in each reading of `KNOWN_BEFORE`, as bars with workload files and published values."""
    labels = {reading: label for reading, label in KNOWN_BEFORE.items() if reading in set(frame["reading"])}
    own = pick(frame, metric="avg_jct")
    bars(ax, own[own["seed"] > 0], "reading", list(labels), {"sia": look("sia").colour}, once=ONE_FILE)
    theirs = [published_value(published, "sia", "bootstrap figure", reading, "avg JCT") for reading in labels]
    draw_published(ax, range(len(labels)), theirs)
    name_columns(ax, list(labels.values()))
    ax.set_ylabel("average JCT (h)")
    from_zero(ax)


_LESS_ADAPTIVE = {
    "strong-scaling share": "Batch fixed, GPUs adapted (strong scaling)",
    "rigid share": "Batch and GPUs fixed (rigid)",
}


def other_jobs(frames: Mapping[str, pd.DataFrame], hybrid: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Above: average JCT and makespan over the share of jobs that adapt less. Below: a job of many pipelines.

    `frames`: published name of the figure, a key of `_LESS_ADAPTIVE` -> tidy rows, one panel each.
    """
    figure, (above, below) = plt.subplots(2, 2, figsize=(10.5, 8.0))
    for ax, (where, frame) in zip(above, frames.items(), strict=True):
        for metric in ("avg_jct", "makespan"):
            series, *drawn = RELATIVE[metric]
            points = published_curve(published, "sia", where, series)
            _curve(ax, frame, f"{metric}_relative", Look(*drawn), points)
        ax.axhline(1, color=MUTED, lw=0.8)
        ax.set(xlabel="share of such jobs (%)", ylabel="relative to adaptive jobs only")
        ax.set_title(_LESS_ADAPTIVE[where])
    hybrid_scaling(below[0], below[1], hybrid)
    _legend(figure, list(above), pd.concat(frames.values()))
    return figure
