"""Figures 4 to 7 of GADGET (INFOCOM 2022): ours with their spread over instances, published points beside them."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.plot.frames import pick
from rarlib.plot.style import GRID, INK, MUTED, look, note

ORDER = ("gadget", "drf", "las", "fifo")
"""Policies of the paper, best first by its Fig. 4; its Tiresias is our LAS."""

SERIES = {"gadget": "GADGET", "drf": "DRF", "las": "Tiresias", "fifo": "FIFO"}
"""Names of the policies in the published figures."""

_PUBLISHED: dict[str, Any] = {"marker": "D", "mfc": "white", "mew": 1.3, "ms": 6, "ls": "--", "lw": 1.0}


def published_points(published: pd.DataFrame, where: str, series: str) -> "pd.Series[float]":
    """Published values of a series in a figure, by number of jobs."""
    rows = pick(published, paper="gadget", where=where, series=series)
    return pd.Series(rows["value"].astype(float).to_numpy(), rows["x"].str.removeprefix("jobs=").astype(float))


def by_seed(frame: pd.DataFrame, metric: str, **wanted: object) -> pd.DataFrame:
    """Values of a metric: a row per number of jobs, a column per seed."""
    return pick(frame, metric=metric, **wanted).pivot_table(index="x", columns="seed", values="value").sort_index()


def total_utility(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 4: total utility over the number of jobs, and GADGET's relative to that of each baseline.

    Args:
        frame: tidy rows of fig4.
        published: the published numbers.
    """
    frame = pick(frame, reading="headline")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.4), width_ratios=[1.15, 1])
    gadget = by_seed(frame, "utility", scheduler="gadget")
    for i, name in enumerate(ORDER):
        ours, points = by_seed(frame, "utility", scheduler=name), published_points(published, "Fig. 4", SERIES[name])
        dodge = (i - 1.5) * 1.3
        _line(left, ours, name, dodge)
        left.plot(points.index + dodge, points, color=look(name).colour, **_PUBLISHED)
        if name != "gadget":
            _line(right, gadget / ours, name, dodge)
            theirs = published_points(published, "Fig. 4", "GADGET") / points
            right.plot(theirs.index + dodge, theirs, color=look(name).colour, **_PUBLISHED)
    ceiling = gadget / by_seed(frame, "of_ceiling", scheduler="gadget")
    left.plot(ceiling.index, ceiling.mean(axis=1), color=GRID, lw=9, solid_capstyle="round", zorder=1)
    right.axhline(1, color=MUTED, lw=0.8)
    ticks = sorted({*gadget.index, *points.index})
    left.set(xlabel="jobs", ylabel="total utility", ylim=(0, None), xticks=ticks)
    right.set(xlabel="jobs", ylabel="utility of GADGET / utility of the other", xticks=ticks)
    note(left, f"{gadget.shape[1]} instances: mean and standard deviation")
    handles = [
        *(Line2D([], [], color=look(n).colour, marker=look(n).marker, label=_label(n)) for n in ORDER),
        Line2D([], [], color=GRID, lw=9, label="all there is: the sum of λ1"),
        Line2D([], [], color=MUTED, label="published (hollow)", **_PUBLISHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _label(name: str) -> str:
    return "LAS (Tiresias)" if name == "las" else look(name).label


def _line(ax: Axes, grid: pd.DataFrame, name: str, dodge: float) -> None:
    style = look(name)
    ax.plot(grid.index + dodge, grid.to_numpy(), style.marker, ms=3, color=style.colour, alpha=0.2, mew=0)
    mean, spread = grid.mean(axis=1), grid.std(axis=1).fillna(0.0)
    ax.errorbar(grid.index + dodge, mean, yerr=spread, color=style.colour, marker=style.marker, ms=6, capsize=2.5)


def embedded_ratio(frame: pd.DataFrame, published: pd.DataFrame, where: str, readings: Mapping[str, str]) -> Figure:
    """Fig. 5 and 6: share of active jobs that GADGET embeds, one panel per reading, one line per factor.

    Args:
        frame: tidy rows of the figure; `setup` is the factor.
        published: the published numbers.
        where: the figure as named there.
        readings: reading -> title of its panel; those that the frame does not have are left out.
    """
    shown = [reading for reading in readings if reading in set(frame["reading"])]
    figure, axes = plt.subplots(1, len(shown), figsize=(3.9 * len(shown) + 1.2, 4.3), sharey=True, squeeze=False)
    factors = sorted(frame["setup"].unique(), key=float)
    colours = mpl.colormaps["viridis"](np.linspace(0.05, 0.85, len(factors)))
    for ax, reading in zip(axes[0], shown, strict=True):
        for i, (factor, colour) in enumerate(zip(factors, colours, strict=True)):
            grid = by_seed(frame, "embedded", reading=reading, setup=factor)
            points = published_points(published, where, f"factor={factor}")
            dodge = (i - (len(factors) - 1) / 2) * 1.1
            ax.errorbar(
                grid.index + dodge, grid.mean(axis=1), yerr=grid.std(axis=1).fillna(0.0), color=colour, marker="o",
                ms=5.5, capsize=2.5, label=f"factor {factor}",
            )  # fmt: skip
            ax.plot(points.index + dodge, points, color=colour, **{**_PUBLISHED, "ms": 5})
            ax.set(xlabel="jobs", xticks=sorted({*grid.index, *points.index}), ylim=(0, 104))
        ax.set_title(readings[reading])
    axes[0][0].set_ylabel("embedded jobs / active jobs (%)")
    handles = [
        *axes[0][0].get_legend_handles_labels()[0],
        Line2D([], [], color=MUTED, label="published (hollow)", **{**_PUBLISHED, "ms": 5}),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def approximation(frame: pd.DataFrame, published: pd.DataFrame, readings: Mapping[str, str]) -> Figure:
    """Fig. 7: value of the rounding relative to the optimum of the slot, over the number of jobs.

    Args:
        frame: tidy rows of fig7.
        published: the published numbers.
        readings: reading -> label, four at most; the first with filled markers.
    """
    figure, ax = plt.subplots(figsize=(7.6, 4.8))
    colour = look("gadget").colour
    shapes = [("o", "-"), ("s", "--"), ("p", "-."), ("v", ":")]
    for i, ((reading, label), (marker, stroke)) in enumerate(zip(readings.items(), shapes, strict=False)):
        grid = by_seed(frame, "ratio", reading=reading)
        if grid.empty:
            continue
        xs, face = grid.index + (i - (len(readings) - 1) / 2) * 0.7, colour if i == 0 else "white"
        ax.plot(xs, grid.to_numpy(), marker, ms=4, color=colour, alpha=0.4, mew=0)
        ax.plot(xs, grid.mean(axis=1), color=colour, marker=marker, mfc=face, ms=6.5, ls=stroke, lw=1.3, label=label)
    points = published_points(published, "Fig. 7", "approximation ratio")
    ax.plot(points.index, points, color=INK, label="published", **_PUBLISHED)
    ax.axhline(1 / 3, color=MUTED, lw=1, ls=":")
    ax.annotate("1/3, the bound of Theorem 8", (points.index[0], 1 / 3), va="bottom", color=MUTED, fontsize=8.5)
    ax.set(xlabel="jobs", ylabel="rounded value / optimum, mean over slots", ylim=(0, 1.05), xticks=points.index)
    note(ax, f"{frame['seed'].nunique()} instances: dots; their mean: lines")
    figure.legend(loc="outside lower center", ncols=3)
    return figure
