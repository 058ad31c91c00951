"""Tables 3 and 4 and Fig. 1 of Sia (SOSP 2023) as figures: our values by workload file beside the published ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from artifact.plot.published import draw_published, published_key, published_value
from artifact.plot.strips import WIDTH, bars, foot_note
from rarlib.plot.axes import dodges, from_zero, key, name_columns
from rarlib.plot.frames import in_order, pick
from rarlib.plot.style import MUTED, log_axis, look, note

POLICY_ORDER = ("sia", "pollux", "shockwave", "gavel", "themis")
"""Schedulers in the order of Table 4; others follow in alphabetical order."""

_SERIES = {"sia": "Sia", "pollux": "Pollux", "gavel": "Gavel+TJ", "themis": "Themis+TJ", "shockwave": "Shockwave+TJ"}
"""Names in the published tables; TJ: rigid jobs whose requests are tuned."""

_HALF: dict[str, Any] = {"fillstyle": "left", "markerfacecoloralt": "white"}

_TRACES = {"philly": "Philly", "helios": "Helios", "newtrace": "newTrace"}

_METRICS = {
    "avg_jct": ("avg JCT", "Average JCT (h)"),
    "p99_jct": ("p99 JCT", "99th percentile of JCT (h)"),
    "makespan": ("makespan", "Makespan (h)"),
    "gpu_hours": ("GPU-hours per job", "GPU hours per job"),
    "contention_mean": ("contention mean", "Jobs in the system, mean"),
    "contention_max": ("contention max", "Jobs in the system, most"),
    "restarts": ("restarts per job", "Restarts per job"),
}
"""Metric -> its name in the published tables, and the title of its panel."""


FIG_1 = ["sia", "pollux", "gavel"]
"""Schedulers of Fig. 1."""

ONE_FILE = "1 file"
"""Remark on a mean over a single workload file."""

_RUNS_APART = 100
"""Run r of a file is told by its seed: the number of the file + 100 r."""


def files_in(frame: pd.DataFrame) -> int:
    """Number of workload files that have rows of their own."""
    return int((frame.loc[frame["seed"] > 0, "seed"] % _RUNS_APART).nunique())


def by_file(frame: pd.DataFrame, metric: str) -> "pd.Series[float]":
    """Values of the single workload files, without those of all files together."""
    rows = pick(frame, metric=metric)
    return rows.loc[rows["seed"] > 0, "value"]


def together(frame: pd.DataFrame, metric: str) -> float:
    """The value for all files: computed from all their jobs where the paper pools them, else the mean over files.

    If a policy ran the files several times, the mean over these runs.
    """
    pooled = pick(frame, metric=f"{metric}_pooled")["value"]
    return float(pooled.mean()) if len(pooled) else float(by_file(frame, metric).mean())


def printed_labels(published: pd.DataFrame, setting: str, policies: Sequence[str]) -> dict[str, float]:
    """Labels of the bars of Fig. 1 in a setting, by scheduler."""
    return {
        name: published_value(published, "sia", "Fig. 1", f"{setting}/{look(name).label}", "avg JCT")
        for name in policies
    }


def compared(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of some schedulers in a setting of Fig. 1: Philly, as the headline has it or with rigid jobs."""
    return frame[
        (frame["setup"] == "philly") & frame["scheduler"].isin(FIG_1) & frame["reading"].isin(["headline", "rigid"])
    ]


def _printed(published: pd.DataFrame, where: str, trace: str, name: str, metric: str) -> float:
    if metric == "restarts":
        return published_value(published, "sia", f"{where} text", _SERIES.get(name, name), _METRICS[metric][0])
    return published_value(published, "sia", where, f"{_TRACES[trace]}/{_SERIES.get(name, name)}", _METRICS[metric][0])


