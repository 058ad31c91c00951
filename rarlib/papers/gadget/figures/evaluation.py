"""Figures 4 to 7 of GADGET (INFOCOM 2022): our values with their spread over instances, beside the published points."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
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


FILL_LABEL = "GADGET + fill"
"""The series in which jobs that Alg. 2 leaves out get what is left; drawn open, in GADGET's colour."""

_SLOT_METRICS = (
    "ratio", "jobs_per_slot", "slots_decided", "worst_ratio", "nothing", "filled", "lp_ilp_rounded", "proven",
    "worst_gap",
)  # fmt: skip

_OPEN: dict[str, Any] = {"mfc": "white", "ls": ":"}


def by_filling(frame: pd.DataFrame, reading: str) -> float:
    """Share of the jobs with workers that Alg. 2 did not place, percent, mean over all runs of a reading."""
    return float(pick(frame, metric="filled", reading=reading)["value"].mean())


def total_utility(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 4: total utility over the number of jobs, and that of GADGET, with and without fill, relative to the others.

    Args:
        frame: tidy rows of fig4.
        published: the published numbers.
    """
    figure, axes = plt.subplots(1, 3, figsize=(13.2, 4.5), width_ratios=[1.25, 1, 1])
    utility = pick(frame, metric="utility")
    ours = {name: pick(utility, reading="headline", scheduler=name) for name in _ORDER}
    ours["fill"] = pick(utility, reading="fill", scheduler="gadget")
    printed = {name: published_curve(published, "gadget", "Fig. 4", SERIES[name]) for name in _ORDER}
    for name, shift in dodges(list(ours), 1.2).items():
        style = look("gadget" if name == "fill" else name)
        _line(axes[0], ours[name], style.colour, style.marker, shift, opened=name == "fill")
        if name != "fill":
            draw_published(axes[0], printed[name].index + shift, printed[name], style.colour, **_DASHED)
    for ax, top in zip(axes[1:], ("gadget", "fill"), strict=True):
        above = ours[top].set_index(["x", "seed"])["value"]
        for name, shift in dodges(_ORDER[1:], 1.2).items():
            style = look(name)
            ratio = (above / ours[name].set_index(["x", "seed"])["value"]).reset_index()
            _line(ax, ratio, style.colour, style.marker, shift)
            theirs = printed["gadget"] / printed[name]
            draw_published(ax, theirs.index + shift, theirs, style.colour, **_DASHED)
        ax.axhline(1, color=MUTED, lw=0.8)
        ax.set(xlabel="jobs", ylim=(0, None))
    ceiling = _ceiling(frame)
    axes[0].plot(ceiling.index, ceiling, color=GRID, lw=9, solid_capstyle="round", zorder=1)
    axes[0].set(xlabel="jobs", ylabel="total utility", ylim=(0, None))
    axes[1].set(ylabel="ratio of total utilities", title="GADGET / the other")
    axes[2].set(title=f"{FILL_LABEL} / the other")
    for ax in axes:
        ax.set_xticks(sorted({*ceiling.index, *printed["gadget"].index}))
    note(axes[0], f"{utility['seed'].nunique()} instances: mean and standard deviation")
    figure.legend(
        handles=_keys(by_filling(frame, "fill"), set(utility["scheduler"])), loc="outside lower center", ncols=4
    )
    return figure


def _line(ax: Axes, frame: pd.DataFrame, colour: str, marker: str, shift: float, *, opened: bool = False) -> None:
    over(ax, frame, colour, marker, shift=shift, dots={}, errorbar="sd", **(_OPEN if opened else {}))


def _ceiling(frame: pd.DataFrame) -> "pd.Series[float]":
    """Mean sum of lambda1, by number of jobs."""
    of = {"scheduler": "gadget", "reading": "headline"}
    share = pick(frame, metric="of_ceiling", **of).set_index(["x", "seed"])["value"]
    return (pick(frame, metric="utility", **of).set_index(["x", "seed"])["value"] / share).groupby("x").mean()


def _keys(filled: float, ran: set[str]) -> list[Line2D]:
    style = look("gadget")
    named = [Line2D([], [], color=look(n).colour, marker=look(n).marker, label=_label(n, ran)) for n in _ORDER]
    label = f"{FILL_LABEL}: {filled:.1f} % of its jobs placed by the fill"
    return [
        *named,
        Line2D([], [], color=style.colour, marker=style.marker, label=label, **_OPEN),
        Line2D([], [], color=GRID, lw=9, label="all there is: the sum of λ1"),
        published_key("published (hollow)", MUTED, **_DASHED),
    ]


def _label(name: str, ran: set[str]) -> str:
    label = "LAS (Tiresias)" if name == "las" else look(name).label
    return label if name in ran else f"{label}: published, not run"


def embedded_ratio(frame: pd.DataFrame, published: pd.DataFrame, where: str, readings: Mapping[str, str]) -> Figure:
    """Fig. 5 and 6: share of active jobs that GADGET embeds, one panel per reading, one line per factor.

    Args:
        frame: tidy rows of the figure; `setup` is the factor.
        published: the published numbers.
        where: name of the figure in the published numbers.
        readings: reading -> title of its panel; readings that the frame lacks are left out. Each panel says which share
            of the jobs with workers Alg. 2 did not place.
    """
    shown = [reading for reading in readings if reading in set(frame["reading"])]
    figure, axes = plt.subplots(1, len(shown), figsize=(3.3 * len(shown) + 1.2, 4.4), sharey=True, squeeze=False)
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
        ax.set_title(f"{readings[reading]}\nnot placed by Alg. 2: {by_filling(frame, reading):.1f} %")
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
        readings: reading -> label, at most five; the first has filled markers. Labels get the jobs per slot.
    """
    figure, ax = plt.subplots(figsize=(10.4, 5.2))
    colour = look("gadget").colour
    shapes = [("o", "-"), ("s", "--"), ("p", "-."), ("v", ":"), ("D", (0, (6, 2)))]
    shifts = dodges(list(readings), 0.7)
    for (reading, label), (marker, stroke) in zip(readings.items(), shapes, strict=False):
        ours = pick(frame, metric="ratio", reading=reading)
        crowd = pick(frame, metric="jobs_per_slot", reading=reading)["value"].mean()
        named = f"{label} ({crowd:.1f} jobs per slot)" if np.isfinite(crowd) else label
        line = {"ls": stroke, "lw": 1.3, "ms": 6.5, "mec": colour, "mew": 1.3, "label": named}
        if len(ours):
            face = colour if stroke == "-" else "white"
            over(ax, ours, colour, marker, shift=shifts[reading], dots={"s": 16, "alpha": 0.4}, mfc=face, **line)
    points = published_curve(published, "gadget", "Fig. 7", "approximation ratio")
    draw_published(ax, points.index, points, label="published", **_DASHED)
    ax.axhline(1 / 3, color=MUTED, lw=1, ls=":")
    ax.annotate("1/3, the bound of Theorem 8", (points.index[0], 1 / 3), va="bottom", color=MUTED, fontsize=8.5)
    ax.set(xlabel="jobs", ylabel="rounded value / optimum, mean over slots", ylim=(0, 1.05), xticks=points.index)
    least, most = frame.groupby("reading")["seed"].nunique().agg(["min", "max"])
    note(ax, f"{least} to {most} instances: dots; their mean: lines")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def slot_statistics(frame: pd.DataFrame) -> pd.DataFrame:
    """What Fig. 7 rests on: means over instances by reading and number of jobs, a column per metric."""
    shown = frame[frame["metric"].isin(_SLOT_METRICS)].groupby(["reading", "x", "metric"], sort=False)["value"].mean()
    return shown.unstack("metric").reindex(columns=list(_SLOT_METRICS))


def distance_in_errors(frame: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The reading `fill-unfit` of Fig. 7 beside the published ratio, and their distance in standard errors."""
    ratio = pick(frame, reading="fill-unfit", metric="ratio").groupby("x")["value"].agg(["mean", "std", "count"])
    ratio["published"] = published_curve(published, "gadget", "Fig. 7", "approximation ratio")
    error = ratio["std"] / ratio["count"] ** 0.5
    return ratio.assign(**{"standard errors away": (ratio["mean"] - ratio["published"]) / error})
