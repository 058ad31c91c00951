"""AITurbo (HPDC 2021) against other schedulers, and with parts of it changed; ratios are taken seed by seed."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, Look, look, note

BASELINES = {"optimus": "Optimus", "tiresias": "Tiresias", "srtf": "SRTF", "fcfs": "FCFS"}
"""Schedulers and their names among the published numbers."""

METRICS = {
    "jct_all_s": "average JCT",
    "makespan_s": "makespan",
    "jct_short_s": "short jobs JCT",
    "jct_long_s": "long jobs JCT",
}
"""Metrics and their names among the published numbers."""

VARIANTS = {
    "strict": "nothing\nleft over\nhanded out",
    "time": "moves that\nsave time",
    "no-borda": "no second\nballot",
    "arrival": "queues first\ncome, first\nserved",
    "hybrid": "both kinds\nof worker\nin a job",
    "gpu-only": "no workers\non CPUs",
}
"""Ablations and their labels."""

GROUPS = {
    "jct_all_s": ("all jobs", INK, "o"),
    "jct_short_s": ("short", "#56b4e9", "^"),
    "jct_long_s": ("long", "#0072b2", "s"),
    "jct_unpredictable_s": ("unpredictable", "#d55e00", "D"),
}
"""Groups of jobs: label, colour and marker."""

_PUBLISHED: dict[str, Any] = {"marker": "D", "mfc": "white", "mew": 1.3, "ms": 6}


def _look(name: str) -> Look:
    if name == "tiresias-lab":
        return Look("Tiresias, its servers on GPUs", look("tiresias").colour, "+")
    return Look("FCFS", *look("fifo")[1:]) if name == "fcfs" else look(name)


def ratios(frame: pd.DataFrame, metric: str, base: str = "aiturbo", along: str = "x") -> pd.DataFrame:
    """A metric of each scheduler divided by that of `base` on the same instance.

    Args:
        frame: tidy rows.
        metric: which.
        base: scheduler to divide by.
        along: column that tells points apart.

    Returns:
        A row per point and seed, a column per scheduler.
    """
    rows = pick(frame, metric=metric)
    wide = rows.pivot_table(index=[along, "seed"], columns="scheduler", values="value", sort=False)
    return wide.div(wide[base], axis=0)


def published_ratios(published: pd.DataFrame, series: str) -> "pd.Series[float]":
    """Published ratios to AITurbo by baseline: `series` is a metric, or a point of a mix."""
    rows = pick(published, paper="aiturbo", where="later plots", series=series)
    return rows.set_index("x")["value"].astype(float)


def scenarios(main: pd.DataFrame, mixes: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Ratios to AITurbo: by metric, over the share of unpredictable jobs, and with jobs on CPUs.

    Args:
        main: tidy rows of the table `main`.
        mixes: of the table `mixes`.
        published: the published numbers.
    """
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 5.0), width_ratios=[1.5, 1.15, 0.6], sharey=True)
    _by_metric(left, main, published)
    shares = {"0": "0:100", "25": "25:75", "50": "50:50", "75": "75:25", "100": "100:0"}
    names = {x: f"unpredictable:predictable {pair}" for x, pair in shares.items()}
    _over_shares(middle, pick(mixes, setup="class"), published, names)
    middle.set_xlabel("unpredictable jobs (%)")
    names = {"0": "GPU:CPU 100:0", "25": "GPU:CPU 75:25"}
    _over_shares(right, pick(mixes, setup="kind"), published, names)
    right.set_xlabel("jobs on CPUs only (%)")
    for ax, title, remark in (
        (left, "Jobs as in the study", f"{main['seed'].nunique()} instances: dots; mean of ratios: marks"),
        (middle, "Class of jobs", "average JCT"),
        (right, "Kind of jobs", "average JCT"),
    ):
        _ratio_axis(ax, title, remark)
    left.set_ylabel("relative to AITurbo (log scale)")
    shown = [*BASELINES, *({"tiresias-lab"} & set(mixes["scheduler"]))]
    handles = [
        *(Line2D([], [], color=_look(n).colour, marker=_look(n).marker, ls="", label=_look(n).label) for n in shown),
        Line2D([], [], color=MUTED, ls="", label="later plots of the laboratory (hollow)", **_PUBLISHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _ratio_axis(ax: Axes, title: str, remark: str) -> None:
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.set_yscale("log")
    ticks = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_title(title, pad=19)
    note(ax, remark)


def _marks(ax: Axes, at: Any, grid: pd.DataFrame, style: Look, **line: Any) -> None:
    """A dot for each seed (a column of the grid), a mark for their mean, at the places given for the rows."""
    dots: dict[str, Any] = {"ms": 3.5, "mew": 0} if style.marker != "+" else {"ms": 3, "mew": 0.8}
    ax.plot(at, grid.to_numpy(), style.marker, color=style.colour, alpha=0.3, **dots)
    ax.plot(at, grid.mean(axis=1), style.marker, color=style.colour, ms=7, label=style.label, **line)


def _by_metric(ax: Axes, main: pd.DataFrame, published: pd.DataFrame) -> None:
    for i, (scheduler, series) in enumerate(BASELINES.items()):
        at = np.arange(len(METRICS)) + (i - 1.5) * 0.21
        own = pd.DataFrame([ratios(main, metric, along="setup")[scheduler].to_numpy() for metric in METRICS])
        _marks(ax, at - 0.03, own, _look(scheduler))
        theirs = [published_ratios(published, name)[series] for name in METRICS.values()]
        ax.plot(at + 0.05, theirs, color=_look(scheduler).colour, ls="", **_PUBLISHED)
    ax.set_xticks(range(len(METRICS)), [name.replace(" JCT", "\nJCT") for name in METRICS.values()])
    ax.grid(axis="x", visible=False)


def _over_shares(ax: Axes, mixes: pd.DataFrame, published: pd.DataFrame, names: dict[str, str]) -> None:
    if mixes.empty:  # left out by the configuration
        return
    own = ratios(mixes, "jct_all_s")
    shown = [x for x in names if x in own.index.get_level_values("x")]
    at = np.array([float(x) for x in shown])
    for i, scheduler in enumerate(("optimus", "tiresias")):
        dodge, style = (i - 0.5) * 3.0, _look(scheduler)
        _marks(ax, at + dodge, own[scheduler].unstack("seed").loc[shown], style, ls="-")
        theirs = [published_ratios(published, names[x])[BASELINES[scheduler]] for x in shown]
        ax.plot(at + dodge, theirs, color=style.colour, ls="--", lw=1, **_PUBLISHED)
    if "tiresias-lab" in own:
        _marks(ax, at, own["tiresias-lab"].unstack("seed").loc[shown], _look("tiresias-lab"), ls=":", lw=1.2, mew=1.8)
    ax.set_xticks(at)
    ax.margins(x=0.12)


def ablation(variants: pd.DataFrame, error: pd.DataFrame, load: pd.DataFrame) -> Figure:
    """AITurbo with one thing changed, with worse predictions, and under less and more load.

    Args:
        variants: tidy rows of the table `ablation`.
        error: of the table `error`.
        load: of the table `load`.
    """
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 5.0), width_ratios=[1.7, 1, 1])
    shown = [name for name in VARIANTS if name in set(variants["scheduler"])]
    for i, (metric, group) in enumerate(GROUPS.items()):
        own = ratios(variants, metric, along="setup")[shown].T
        _marks(left, np.arange(len(shown)) + (i - 1.5) * 0.18, own, Look(*group), ls="")
    left.set_xticks(range(len(shown)), [VARIANTS[name] for name in shown])
    left.grid(axis="x", visible=False)
    left.legend(ncols=2)
    _ratio_axis(left, "One thing changed", f"{variants['seed'].nunique()} instances: dots; mean of ratios: marks")
    left.set_ylabel("JCT relative to AITurbo (log scale)")
    exact = error["x"] == min(error["x"], key=float)
    _over(middle, error, error[exact & (error["scheduler"] == "aiturbo")])
    middle.set(xlabel="error of predictions (σ of the logarithm)", ylabel="average JCT / AITurbo's, least error")
    middle.set_title("Worse predictions", pad=19)
    right.set_xscale("log", base=2)
    _over(right, load, pick(load, scheduler="aiturbo"))
    right.set(xlabel="offered load", ylabel="average JCT / AITurbo's")
    right.set_title("Load", pad=19)
    return figure


def _over(ax: Axes, frame: pd.DataFrame, base: pd.DataFrame) -> None:
    """Average JCT over what the table varies, divided by that of `base` for the same seed (and x, if several)."""
    below = pick(base, metric="jct_all_s").pivot_table(index="x", columns="seed", values="value")
    for scheduler in dict.fromkeys(frame["scheduler"]):
        own = pick(frame, metric="jct_all_s", scheduler=scheduler).pivot_table(
            index="x", columns="seed", values="value"
        )
        own = own / (below if len(below) > 1 else below.iloc[0])
        own = own.set_index(own.index.astype(float)).sort_index()
        _marks(ax, own.index, own, _look(scheduler), ls="-")
    ax.set_xticks(own.index, [f"{x:g}" for x in own.index])
    ax.minorticks_off()
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.legend()
