"""Figures 4 to 7 of GADGET (INFOCOM 2022): our values with their spread over instances, beside the published points."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.plot.published import draw_published, published_curve, published_key
from artifact.plot.strips import over
from artifact.unknowns import FITTED_READING, STATED_READING
from rarlib.plot.axes import dodges
from rarlib.plot.frames import pick
from rarlib.plot.style import GRID, MUTED, look, note

_ORDER = ("gadget", "drf", "las", "fifo")
"""Schedulers of the paper, best first according to its Fig. 4; its Tiresias is our LAS."""

SERIES = {"gadget": "GADGET", "drf": "DRF", "las": "Tiresias", "fifo": "FIFO"}
"""Names of the schedulers in the published figures."""

_DASHED = {"ls": "--", "lw": 1.0}

_SLOT_METRICS = (
    "ratio", "jobs_per_slot", "slots_decided", "worst_ratio", "nothing", "lp_ilp_rounded", "proven", "worst_gap",
)  # fmt: skip

_STATED: dict[str, Any] = {"color": MUTED, "ms": 5.0, "mew": 0, "ls": "none"}
"""Means of the reading in which nothing is fitted are small and grey."""
_TITLES = {FITTED_READING: "in the reading", STATED_READING: "as stated"}


def total_utility(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 4: total utility over the number of jobs, and GADGET's over that of each other policy."""
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.5), width_ratios=[1.25, 1])
    utility = pick(frame, metric="utility")
    printed = {name: published_curve(published, "gadget", "Fig. 4", SERIES[name]) for name in _ORDER}
    for name, shift in dodges(_ORDER, 1.2).items():
        _both(axes[0], pick(utility, scheduler=name), name, shift)
        draw_published(axes[0], printed[name].index + shift, printed[name], look(name).colour, **_DASHED)
    keys = ["reading", "x", "seed"]
    above = pick(utility, scheduler="gadget").set_index(keys)["value"]
    for name, shift in dodges(_ORDER[1:], 1.2).items():
        ratio = (above / pick(utility, scheduler=name).set_index(keys)["value"]).reset_index()
        _both(axes[1], ratio, name, shift)
        theirs = printed["gadget"] / printed[name]
        draw_published(axes[1], theirs.index + shift, theirs, look(name).colour, **_DASHED)
    axes[1].axhline(1, color=MUTED, lw=0.8)
    ceiling = _ceiling(frame)
    axes[0].plot(ceiling.index, ceiling, color=GRID, lw=9, solid_capstyle="round", zorder=1)
    axes[0].set(ylabel="total utility")
    axes[1].set(ylabel="ratio of total utilities", title="GADGET / the other")
    for ax in axes:
        ax.set(xlabel="jobs", ylim=(0, None), xticks=sorted({*ceiling.index, *printed["gadget"].index}))
    note(axes[0], f"{utility['seed'].nunique()} instances: mean and standard deviation")
    figure.legend(handles=_keys(set(utility["scheduler"])), loc="outside lower center", ncols=4)
    return figure


def _both(ax: Axes, frame: pd.DataFrame, name: str, shift: float) -> None:
    """A policy in the reading, and its means as stated."""
    fitted, stated = (pick(frame, reading=reading) for reading in (FITTED_READING, STATED_READING))
    over(ax, fitted, look(name).colour, look(name).marker, shift=shift, dots={}, errorbar="sd")
    means = stated.groupby("x")["value"].mean()
    ax.plot(means.index + shift, means, look(name).marker, **_STATED)


def _ceiling(frame: pd.DataFrame) -> "pd.Series[float]":
    """Mean sum of lambda1, by number of jobs."""
    of = {"scheduler": "gadget"}
    keys = ["reading", "x", "seed"]
    share = pick(frame, metric="of_ceiling", **of).set_index(keys)["value"]
    return (pick(frame, metric="utility", **of).set_index(keys)["value"] / share).groupby("x").mean()


def _keys(ran: set[str]) -> list[Line2D]:
    named = [Line2D([], [], color=look(n).colour, marker=look(n).marker, label=_label(n, ran)) for n in _ORDER]
    return [
        *named,
        Line2D([], [], marker="o", label="as stated, nothing fitted (mean)", **_STATED),
        Line2D([], [], color=GRID, lw=9, label="all there is: the sum of λ1"),
        published_key("published (hollow)", MUTED, **_DASHED),
    ]


def _label(name: str, ran: set[str]) -> str:
    label = "LAS (Tiresias)" if name == "las" else look(name).label
    return label if name in ran else f"{label}: published, not run"


