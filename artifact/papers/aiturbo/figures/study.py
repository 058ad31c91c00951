"""AITurbo's workload study (HPDC 2021) in four panels, from the authors' data set."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from artifact.plot.published import draw_published
from rarlib.plot.axes import name_columns
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, note

PREDICTABLE, _UNPREDICTABLE = "#0072b2", "#d55e00"
_CLASSES = {"predictable": PREDICTABLE, "unpredictable": _UNPREDICTABLE, "all": INK}

STUDY_FACTORS = {
    "accuracy": "accuracy *",
    "loss": "loss *",
    "first": "first submission",
    "running_s": "running time *",
    "memory_gb": "memory",
    "gpus": "GPUs",
    "cpus": "CPUs",
    "throughput": "throughput",
    "servers": "servers",
    "steps": "steps",
    "epochs": "epochs",
    "learning_rate": "learning rate",
    "batch": "batch",
    "workers": "workers",
}
"""Column -> label; a star marks columns that are known only after the job has ended."""

_POINTS = {"median running time": 50.0, "p90 running time": 90.0, "max running time": 100.0}
"""Published running times -> their percentile in the distribution."""


def study(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw all panels."""
    figure, axes = plt.subplots(2, 2, figsize=(11.0, 8.2))
    _running_times(axes[0, 0], frame, published)
    _tasks(axes[0, 1], pick(frame, scheduler="resources", metric="share", reading="all"))
    _types(axes[1, 0], pick(frame, scheduler="shares"))
    _correlations(axes[1, 1], pick(frame, scheduler="correlations"))
    return figure


def classes(frame: pd.DataFrame) -> pd.DataFrame:
    """Running times and GPU hours of the two classes."""
    rows = frame[frame["scheduler"].isin(["durations", "shares"]) & frame["reading"].isin(list(_CLASSES))]
    rows = rows[rows["metric"].isin(["mean", "quantile", "gpu_hours"]) & ~rows["x_name"].isin(["type"])]
    name = {"mean": "mean (h)", "gpu_hours": "GPU hours"}
    column = [
        name.get(metric, f"p{100 * float(x or 0):g} (h)") for metric, x in zip(rows["metric"], rows["x"], strict=True)
    ]
    table = rows.assign(column=column).pivot_table(index="reading", columns="column", values="value", sort=False)
    return table.reindex(list(_CLASSES))


def _running_times(ax: Axes, frame: pd.DataFrame, published: pd.DataFrame) -> None:
    own = pick(frame, scheduler="durations", metric="ended")
    drawn = pick(frame, scheduler="generator", metric="ended")
    for name, colour in _CLASSES.items():
        curve = pick(own, reading=name)
        ax.plot(curve["x"].astype(float), curve["value"], color=colour, label=name)
        band: dict[str, Any] = {"errorbar": ("pi", 100), "err_kws": {"alpha": 0.25, "lw": 0}}
        rows = pick(drawn, reading=name).astype({"x": float})
        sns.lineplot(rows, x="x", y="value", **band, color=colour, lw=0, legend=False, ax=ax)
    points = published[published["series"].isin(list(_POINTS)) & (published["paper"] == "aiturbo")]
    places = [_POINTS[str(series)] for series in points["series"]]
    draw_published(ax, points["value"].astype(float), places, label="published")
    ax.set(xscale="log", xlabel="running time (hours)", ylabel="jobs that ended (%)", ylim=(0, 103))
    _titled(ax, "Running times", f"bands: {drawn['seed'].nunique()} sets of drawn jobs")
    ax.legend(loc="upper left")


def _tasks(ax: Axes, rows: pd.DataFrame) -> None:
    """Shares of jobs by number of GPUs, workers and servers."""
    looks = {"gpus": ("GPUs", "#332288"), "workers": ("workers", "#44aa99"), "servers": ("servers", "#ddaa33")}
    values = sorted(set(rows["x"]), key=float)
    labels, colours = zip(*looks.values(), strict=True)
    across: dict[str, Any] = {"x": "x", "y": "value", "order": values, "ax": ax}
    sns.barplot(rows, **across, hue="x_name", hue_order=list(looks), palette=colours, errorbar=None, saturation=1)
    name_columns(ax, [f"{float(value):g}" for value in values])
    ax.set(xlabel="asked for by a job", ylabel="jobs (%)")
    _titled(ax, "GPUs and tasks", "all jobs; 0 GPUs: on CPUs only")
    ax.legend(ax.get_legend_handles_labels()[0], labels)


def _types(ax: Axes, rows: pd.DataFrame) -> None:
    """Share of unpredictable jobs by type; the area of a mark is the number of jobs."""
    wide = pick(rows, x_name="type").pivot_table(index="x", columns="metric", values="value")
    wide = wide.sort_values("unpredictable")
    place = np.arange(len(wide))
    ax.vlines(place, 0, wide["unpredictable"], color=_UNPREDICTABLE, lw=1.2, alpha=0.6)
    ax.scatter(place, wide["unpredictable"], s=wide["jobs"] / 6, color=_UNPREDICTABLE, zorder=3, lw=0)
    bad = pick(rows, metric="unpredictable", x_name="").set_index("reading")["value"]
    for reading, label in (("first", "first submissions"), ("repeated", "repeated submissions")):
        ax.axhline(bad[reading], color=INK, lw=1.1, ls=(0, (4, 2)))
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
        above: dict[str, Any] = {"xytext": (0, 5), "textcoords": "offset points", "ha": "right", "bbox": box}
        ax.annotate(label, (len(wide) - 1, bad[reading]), fontsize=8.5, **above)
    ax.set_xticks(place, list(wide.index), fontsize=7.5, rotation=90)
    ax.set(xlabel="job type", ylabel="unpredictable jobs (%)")
    _titled(ax, "Unpredictable jobs by type", "area of a mark: number of jobs")
    ax.set_ylim(0, max(float(bad.max()), float(wide["unpredictable"].max())) * 1.15)
    ax.grid(axis="x", visible=False)


def _correlations(ax: Axes, rows: pd.DataFrame) -> None:
    own = pick(rows, reading="all").pivot_table(index="x", columns="metric", values="value")
    spread = pick(rows, reading="bootstrap", metric="pearson").groupby("x")["value"].std()
    order = own["pearson"].abs().sort_values().index
    place = np.arange(len(order))
    colours = [_UNPREDICTABLE if value > 0 else PREDICTABLE for value in own["pearson"][order]]
    error: dict[str, Any] = {"ecolor": INK, "capsize": 2, "lw": 1}
    lengths = own["pearson"][order]
    ax.barh(place, lengths, xerr=spread[order], color=colours, height=0.62, error_kw=error, label="Pearson")
    ax.plot(own["spearman"][order], place, "o", ms=5, mfc="white", mec=INK, mew=1.2, label="Spearman")
    ax.set_yticks(place, [STUDY_FACTORS[str(name)] for name in order])
    ax.axvline(0, color=INK, lw=0.8)
    ax.set(xlabel="correlation with “unpredictable”", xlim=(-1, 1))
    _titled(ax, "Factors", "whiskers: data resampled; * known afterwards")
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower left")


def _titled(ax: Axes, title: str, remark: str) -> None:
    ax.set_title(title, pad=18)
    note(ax, remark)
