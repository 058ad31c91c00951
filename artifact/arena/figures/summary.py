"""The arena in numbers: completion times and makespan with proven bounds, GPU-hours and restarts."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from artifact.arena.figures.labels import short_of_windows, trace_label
from rarlib.plot.axes import key, name_rows
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, log_axis, look

SUMMARY_METRICS = {
    "mean_jct": "mean JCT (h)",
    "makespan": "makespan (h)",
    "gpu_hours": "GPU-hours per job",
    "restarts": "restarts per job",
}
_BOUNDS = "bounds"


def standings_figure(frame: pd.DataFrame, order: Sequence[str]) -> Figure:
    """A line of panels per trace, a panel per metric, a row per scheduler; ticks are proven lower bounds.

    Args:
        frame: tidy rows of `SUMMARY_METRICS` by window, and those of `bounds`: bound_mean_jct and bound_makespan.
        order: schedulers from top to bottom.
    """
    known = frame[frame["metric"].isin(list(SUMMARY_METRICS))]
    traces = list(dict.fromkeys(known["setup"]))
    names = [name for name in order if name in set(known["scheduler"])]
    short = short_of_windows(known)
    size = (11.5, len(traces) * (0.75 + 0.16 * len(names)) + 0.5)
    figure, axes = plt.subplots(len(traces), len(SUMMARY_METRICS), figsize=size, squeeze=False, sharey=True)
    for line, trace in zip(axes, traces, strict=True):
        proven = pick(frame, setup=trace, scheduler=_BOUNDS)
        for ax, (metric, label) in zip(line, SUMMARY_METRICS.items(), strict=True):
            bounds = pick(proven, metric=f"bound_{metric}").set_index("seed")["value"]
            _panel(ax, pick(known, setup=trace, metric=metric), names, bounds, [(trace, n) in short for n in names])
            ax.set_xlabel(label)
        line[0].set_title(trace_label(trace))
        name_rows(line[0], [look(name).label for name in names], fontsize=8)
    handles = [
        key("a window of the trace", ms=3, alpha=0.6, mew=0),
        key("mean", ms=6),
        key("of fewer windows", ms=6, mec=MUTED, mfc="white"),
        key("proven lower bound, mean", "|", ms=9, mew=1.4, color=INK),
        key("2.5×: mean over bound", ""),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5)
    return figure


def _panel(
    ax: Axes, rows: pd.DataFrame, names: Sequence[str], bounds: "pd.Series[float]", fewer: Sequence[bool]
) -> None:
    """Every window and the mean, beside the mean of the bounds for the same windows."""
    for y, (name, short) in enumerate(zip(names, fewer, strict=True)):
        own, style = pick(rows, scheduler=name).set_index("seed")["value"], look(name)
        if own.empty:
            continue
        ax.plot(own, np.full(len(own), y), "o", ms=3, color=style.colour, alpha=0.45, mew=0)
        ax.plot(own.mean(), y, style.marker, ms=6, mec=style.colour, mfc="white" if short else style.colour)
        bound = float(bounds.reindex(own.index).mean(skipna=False))
        if np.isfinite(bound):
            ax.plot([bound, bound], [y - 0.38, y + 0.38], color=INK, lw=1.4)
            text = f"{own.mean() / bound:.3g}×"
            at: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"}
            ax.annotate(text, (1, y), fontsize=7, color=MUTED, **at)
    values = rows["value"]
    if (values > 0).all() and values.max() > 4 * values.min():
        log_axis(ax)
    else:
        ax.set_xlim(left=0)
    low, high = ax.get_xlim()
    ax.set_xlim(low, high * (1.9 if ax.get_xscale() == "log" else 1.2) if len(bounds) else high)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
