"""A workload in six panels: when jobs come, how large and how long they are, and who submits them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.plot.run_folder import time_unit
from rarlib.plot.style import INK, MUTED, literal, log_axis

_JOBS, _TIME = "#0072b2", "#e69f00"
_CLASSES = ("#0072b2", "#e69f00", "#009e73")
_MOST_SIZES = 12
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def draw_workload(tables: Mapping[str, pd.DataFrame], submit_s: np.ndarray, title: str) -> Figure:
    """Draw the tables that describe a trace.

    Args:
        tables: arrivals, sizes, durations and users, as `rarlib trace describe` writes them.
        submit_s: submissions in seconds since the first one, ascending, shape (jobs,).
        title: above all panels.
    """
    figure = Figure(figsize=(10.5, 6.2), layout="constrained")
    figure.suptitle(literal(title), fontweight="bold", color=INK, x=0.01, ha="left")
    panels = figure.subplots(2, 3).ravel()
    _over_time(panels[0], submit_s)
    _cycle(panels[1], tables["arrivals"], "hour", "hour of the day", [f"{hour}" for hour in range(24)])
    _cycle(panels[2], tables["arrivals"], "weekday", "weekday", list(_DAYS))
    _sizes(panels[3], tables["sizes"])
    _durations(panels[4], tables["durations"])
    _users(panels[5], tables["users"])
    return figure


def _over_time(ax: Axes, submit_s: np.ndarray) -> None:
    unit, seconds = time_unit(max(float(submit_s[-1]), 1.0))
    counts, edges = np.histogram(submit_s / seconds, bins=60)
    ax.stairs(counts, edges, fill=True, color=_JOBS)
    ax.set(title="Submissions over time", xlabel=f"since the first submission ({unit})", ylabel="jobs in 1/60 of it")
    ax.set_ylim(bottom=0)


def _cycle(ax: Axes, arrivals: pd.DataFrame, cycle: str, label: str, names: list[str]) -> None:
    mine = arrivals[arrivals["cycle"] == cycle]
    ax.bar(mine["position"], mine["jobs_per_h"], color=_JOBS, width=0.85)
    every = 6 if len(names) > 7 else 1
    ax.set_xticks(range(0, len(names), every), names[::every])
    ax.grid(axis="x", visible=False)
    ax.set(title=f"Submissions by {label}", xlabel=label, ylabel="jobs per hour")


def _sizes(ax: Axes, sizes: pd.DataFrame) -> None:
    shown = sizes.nlargest(_MOST_SIZES, "jobs").sort_values("gpus")
    places = np.arange(len(shown))
    ax.bar(places - 0.2, shown["share_jobs"], width=0.4, color=_JOBS, label="of jobs")
    ax.bar(places + 0.2, shown["share_gpu_time"], width=0.4, color=_TIME, label="of GPU time")
    ax.set_xticks(places, [f"{gpus}" for gpus in shown["gpus"]])
    ax.grid(axis="x", visible=False)
    left = len(sizes) - len(shown)
    ax.set(title="Sizes", xlabel="GPUs of a job" + (f" ({left} rarer sizes left out)" if left else ""), ylabel="share")
    ax.legend()


def _durations(ax: Axes, durations: pd.DataFrame) -> None:
    classes = [name for name in durations.columns if name.startswith("gpus_")]
    for name, colour in zip(classes, _CLASSES, strict=False):
        label = name.removeprefix("gpus_").removesuffix("_s").replace("_", " ")
        ax.plot(
            durations[name].clip(lower=1),
            durations["quantile"],
            color=colour,
            marker="o",
            ms=3,
            label=f"{label} GPU{'' if label == '1' else 's'}",
        )
    weighted = durations["by_gpu_time_s"].clip(lower=1)
    ax.plot(weighted, durations["quantile"], color=MUTED, ls="--", label="all, by GPU time")
    log_axis(ax)
    ax.set_xticks([1, 60, 3600, 86_400, 2_592_000], ["1 s", "1 min", "1 h", "1 d", "30 d"])
    ax.set(title="Durations", xlabel="duration (shorter than 1 s: as 1 s)", ylabel="share that is at most so long")
    ax.legend(fontsize=7.5)


def _users(ax: Axes, users: pd.DataFrame) -> None:
    known = users[users["user"] != ""]
    ax.set(title="Users", xlabel="share of users, busiest first", ylabel="share of their jobs and GPU time")
    if not len(known):
        ax.text(0.5, 0.5, "the trace names no users", ha="center", va="center", color=MUTED, transform=ax.transAxes)
        return
    share = np.arange(len(known) + 1) / len(known)
    for column, colour, label in (("jobs", _JOBS, "jobs"), ("gpu_h", _TIME, "GPU time")):
        largest = np.sort(known[column].to_numpy(dtype=np.float64))[::-1]
        total = largest.sum()
        ax.plot(
            share,
            np.concatenate([[0.0], np.cumsum(largest) / total if total > 0 else largest]),
            color=colour,
            label=label,
        )
    ax.set_ylim(0, 1.02)
    ax.legend()
