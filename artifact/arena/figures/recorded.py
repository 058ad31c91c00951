"""Simple schedulers on a recorded trace: completion times and queueing delays."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.plot.axes import name_rows
from rarlib.plot.style import INK, MUTED, look, note

_HOUR = 3600.0
_TICKS = {60: "1 min", _HOUR: "1 h", 24 * _HOUR: "1 day", 168 * _HOUR: "1 week", 1680 * _HOUR: "10 weeks"}


def jct_and_queueing(frame: pd.DataFrame) -> Figure:
    """Distribution of job completion times (left), and their mean split into queueing and running (right)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.0), width_ratios=[1.35, 1])
    names = list(dict.fromkeys(frame["scheduler"]))
    _distribution(left, frame, names)
    _means(right, frame, sorted(names, key=lambda name: _metric(frame, name, "jct_mean_s")))
    return figure


def _distribution(ax: Axes, frame: pd.DataFrame, names: list[str]) -> None:
    """Share of jobs not yet complete; a logarithmic axis spreads out the tail, where schedulers differ."""
    for name in names:
        rows = frame[(frame["scheduler"] == name) & (frame["metric"] == "jct_s")]
        rest = 1.0 - rows["x"].astype(float)
        ax.plot(rows["value"], rest, color=look(name).colour, label=look(name).label)
    ax.set_title("Jobs not complete after …", pad=18)
    ax.set(xlabel="time since submission", ylabel="share of jobs")
    ax.set(xscale="log", yscale="log", ylim=(9e-4, 1.15))
    ax.set_xlim(left=30)
    low, high = ax.get_xlim()
    shown = {seconds: text for seconds, text in _TICKS.items() if low <= seconds <= high}
    ax.set_xticks(list(shown), list(shown.values()))
    ax.set_yticks([1, 0.1, 0.01, 0.001], ["100 %", "10 %", "1 %", "0.1 %"])
    ax.minorticks_off()
    ax.legend(loc="lower left")


def _means(ax: Axes, frame: pd.DataFrame, names: list[str]) -> None:
    for row, name in enumerate(names):
        total, queue = _metric(frame, name, "jct_mean_s") / _HOUR, _metric(frame, name, "queue_mean_s") / _HOUR
        ax.barh(row, queue, color=look(name).colour, height=0.62)
        ax.barh(row, total - queue, left=queue, color=look(name).colour, alpha=0.3, height=0.62)
        text = f" {total:.1f} h"
        ax.annotate(text, (total, row), va="center", color=INK, fontsize=9)
    ax.set_title("Mean completion time", pad=18)
    ax.set_xlabel("hours")
    note(ax, "full colour: without GPUs; pale: with GPUs")
    name_rows(ax, [look(name).label for name in names])
    ax.margins(x=0.14)
    ax.spines["left"].set_color(MUTED)


def _metric(frame: pd.DataFrame, scheduler: str, metric: str) -> float:
    rows = frame[(frame["scheduler"] == scheduler) & (frame["metric"] == metric)]
    return float(rows["value"].iloc[0])


def recorded_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per scheduler in hours and percent, as printed by the notebook."""
    rows = frame[frame["x_name"] == ""].pivot_table(index="scheduler", columns="metric", values="value", sort=False)
    hours = rows[["jct_mean_s", "jct_median_s", "jct_p99_s", "queue_mean_s", "makespan_s"]] / _HOUR
    hours.columns = ["mean JCT (h)", "median JCT (h)", "p99 JCT (h)", "mean queueing (h)", "makespan (h)"]
    percent = rows[["queued_ratio", "utilisation_ratio"]] * 100
    percent.columns = ["queued (%)", "utilisation (%)"]
    return pd.concat([hours, percent], axis=1).round(2)
