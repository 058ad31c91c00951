"""The arena trace by trace: distributions of JCT, the parts of turnaround, fairness."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from artifact.arena.figures.labels import short_of_windows, trace_label
from rarlib.plot.axes import key, name_rows
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, TAG, look
from rarlib.plot.waiting import COLOURS

LONGEST = 3.0
"""Bars longer than this multiple of the median bar are cut."""

FAIRNESS = {
    "worst_rho": "Worst finish-time ratio",
    "unfair_share": "Jobs with a ratio above 1.1 (%)",
    "jain_index": "Jain index of slowdowns",
}


def jct(
    quantiles: pd.DataFrame,
    order: Sequence[str],
    short: Collection[tuple[str, str]] = (),
    standins: Collection[str] = (),
) -> Figure:
    """Distributions of the JCT, a panel per trace, a line per scheduler.

    Args:
        quantiles: columns setup, scheduler, percent, value (h).
        order: schedulers in the order of the legend.
        short: pairs of trace and scheduler with fewer windows than others (`short_of_windows`).
        standins: traces that are stand-ins.
    """
    figure, panels = _panels(quantiles, 5.2, 3.9, sharex=True)
    for ax, trace, rows in panels:
        for at, name in enumerate(_present(rows, order)):
            line, style = pick(rows, scheduler=name).sort_values("percent"), look(name)
            # Each scheduler has its markers at other quantiles, so that they do not hide each other.
            marks: dict[str, Any] = {"marker": style.marker, "ms": 5, "markevery": (at % 5, 5), "mew": 0}
            dashes = (0, (4, 2)) if (trace, name) in short else "-"
            ax.plot(line["value"], line["percent"], color=style.colour, ls=dashes, lw=1.3, alpha=0.9, **marks)
        ax.set(xscale="log", ylim=(0, 100), title=trace_label(trace, standins))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(xlabel="JCT (h)", ylabel="jobs (%)")
        ax.tick_params(labelbottom=True)  # there may be no panel below
    handles = [
        Line2D([], [], color=look(name).colour, marker=look(name).marker, ms=5, label=look(name).label)
        for name in _present(quantiles, order)
    ]
    if short:
        handles.append(Line2D([], [], color=MUTED, ls=(0, (4, 2)), label="fewer windows"))
    figure.legend(handles=handles, loc="outside right upper", title="by mean rank")
    return figure


def turnaround_parts(
    parts: pd.DataFrame,
    labels: Mapping[str, str],
    order: Sequence[str],
    short: Collection[tuple[str, str]] = (),
    standins: Collection[str] = (),
) -> Figure:
    """The parts of the mean turnaround: a stacked bar per scheduler, a panel per trace.

    Args:
        parts: columns setup, scheduler, and the parts (h).
        labels: parts in the order of the bar, and their names.
        order: schedulers from top to bottom.
        short: pairs of trace and scheduler with fewer windows than others (`short_of_windows`).
        standins: traces that are stand-ins.
    """
    names = _present(parts, order)
    figure, panels = _panels(parts, 5.2, 1.0 + 0.21 * len(names))
    for ax, trace, rows in panels:
        table = rows.set_index("scheduler")[list(labels)].reindex(names)
        left = pd.Series(0.0, index=table.index)
        for part in labels:
            ax.barh(range(len(names)), table[part], left=left, color=COLOURS[part], height=0.8, ec="white", lw=0.4)
            left = left + table[part]
        fewer = [(trace, name) in short for name in names]
        _totals(ax, left, fewer)
        ax.set(title=trace_label(trace, standins), xlabel="mean JCT (h)")
        _schedulers_on_y(ax, names)
    handles = [Patch(color=COLOURS[part], label=label) for part, label in labels.items()]
    if short:
        handles.append(Patch(fc="none", ec="none", label="number*: fewer windows"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _totals(ax: Axes, totals: "pd.Series[float]", fewer: Sequence[bool]) -> None:
    """Write the lengths of the bars; bars several times longer than the others leave the panel."""
    limit = min(float(totals.max()), LONGEST * float(totals.median()))
    for y, (total, short) in enumerate(zip(totals, fewer, strict=True)):
        text = f"{total:.2f}*" if short else f"{total:.2f}"
        if not np.isfinite(total):
            ax.text(0, y, " not run", va="center", fontsize=7.5, color=MUTED)
        elif total <= limit:
            ax.text(total, y, f" {text}", va="center", fontsize=7.5, color=INK)
        else:
            ax.text(limit * 1.11, y, f"{text} »", va="center", ha="right", fontsize=7.5, color=INK, bbox=TAG)
    ax.set_xlim(0, limit * 1.13)


def fairness_distributions(values: pd.DataFrame, order: Sequence[str]) -> Figure:
    """Worst finish-time ratio, share of jobs treated unfairly, and Jain index: every window, and the median."""
    names = _present(values, order)
    short = {name for _, name in short_of_windows(values)}
    figure, axes = plt.subplots(1, len(FAIRNESS), figsize=(11, 1.5 + 0.23 * len(names)), sharey=True)
    for ax, (metric, title) in zip(axes, FAIRNESS.items(), strict=True):
        for y, name in enumerate(names):
            own, style = pick(values, metric=metric, scheduler=name)["value"], look(name)
            ax.plot(own, np.full(len(own), y), "o", ms=3.5, color=style.colour, alpha=0.45, mew=0)
            inside = "white" if name in short else style.colour
            ax.plot(own.median(), y, style.marker, ms=7.5, mec=style.colour, mfc=inside)
        ax.set_title(title)
    axes[0].set_xscale("log")
    axes[0].xaxis.set_major_formatter("{x:g}")
    axes[0].axvline(1.0, color=INK, lw=0.8, ls="--")
    axes[1].set_xlim(left=0)
    axes[2].set_xlim(0, 1)
    _schedulers_on_y(axes[0], names)
    for ax, better in zip(axes, ("left", "left", "right"), strict=True):
        ax.set_xlabel(f"fairer: to the {better}")
        ax.grid(axis="y", visible=True)
        ax.tick_params(axis="y", length=0)
    handles = [
        key("a window of a trace", ms=3.5, alpha=0.6, mew=0),
        key("median of the windows", ms=7.5),
        key("of fewer windows than others", ms=7.5, mec=MUTED, mfc="white"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _panels(
    table: pd.DataFrame, width: float, height: float, sharex: bool = False
) -> tuple[Figure, list[tuple[Axes, str, pd.DataFrame]]]:
    """A figure with a panel per trace, two per line, and the rows of each trace."""
    traces = [str(trace) for trace in dict.fromkeys(table["setup"])]
    columns = min(len(traces), 2)
    lines = -(-len(traces) // columns)
    size = (max(columns * width + 0.6, 8.5), lines * height + 0.7)
    figure, axes = plt.subplots(lines, columns, figsize=size, squeeze=False, sharex=sharex)
    for ax in axes.flat[len(traces) :]:
        ax.set_visible(False)
    return figure, [(ax, trace, pick(table, setup=trace)) for ax, trace in zip(axes.flat, traces, strict=False)]


def _present(table: pd.DataFrame, order: Sequence[str]) -> list[str]:
    here = set(table["scheduler"])
    return [name for name in order if name in here]


def _schedulers_on_y(ax: Axes, names: Sequence[str]) -> None:
    name_rows(ax, [look(name).label for name in names])
    ax.tick_params(axis="y", length=0)