def embedded_ratio(frame: pd.DataFrame, published: pd.DataFrame, where: str) -> Figure:
    """Fig. 5 and 6: share of active jobs that GADGET embeds, one panel per reading, one line per factor.

    `frame`: tidy rows of the figure; `setup` is the factor. `where`: name of the figure in the published numbers.
    """
    shown = list(dict.fromkeys(frame["reading"]))
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
        ax.set_title(_TITLES.get(reading, reading))
    axes[0][0].set_ylabel("embedded jobs / active jobs (%)")
    handles = [
        *axes[0][0].get_legend_handles_labels()[0],
        published_key("published (hollow)", MUTED, **_DASHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def rounding_quality(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 7: value of the rounded solution relative to the optimum of the slot, over the number of jobs."""
    figure, ax = plt.subplots(figsize=(8.4, 4.6))
    fitted, stated = (pick(frame, metric="ratio", reading=reading) for reading in (FITTED_READING, STATED_READING))
    if len(fitted):
        dots = {"s": 16, "alpha": 0.4}
        over(ax, fitted, look("gadget").colour, "o", shift=0.3, dots=dots, ms=6.5, label=_TITLES[FITTED_READING])
    means = stated.groupby("x")["value"].mean()
    ax.plot(means.index - 0.3, means, "o", **_STATED, label="as stated, nothing fitted (mean)")
    points = published_curve(published, "gadget", "Fig. 7", "approximation ratio")
    draw_published(ax, points.index, points, label="published", **_DASHED)
    ax.axhline(1 / 3, color=MUTED, lw=1, ls=":")
    ax.annotate("1/3, the bound of Theorem 8", (points.index[0], 1 / 3), va="bottom", color=MUTED, fontsize=8.5)
    ax.set(xlabel="jobs", ylabel="rounded value / optimum, mean over slots", ylim=(0, 1.05), xticks=points.index)
    note(ax, f"{frame['seed'].nunique()} instances: dots; their mean: lines")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def slot_statistics(frame: pd.DataFrame) -> pd.DataFrame:
    """What Fig. 7 rests on: means over instances by reading and number of jobs, a column per metric."""
    shown = frame[frame["metric"].isin(_SLOT_METRICS)].groupby(["reading", "x", "metric"], sort=False)["value"].mean()
    return shown.unstack("metric").reindex(columns=list(_SLOT_METRICS))


def ratios_by_jobs(frame: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Fig. 4: utility of GADGET over that of each other policy on the same instance, mean by jobs.

    Returns:
        A row per number of jobs, columns (reading, policy); under `published` the ratios of the paper.
    """
    utility = pick(frame, metric="utility")
    table: dict[tuple[str, str], pd.Series[float]] = {}
    for reading in dict.fromkeys(frame["reading"]):
        of = pick(utility, reading=reading)
        above = pick(of, scheduler="gadget").set_index(["x", "seed"])["value"]
        for name in _ORDER[1:]:
            table[reading, name] = (
                (above / pick(of, scheduler=name).set_index(["x", "seed"])["value"]).groupby("x").mean()
            )
    printed = {name: published_curve(published, "gadget", "Fig. 4", SERIES[name]) for name in _ORDER}
    for name in _ORDER[1:]:
        table["published", name] = printed["gadget"] / printed[name]
    return pd.DataFrame(table)


def embedded_ratios(frame: pd.DataFrame, published: pd.DataFrame, where: str) -> pd.DataFrame:
    """Fig. 5 or 6: mean embedded ratios, percent, by reading and factor; under `published` those of the paper."""
    embedded = pick(frame, metric="embedded")
    ours = embedded.groupby(["reading", "setup", "x"], sort=False)["value"].mean().unstack("x")
    factors = list(dict.fromkeys(frame["setup"]))
    theirs = {f: published_curve(published, "gadget", where, f"factor={f}") for f in factors}
    printed = pd.concat({"published": pd.DataFrame(theirs).T}, names=["reading", "setup"])
    return pd.concat([ours, printed.reindex(columns=ours.columns)])


def guarantee_table(theory: pd.DataFrame, fig7: pd.DataFrame) -> pd.DataFrame:
    """Each guarantee: least and mean ratio measured over the instances, and the bound that it must reach."""
    wide = theory.pivot_table(index="seed", columns="metric", values="value")
    rounded = pick(fig7, metric="ratio").groupby("seed")["value"].min()
    parts = {
        "Thm. 6: greedy / optimum": (wide["theorem6_ratio"], 1 / 2),
        "Thm. 10: GADGET / optimum": (wide["theorem10_ratio"], (1 / (3 * wide["gamma"] + 1)).max()),
        "Lemma 7: sizes kept / optimum": (wide["lemma7_ratio"], (1 / wide["gamma"]).max()),
        "Thm. 8: vanilla mean / LP": (wide["vanilla_over_lp"], 1 / 3),
        "Fig. 7: rounded / optimum": (rounded, 1 / 3),
    }
    rows = {
        name: {"least": ratio.min(), "mean": ratio.mean(), "bound": bound} for name, (ratio, bound) in parts.items()
    }
    return pd.DataFrame(rows).T
