"""AITurbo (HPDC 2021) against other schedulers; ratios are computed seed by seed."""

from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.plot.published import draw_published, published_key, published_value
from artifact.plot.strips import over
from artifact.unknowns import FITTED_READING, STATED_READING
from rarlib.plot.axes import dodges, key, name_columns, plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.style import MUTED, Look, look, note

BASELINES = {"optimus": "Optimus", "tiresias": "Tiresias", "srtf": "SRTF", "fcfs": "FCFS"}
"""Schedulers and their names in the published numbers."""

_AS_STATED: dict[str, Any] = {"color": MUTED, "ms": 5.0, "mew": 0, "ls": "none"}
"""Means of the reading in which nothing is fitted are small and grey."""

EVALUATION_METRICS = {
    "jct_all_s": "average JCT",
    "makespan_s": "makespan",
    "jct_short_s": "short jobs JCT",
    "jct_long_s": "long jobs JCT",
}
"""Metrics and their names in the published numbers."""


def look_of(name: str) -> Look:
    """Label, colour and marker of a scheduler of the evaluation."""
    return Look("FCFS", *look("fifo")[1:]) if name == "fcfs" else look(name)


def relative_to(frame: pd.DataFrame, metric: str, along: str = "x") -> pd.DataFrame:
    """A metric of each scheduler divided by that of AITurbo on the same instance.

    `along`: column that identifies the points.

    Returns:
        A row per point and seed, a column per scheduler.
    """
    rows = pick(frame, metric=metric)
    wide = rows.pivot_table(index=[along, "seed"], columns="scheduler", values="value", sort=False)
    return wide.div(wide["aiturbo"], axis=0)


def scenarios(tables: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> Figure:
    """Ratios to AITurbo: by metric, over the share of unpredictable jobs, and with jobs on CPUs."""
    main, mixes = tables["aiturbo-main"], tables["aiturbo-mixes"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 5.0), width_ratios=[1.5, 1.15, 0.6], sharey=True)
    _by_metric(left, main, published)
    names = {x: f"unpredictable:predictable {x}:{100 - int(x)}" for x in pick(mixes, setup="class")["x"].unique()}
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
    handles = [
        *(key(look_of(name).label, look_of(name).marker, color=look_of(name).colour) for name in BASELINES),
        Line2D([], [], marker="o", label="as stated, nothing fitted (mean)", **_AS_STATED),
        published_key("later plots of the laboratory (hollow)", MUTED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _stated_means(ax: Axes, values: "pd.Series[float]", style: Look, shift: float) -> None:
    means = values.rename(index=float, level="x").groupby("x").mean()
    ax.plot(means.index + shift, means, style.marker, **_AS_STATED)


def _ratio_axis(ax: Axes, title: str, remark: str) -> None:
    """A logarithmic axis of ratios to AITurbo, with a line at 1."""
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.set_yscale("log")
    plain_ticks(ax.yaxis, (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100))
    ax.set_title(title, pad=19)
    note(ax, remark)


def _draw_series(ax: Axes, values: "pd.Series[float]", style: Look, shift: float = 0.0, **line: Any) -> None:
    """A dot for each instance and a mark for their mean; values are indexed by x and seed."""
    line = {"ms": 7, "label": style.label, **line}
    dots = {"s": 12, "alpha": 0.3}
    over(ax, values.rename("value").reset_index(), style.colour, style.marker, shift=shift, dots=dots, **line)


def _beside(frame: pd.DataFrame, metrics: Iterable[str], scheduler: str) -> "pd.Series[float]":
    """Ratios of a scheduler to AITurbo, metric by metric: x is the position of the metric."""
    grids = {float(at): relative_to(frame, metric, along="setup")[scheduler] for at, metric in enumerate(metrics)}
    return pd.concat(grids, names=["x"])


def _by_metric(ax: Axes, main: pd.DataFrame, published: pd.DataFrame) -> None:
    fitted, stated = (pick(main, reading=reading) for reading in (FITTED_READING, STATED_READING))
    for scheduler, shift in dodges(list(BASELINES), 0.21).items():
        style = look_of(scheduler)
        if len(stated):
            _stated_means(ax, _beside(stated, EVALUATION_METRICS, scheduler), style, shift - 0.08)
        if len(fitted):
            _draw_series(ax, _beside(fitted, EVALUATION_METRICS, scheduler), style, shift - 0.01, ls="none")
        theirs = [printed(published, name, scheduler) for name in EVALUATION_METRICS.values()]
        draw_published(
            ax, [at + shift + 0.05 for at in range(len(EVALUATION_METRICS))], theirs, look_of(scheduler).colour
        )
    name_columns(ax, [name.replace(" JCT", "\nJCT") for name in EVALUATION_METRICS.values()])


def printed(published: pd.DataFrame, series: str, scheduler: str) -> float:
    """Published ratio to AITurbo, NaN if there is none; `series` is a metric or a point of a mix."""
    return published_value(published, "aiturbo", "later plots", series, BASELINES[scheduler])


def _over_shares(ax: Axes, mixes: pd.DataFrame, published: pd.DataFrame, names: dict[str, str]) -> None:
    if mixes.empty:  # left out by the configuration
        return
    shown = [x for x in names if x in set(mixes["x"])]
    at = [float(x) for x in shown]
    for scheduler, shift in dodges(("optimus", "tiresias"), 3.0).items():
        style = look_of(scheduler)
        for reading in dict.fromkeys(mixes["reading"]):
            own = relative_to(pick(mixes, reading=reading), "jct_all_s").loc[shown][scheduler]
            if reading == STATED_READING:
                _stated_means(ax, own, style, shift - 1.5)
            else:
                _draw_series(ax, own, style, shift)
        theirs = [printed(published, names[x], scheduler) for x in shown]
        draw_published(ax, [x + shift for x in at], theirs, style.colour, ls="--", lw=1)
    ax.set_xticks(at)
    ax.margins(x=0.12)


def means(main: pd.DataFrame) -> pd.DataFrame:
    """Means over instances, a column per reading and scheduler: times in hours, restarts, utilisation and load."""
    wide = main.pivot_table(index="metric", columns=["reading", "scheduler"], values="value", sort=False)
    hours = wide[wide.index.str.endswith("_s")].div(3600.0)
    hours.index = hours.index.str.replace("_s$", " (h)", regex=True)
    return pd.concat([hours, wide.reindex(["restarts_mean", "utilisation_ratio", "offered_load"])])


def ahead(main: pd.DataFrame) -> pd.DataFrame:
    """Percentage of the instances in which AITurbo is ahead of each other scheduler, by reading and metric."""
    found = {
        (reading, name): (relative_to(rows, metric, along="setup").drop(columns="aiturbo") > 1).mean()
        for reading, rows in main.groupby("reading", sort=False)
        for metric, name in EVALUATION_METRICS.items()
    }
    return pd.DataFrame(found).T.mul(100)


def over_mixes(mixes: pd.DataFrame) -> pd.DataFrame:
    """Average JCT relative to AITurbo's, mean over instances: a row per mix, a column per reading and scheduler."""
    found = {
        str(reading): pd.concat(
            {
                str(setup): relative_to(rows, "jct_all_s").drop(columns="aiturbo").groupby("x", sort=False).mean()
                for setup, rows in own.groupby("setup", sort=False)
            }
        )
        for reading, own in mixes.groupby("reading", sort=False)
    }
    return pd.concat(found, axis=1)
