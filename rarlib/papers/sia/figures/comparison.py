"""Tables 3 and 4 and Fig. 1 of Sia (SOSP 2023) as figures: ours by workload file, published values beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, log_axis, look

ORDER = ("sia", "pollux", "shockwave", "gavel", "themis")
"""Policies in the order of Table 4; others follow in alphabetical order."""

SERIES = {"sia": "Sia", "pollux": "Pollux", "gavel": "Gavel+TJ", "themis": "Themis+TJ", "shockwave": "Shockwave+TJ"}
"""Names in the published tables; TJ: the requests of rigid jobs are tuned."""

TRACES = {"philly": "Philly", "helios": "Helios", "newtrace": "newTrace"}

METRICS = {
    "avg_jct": ("avg JCT", "Average JCT (h)"),
    "p99_jct": ("p99 JCT", "99th percentile of JCT (h)"),
    "makespan": ("makespan", "Makespan (h)"),
    "gpu_hours": ("GPU-hours per job", "GPU hours per job"),
    "contention_mean": ("contention mean", "Jobs in the system, mean"),
    "contention_max": ("contention max", "Jobs in the system, most"),
    "restarts": ("restarts per job", "Restarts per job"),
}
"""Metric -> its name in the published tables, title of its panel."""

PUBLISHED: dict[str, Any] = {"marker": "D", "mfc": "white", "mec": INK, "mew": 1.3, "ms": 6, "ls": "none"}

_REAL = {**PUBLISHED, "marker": "s"}


def policies_in(frame: pd.DataFrame) -> list[str]:
    """Policies of a frame, those of the paper first."""
    found = set(frame["scheduler"])
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def by_file(frame: pd.DataFrame, metric: str) -> "pd.Series[float]":
    """Values of the workload files, without what is said of all of them together."""
    rows = pick(frame, metric=metric)
    return rows.loc[rows["seed"] > 0, "value"]


def together(frame: pd.DataFrame, metric: str) -> float:
    """The value that stands for all files: of all their jobs where the paper pools them, else the mean over files."""
    pooled = pick(frame, metric=f"{metric}_pooled")["value"]
    return float(pooled.iloc[0]) if len(pooled) else float(by_file(frame, metric).mean())


def published_value(published: pd.DataFrame, where: str, series: str, x: str) -> float:
    """A published number; NaN where there is none."""
    rows = pick(published, paper="sia", where=where, series=series, x=x)
    return float(rows["value"].iloc[0]) if len(rows) else float("nan")


def printed_labels(published: pd.DataFrame, setting: str, policies: Sequence[str]) -> dict[str, float]:
    """Labels of the bars of Fig. 1 in a setting, by policy."""
    return {name: published_value(published, "Fig. 1", f"{setting}/{look(name).label}", "avg JCT") for name in policies}


def _printed(published: pd.DataFrame, where: str, trace: str, name: str, metric: str) -> float:
    if metric == "restarts":
        return published_value(published, f"{where} text", SERIES.get(name, name), METRICS[metric][0])
    return published_value(published, where, f"{TRACES[trace]}/{SERIES.get(name, name)}", METRICS[metric][0])


def table_as_figure(frame: pd.DataFrame, published: pd.DataFrame, where: str, metrics: Sequence[str]) -> Figure:
    """Table 3 or 4: a panel per metric, a row per trace and policy.

    Args:
        frame: tidy rows of the table.
        published: the published numbers.
        where: `Table 3` or `Table 4`.
        metrics: names in `METRICS`, three a line.
    """
    traces = [trace for trace in TRACES if trace in set(frame["setup"])]
    names = policies_in(frame)
    lines, height = -(-len(metrics) // 3), 0.27 * (len(names) + 0.7) * len(traces) + 0.85
    figure, axes = plt.subplots(lines, 3, figsize=(11, lines * height + 0.6), sharey=True, squeeze=False)
    rows = [(trace, name) for trace in traces for name in names]
    at = [g * (len(names) + 0.7) + i for g in range(len(traces)) for i in range(len(names))]
    for ax, metric in zip(axes.flat, metrics, strict=False):
        for y, (trace, name) in zip(at, rows, strict=True):
            own = pick(frame, setup=trace, scheduler=name)
            if len(own):
                _dots(ax, y, by_file(own, metric), together(own, metric), name)
            ax.plot(_printed(published, where, trace, name, metric), y + 0.3, **PUBLISHED)
        ax.set_title(METRICS[metric][1])
        _scale(ax, logarithmic=len(traces) > 1)
        ax.grid(axis="y", visible=False)
    for ax in axes.flat[len(metrics) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_yticks(at, [_row_label(trace, name, len(traces)) for trace, name in rows])
        ax.set_ylim(max(at) + 0.7, -0.6)
    _legend(figure)
    return figure


def _scale(ax: Axes, *, logarithmic: bool) -> None:
    if logarithmic:
        log_axis(ax)
    else:
        ax.set_xlim(left=0)


def _row_label(trace: str, name: str, traces: int) -> str:
    return f"{TRACES[trace]}: {look(name).label}" if traces > 1 else look(name).label


def _dots(ax: Axes, y: float, values: "pd.Series[float]", mark: float, name: str) -> None:
    style = look(name)
    ax.plot(values, np.full(len(values), y), "o", ms=3.5, color=style.colour, alpha=0.4, mew=0)
    ax.plot(mark, y, style.marker, ms=7.5, color=style.colour)


def _legend(figure: Figure) -> None:
    handles = [
        Line2D([], [], marker="o", ms=3.5, color=MUTED, alpha=0.6, lw=0, mew=0, label="a workload file"),
        Line2D([], [], marker="o", ms=7.5, color=MUTED, lw=0, label="all files: mean; percentile and most of all jobs"),
        Line2D([], [], label="published", **PUBLISHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def beside(frame: pd.DataFrame, published: pd.DataFrame, where: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Ours and published, by trace and policy; columns are pairs of metric and origin."""
    rows = {
        (TRACES[trace], look(name).label): {
            (metric, origin): value
            for metric in metrics
            for origin, value in (
                ("ours", together(pick(frame, setup=trace, scheduler=name), metric)),
                ("published", _printed(published, where, trace, name, metric)),
            )
        }
        for trace in TRACES
        for name in policies_in(pick(frame, setup=trace))
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def from_zero(ax: Axes) -> None:
    """Let the vertical axis begin at 0 and leave room above."""
    ax.set_ylim(0, ax.get_ylim()[1] * 1.05)


def testbed(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Average JCT of the testbed's workload by policy; published averages of simulations and of real runs.

    Args:
        frame: tidy rows of testbed.
        published: the published numbers.
    """
    figure, ax = plt.subplots(figsize=(6.0, 4.0))
    names = policies_in(frame)
    for x, name in enumerate(names):
        ax.bar(x, together(pick(frame, scheduler=name), "avg_jct"), 0.5, color=look(name).colour, alpha=0.85)
        for kind, mark in (("simulated", PUBLISHED), ("real", _REAL)):
            ax.plot(x, published_value(published, "physical 44 GPUs", look(name).label, f"{kind} avg JCT"), **mark)
    ax.set_xticks(range(len(names)), [look(name).label for name in names])
    ax.set_ylabel("average JCT (h)")
    from_zero(ax)
    ax.grid(axis="x", visible=False)
    handles: list[Any] = [
        Patch(color=MUTED, label="ours"),
        Line2D([], [], label="published, simulated", **PUBLISHED),
        Line2D([], [], label="published, real runs", **_REAL),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def grouped_bars(groups: Mapping[str, tuple[pd.DataFrame, Mapping[str, float]]], metric: str, ylabel: str) -> Figure:
    """Bars of the policies side by side, group by group, with their workload files and published values.

    Args:
        groups: title of the group -> its tidy rows, and published value by policy.
        metric: what is drawn.
        ylabel: label of the axis.
    """
    figure, ax = plt.subplots(figsize=(7.0, 4.2))
    names = policies_in(pd.concat([frame for frame, _ in groups.values()]))
    for g, (frame, printed) in enumerate(groups.values()):
        here = [name for name in names if len(pick(frame, scheduler=name)) or name in printed]
        for i, name in enumerate(here):
            x, values = g + (i - (len(here) - 1) / 2) * 0.26, by_file(pick(frame, scheduler=name), metric)
            ax.bar(x, values.mean() if len(values) else 0.0, 0.22, color=look(name).colour, alpha=0.85)
            ax.plot(np.full(len(values), x), values, "o", ms=3.5, color=INK, alpha=0.45, mew=0)
            ax.plot(x, printed.get(name, float("nan")), **PUBLISHED)
    ax.set_xticks(range(len(groups)), list(groups))
    ax.set_ylabel(ylabel)
    from_zero(ax)
    ax.grid(axis="x", visible=False)
    handles: list[Any] = [Patch(color=look(name).colour, label=look(name).label) for name in names]
    handles += [
        Line2D([], [], marker="o", ms=3.5, color=INK, alpha=0.6, lw=0, mew=0, label="a workload file"),
        Line2D([], [], label="published", **PUBLISHED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure
