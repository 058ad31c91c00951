"""Figures 4 to 7 of GADGET (INFOCOM 2022): our values with their spread over instances, beside the published points."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.plot.axes import dodges
from rarlib.plot.frames import pick
from rarlib.plot.published import draw_published, published_curve, published_key
from rarlib.plot.strips import over
from rarlib.plot.style import GRID, MUTED, look, note

_ORDER = ("gadget", "drf", "las", "fifo")
"""Schedulers of the paper, best first according to its Fig. 4; its Tiresias is our LAS."""

SERIES = {"gadget": "GADGET", "drf": "DRF", "las": "Tiresias", "fifo": "FIFO"}
"""Names of the schedulers in the published figures."""

_DASHED = {"ls": "--", "lw": 1.0}


def total_utility(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 4: total utility over the number of jobs, and GADGET's relative to that of each baseline.

    Args:
        frame: tidy rows of fig4.
        published: the published numbers.
    """
    frame = pick(frame, reading="headline")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.4), width_ratios=[1.15, 1])
    utility = pick(frame, metric="utility")
    gadget = pick(utility, scheduler="gadget").set_index(["x", "seed"])["value"]
    printed = {name: published_curve(published, "gadget", "Fig. 4", SERIES[name]) for name in _ORDER}
    for name, shift in dodges(_ORDER, 1.3).items():
        style, ours = look(name), pick(utility, scheduler=name)
        drawn: dict[str, Any] = {
            "colour": style.colour,
            "marker": style.marker,
            "shift": shift,
            "dots": {},
            "errorbar": "sd",
        }
        over(left, ours, **drawn)
        draw_published(left, printed[name].index + shift, printed[name], style.colour, **_DASHED)
        if name != "gadget":
            over(right, (gadget / ours.set_index(["x", "seed"])["value"]).reset_index(), **drawn)
            theirs = printed["gadget"] / printed[name]
            draw_published(right, theirs.index + shift, theirs, style.colour, **_DASHED)
    share = pick(frame, metric="of_ceiling", scheduler="gadget").set_index(["x", "seed"])["value"]
    ceiling = (gadget / share).groupby("x").mean()
    left.plot(ceiling.index, ceiling, color=GRID, lw=9, solid_capstyle="round", zorder=1)
    right.axhline(1, color=MUTED, lw=0.8)
    ticks = sorted({*ceiling.index, *theirs.index})
    left.set(xlabel="jobs", ylabel="total utility", ylim=(0, None), xticks=ticks)
    right.set(xlabel="jobs", ylabel="utility of GADGET / utility of the other", xticks=ticks)
    note(left, f"{utility['seed'].nunique()} instances: mean and standard deviation")
    handles = [
        *(Line2D([], [], color=look(n).colour, marker=look(n).marker, label=_label(n)) for n in _ORDER),
        Line2D([], [], color=GRID, lw=9, label="all there is: the sum of λ1"),
        published_key("published (hollow)", MUTED, **_DASHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _label(name: str) -> str:
    return "LAS (Tiresias)" if name == "las" else look(name).label


def embedded_ratio(frame: pd.DataFrame, published: pd.DataFrame, where: str, readings: Mapping[str, str]) -> Figure:
    """Fig. 5 and 6: share of active jobs that GADGET embeds, one panel per reading, one line per factor.

    Args:
        frame: tidy rows of the figure; `setup` is the factor.
        published: the published numbers.
        where: name of the figure in the published numbers.
        readings: reading -> title of its panel; readings that the frame lacks are left out.
    """
    shown = [reading for reading in readings if reading in set(frame["reading"])]
    figure, axes = plt.subplots(1, len(shown), figsize=(3.9 * len(shown) + 1.2, 4.3), sharey=True, squeeze=False)
    factors = sorted(frame["setup"].unique(), key=float)
    colours = colormaps["viridis"](np.linspace(0.05, 0.85, len(factors)))
    shifts = dodges(factors, 1.1)
    for ax, reading in zip(axes[0], shown, strict=True):
        for factor, colour in zip(factors, colours, strict=True):
            ours = pick(frame, metric="embedded", reading=reading, setup=factor)
            over(ax, ours, colour, "o", shift=shifts[factor], errorbar="sd", label=f"factor {factor}")
            points = published_curve(published, "gadget", where, f"factor={factor}")
            draw_published(ax, points.index + shifts[factor], points, colour, **_DASHED)
            ax.set(xlabel="jobs", xticks=sorted({*ours["x"], *points.index}), ylim=(0, 104))
        ax.set_title(readings[reading])
    axes[0][0].set_ylabel("embedded jobs / active jobs (%)")
    handles = [
        *axes[0][0].get_legend_handles_labels()[0],
        published_key("published (hollow)", MUTED, **_DASHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def rounding_quality(frame: pd.DataFrame, published: pd.DataFrame, readings: Mapping[str, str]) -> Figure:
    """Fig. 7: value of the rounded solution relative to the optimum of the slot, over the number of jobs.

    Args:
        frame: tidy rows of fig7.
        published: the published numbers.
        readings: reading -> label, at most four; the first has filled markers.
    """
    figure, ax = plt.subplots(figsize=(7.6, 4.8))
    colour = look("gadget").colour
    shapes = [("o", "-"), ("s", "--"), ("p", "-."), ("v", ":")]
    shifts = dodges(list(readings), 0.7)
    for (reading, label), (marker, stroke) in zip(readings.items(), shapes, strict=False):
        ours = pick(frame, metric="ratio", reading=reading)
        line = {"ls": stroke, "lw": 1.3, "ms": 6.5, "mec": colour, "mew": 1.3, "label": label}
        if len(ours):
            face = colour if stroke == "-" else "white"
            over(ax, ours, colour, marker, shift=shifts[reading], dots={"s": 16, "alpha": 0.4}, mfc=face, **line)
    points = published_curve(published, "gadget", "Fig. 7", "approximation ratio")
    draw_published(ax, points.index, points, label="published", **_DASHED)
    ax.axhline(1 / 3, color=MUTED, lw=1, ls=":")
    ax.annotate("1/3, the bound of Theorem 8", (points.index[0], 1 / 3), va="bottom", color=MUTED, fontsize=8.5)
    ax.set(xlabel="jobs", ylabel="rounded value / optimum, mean over slots", ylim=(0, 1.05), xticks=points.index)
    note(ax, f"{frame['seed'].nunique()} instances: dots; their mean: lines")
    figure.legend(loc="outside lower center", ncols=3)
    return figure