def table_as_figure(frame: pd.DataFrame, published: pd.DataFrame, where: str, metrics: Sequence[str]) -> Figure:
    """Table 3 or 4: a panel per metric, a row per trace and scheduler; what rests on a single file is half filled.

    `where`: `Table 3` or `Table 4`; `metrics`: names in `_METRICS`, three per line.
    """
    frame = pick(frame, reading="headline")
    traces = [trace for trace in _TRACES if trace in set(frame["setup"])]
    names = in_order(frame, POLICY_ORDER)
    lines, height = -(-len(metrics) // 3), 0.27 * (len(names) + 0.7) * len(traces) + 0.85
    figure, axes = plt.subplots(lines, 3, figsize=(11, lines * height + 0.6), sharey=True, squeeze=False)
    rows = [(trace, name) for trace in traces for name in names]
    ran = {row: files_in(pick(frame, setup=row[0], scheduler=row[1])) for row in rows}
    at = [g * (len(names) + 0.7) + i for g in range(len(traces)) for i in range(len(names))]
    for ax, metric in zip(axes.flat, metrics, strict=False):
        for y, (trace, name) in zip(at, rows, strict=True):
            own = pick(frame, setup=trace, scheduler=name)
            if len(own):
                _dots(ax, y, by_file(own, metric), together(own, metric), name, single=ran[trace, name] == 1)
            draw_published(ax, _printed(published, where, trace, name, metric), y + 0.3)
        ax.set_title(_METRICS[metric][1])
        if len(traces) > 1:
            log_axis(ax)
        else:
            ax.set_xlim(left=0)
        ax.grid(axis="y", visible=False)
    for ax in axes.flat[len(metrics) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_yticks(at, [_row_label(*row, len(traces)) + ("" if ran[row] else " (not run)") for row in rows])
        ax.set_ylim(max(at) + 0.7, -0.6)
    handles = [
        key("a workload file", ms=3.5, alpha=0.6, mew=0),
        key("all files: mean; percentile and most of all jobs", ms=7.5),
        *([key("a single workload file", ms=7.5, **_HALF)] if 1 in ran.values() else []),
        published_key(),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _row_label(trace: str, name: str, traces: int) -> str:
    return f"{_TRACES[trace]}: {look(name).label}" if traces > 1 else look(name).label


def _dots(ax: Axes, y: float, values: "pd.Series[float]", mark: float, name: str, *, single: bool) -> None:
    style = look(name)
    ax.plot(values, np.full(len(values), y), "o", ms=3.5, color=style.colour, alpha=0.4, mew=0)
    ax.plot(mark, y, style.marker, ms=7.5, color=style.colour, **(_HALF if single else {}))


def beside(frame: pd.DataFrame, published: pd.DataFrame, where: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Our values and published ones, by trace and scheduler; columns are pairs of metric and origin."""
    frame = pick(frame, reading="headline")
    rows = {
        (_TRACES[trace], look(name).label): {
            (metric, origin): value
            for metric in metrics
            for origin, value in (
                ("ours", together(pick(frame, setup=trace, scheduler=name), metric)),
                ("published", _printed(published, where, trace, name, metric)),
            )
        }
        for trace in _TRACES
        for name in in_order(pick(frame, setup=trace), POLICY_ORDER)
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def testbed(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Average JCT of the testbed's workload by scheduler, with published averages of simulations and of real runs."""
    figure, ax = plt.subplots(figsize=(6.0, 4.0))
    names = in_order(frame, POLICY_ORDER)
    means = [together(pick(frame, scheduler=name), "avg_jct") for name in names]
    ax.bar(range(len(names)), means, 0.5, color=[look(name).colour for name in names], alpha=0.85)
    for kind, marker in (("simulated", "D"), ("real", "s")):
        where = ("sia", "physical 44 GPUs")
        values = [published_value(published, *where, look(name).label, f"{kind} avg JCT") for name in names]
        draw_published(ax, range(len(names)), values, marker=marker)
    name_columns(ax, [look(name).label for name in names])
    ax.set_ylabel("average JCT (h)")
    from_zero(ax)
    if files_in(frame) == 1:
        note(ax, "ours: a single workload file")
    simulated, real = published_key("published, simulated"), published_key("published, real runs", marker="s")
    figure.legend(handles=[Patch(color=MUTED, label="ours"), simulated, real], loc="outside lower center", ncols=3)
    return figure


TABLE_4 = ("avg_jct", "p99_jct", "makespan", "gpu_hours", "restarts")
"""Metrics of Table 4."""

_SETTINGS = {
    "homogeneous adaptive": ("sia-table4", "one type,\nadaptive"),
    "heterogeneous adaptive": ("sia-table3", "three types,\nadaptive"),
    "heterogeneous rigid": ("sia-fig1", "three types,\nrigid"),
}
"""Published name of a setting of Fig. 1 -> table, label."""


def settings_apart(tables: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> Figure:
    """Table 4, metric by metric; the last panel is Fig. 1: average JCT in its three settings.

    `tables`: tidy rows by table.
    """
    figure = table_as_figure(tables["sia-table4"], published, "Table 4", TABLE_4)
    spare = figure.axes[-1]
    place = spare.get_subplotspec()
    spare.remove()
    if place is not None:
        _settings(figure.add_subplot(place), tables, published)
    return figure


def _settings(ax: Axes, tables: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> None:
    rows = {label: compared(tables[table]) for table, label in _SETTINGS.values()}
    own = pd.concat([frame.assign(group=label) for label, frame in rows.items()])
    own = own[(own["metric"] == "avg_jct") & (own["seed"] > 0)]
    bars(ax, own, "group", list(rows), {name: look(name).colour for name in FIG_1}, once=ONE_FILE)
    shifts = dodges(FIG_1, WIDTH / len(FIG_1))
    for at, (setting, (_, label)) in enumerate(_SETTINGS.items()):
        printed = printed_labels(published, setting, FIG_1)
        for name in set(FIG_1) - set(rows[label]["scheduler"]):
            foot_note(ax, at + shifts[name], "not run")
        draw_published(ax, [at + shifts[name] for name in FIG_1], [printed[name] for name in FIG_1])
    name_columns(ax, list(rows))
    ax.tick_params(axis="x", labelsize=8)
    ax.set(title="Fig. 1: average JCT (h)", ylabel="")
    from_zero(ax)
    ax.legend(handles=[Patch(color=look(name).colour, label=look(name).label) for name in FIG_1], fontsize=8)


def settings_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Average JCT (h) in the settings of Fig. 1: mean, deviation and number of files by scheduler."""
    frame = pd.concat([compared(tables[table]).assign(setting=name) for name, (table, _) in _SETTINGS.items()])
    rows = frame[(frame["metric"] == "avg_jct") & (frame["seed"] > 0)]
    found = rows.groupby(["setting", "scheduler"], sort=False)["value"].agg(["mean", "std", "count"])
    return pd.DataFrame(found.unstack("scheduler"))
