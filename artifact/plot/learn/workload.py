"""What a trace contains: sizes of jobs, their lengths, and when they are submitted."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from rarlib.plot.style import INK, MUTED

_CLASSES = ((1, 1), (2, 3), (4, 7), (8, 8), (9, 31), (32, None))
"""GPU counts that share a colour: first and last of each class; None: no upper end."""

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d31", "#5c6b73")
"""Colours of traces, used in turn."""


def sizes(facts: pd.DataFrame) -> Figure:
    """Shares of jobs and of GPU time by GPU count, a panel per trace.

    `facts`: columns trace, quantity, value; quantities `share of jobs, N GPU` and `share of GPU time, N GPU`.
    """
    traces = facts["trace"].unique()
    figure, axes = plt.subplots(len(traces), 1, figsize=(9.5, 0.95 * len(traces) + 0.9), squeeze=False, sharex=True)
    shades = colormaps["viridis"](np.linspace(0.92, 0.12, len(_CLASSES)))
    for ax, trace in zip(axes[:, 0], traces, strict=True):
        own = facts[facts["trace"] == trace]
        for lane, what in enumerate(("jobs", "GPU time")):
            left = 0.0
            for (low, high), colour, share in zip(_CLASSES, shades, _by_class(own, what), strict=True):
                ax.barh(
                    lane, share, left=left, height=0.74, color=colour, edgecolor="white", lw=0.6, label=_name(low, high)
                )
                if share > 4:
                    dark = low > 4
                    text = {"color": "white" if dark else INK, "fontsize": 8.5}
                    ax.text(left + share / 2, lane, f"{share:.0f}", ha="center", va="center", **text)
                left += share
        ax.set_yticks([0, 1], ["jobs", "GPU time"])
        ax.set(title=trace, ylim=(1.5, -0.5), xlim=(0, 100))
        ax.tick_params(axis="y", length=0, labelcolor=MUTED)
        ax.grid(axis="y", visible=False)
    axes[-1, 0].set_xlabel("share (%)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    figure.legend(named.values(), named.keys(), loc="outside upper right", ncols=len(_CLASSES), title="GPUs of a job")
    return figure


def _by_class(facts: pd.DataFrame, what: str) -> list[float]:
    """Percentage of `what` in each class."""
    pattern = rf"share of {what}, (\d+) GPU"
    counts = facts["quantity"].str.extract(pattern)[0]
    own = facts.loc[counts.notna(), "value"].astype(float)
    gpus = counts.dropna().astype(int)
    return [100 * float(own[(gpus >= low) & (gpus <= (high or gpus.max()))].sum()) for low, high in _CLASSES]


def _name(low: int, high: int | None) -> str:
    return str(low) if low == high else f"{low} to {high}" if high else f"{low} and more"


def durations(rows: pd.DataFrame) -> Figure:
    """Shares of jobs and of GPU time in jobs up to a given length.

    `rows`: columns trace, duration_s (ascending), jobs, gpu_time (shares, 0 to 1).
    """
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.3), sharey=True)
    for ax, column, title in zip(axes, ("jobs", "gpu_time"), ("jobs", "GPU time"), strict=True):
        for (trace, own), colour in zip(rows.groupby("trace", sort=False), _COLOURS, strict=False):
            ax.plot(own["duration_s"], 100 * own[column], color=colour, label=trace)
        ax.set_xscale("log")
        times = {"1 s": 1, "1 min": 60, "1 h": 3600, "1 day": 86400, "1 week": 604800}
        ax.set_xticks(list(times.values()), list(times))
        ax.minorticks_off()
        ax.set(title=title, xlabel="in jobs that run at most", xlim=(1, 1e7))
    axes[0].set_ylabel("share (%)")
    axes[0].legend(loc="upper left")
    return figure


def weeks(rows: pd.DataFrame) -> Figure:
    """Submissions by hour of the week, a panel per trace.

    `rows`: columns trace, hour (0: Monday, midnight to 1 am), relative (1: the mean hour).
    """
    traces = rows["trace"].unique()
    figure, axes = plt.subplots(
        len(traces), 1, figsize=(9.5, 1.05 * len(traces) + 0.6), squeeze=False, sharex=True, sharey=True
    )
    for ax, trace, colour in zip(axes[:, 0], traces, _COLOURS, strict=False):
        own = rows[rows["trace"] == trace]
        ax.fill_between(own["hour"], own["relative"], step="post", color=colour, alpha=0.75, lw=0)
        ax.axhline(1.0, color=INK, lw=0.8, ls="--")
        ax.set_title(trace)
        ax.set(xlim=(0, 168), ylim=(0, None))
        ax.set_xticks([24 * day for day in range(8)], [])
        ax.set_xticks(
            [24 * day + 12 for day in range(7)], ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], minor=True
        )
        ax.tick_params(axis="x", which="minor", length=0)
        ax.grid(axis="x", which="minor", visible=False)
    figure.supylabel("submissions, mean hour = 1", fontsize=9.5)
    return figure
