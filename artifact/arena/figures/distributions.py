"""The arena over all traces: the parts of turnaround above the proven bound, and fairness."""

from collections.abc import Collection, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from artifact.arena.figures.labels import short_of_windows
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


def turnaround_parts(
    parts: pd.DataFrame, labels: Mapping[str, str], order: Sequence[str], short: Collection[str] = ()
) -> Figure:
    """The parts of the mean turnaround over the proven bound: a stacked bar per scheduler, and a line at the bound.

    Args:
        parts: a row per scheduler, a column per part (`artifact.arena.standings.over_bound`).
        labels: parts in the order of the bar, and their names.
        order: schedulers from top to bottom.
        short: schedulers with fewer windows than others.
    """
    names = [name for name in order if name in parts.index]
    table = parts.loc[names, list(labels)]
    figure, ax = plt.subplots(figsize=(9.5, 1.9 + 0.25 * len(names)))
    left = pd.Series(0.0, index=table.index)
    for part in labels:
        ax.barh(range(len(names)), table[part], left=left, color=COLOURS[part], height=0.8, ec="white", lw=0.4)
        left = left + table[part]
    _totals(ax, left, [name in short for name in names])
    near = ", ".join(
        f"{look(str(name)).label} {times:.2f}"
        for name, times in left.drop(list(short), errors="ignore").nsmallest(3).items()
    )
    ax.set_title(f"Mean JCT over the bound is smallest under {near}", fontsize=10.5)
    ax.axvline(1.0, color=INK, lw=1.2, ls="--")
    ax.set_xlabel("mean JCT over the proven lower bound (dashed)")
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
        if total <= limit:
            ax.text(total, y, f" {text}", va="center", fontsize=7.5, color=INK)
        else:
            ax.text(limit * 1.11, y, f"{text} »", va="center", ha="right", fontsize=7.5, color=INK, bbox=TAG)
    ax.set_xlim(0, limit * 1.13)


def fairness_distributions(values: pd.DataFrame, order: Sequence[str]) -> Figure:
    """Worst finish-time ratio, share of jobs treated unfairly, and Jain index: every window, and the median."""
    names = [name for name in order if name in set(values["scheduler"])]
    short = {name for _, name in short_of_windows(values)}
    figure, axes = plt.subplots(1, len(FAIRNESS), figsize=(11, 1.5 + 0.23 * len(names)), sharey=True)
    for ax, (metric, title), better in zip(axes, FAIRNESS.items(), ("left", "left", "right"), strict=True):
        for y, name in enumerate(names):
            own, style = pick(values, metric=metric, scheduler=name)["value"], look(name)
            ax.plot(own, np.full(len(own), y), "o", ms=3.5, color=style.colour, alpha=0.45, mew=0)
            inside = "white" if name in short else style.colour
            ax.plot(own.median(), y, style.marker, ms=7.5, mec=style.colour, mfc=inside)
        middle = pick(values, metric=metric).groupby("scheduler")["value"].median().drop(list(short), errors="ignore")
        fairest = middle.idxmax() if better == "right" else middle.idxmin()
        ax.set(title=f"{title}\nfairest: {look(str(fairest)).label}", xlabel=f"fairer: to the {better}")
    axes[0].set_xscale("log")
    axes[0].xaxis.set_major_formatter("{x:g}")
    axes[0].axvline(1.0, color=INK, lw=0.8, ls="--")
    axes[1].set_xlim(left=0)
    axes[2].set_xlim(0, 1)
    _schedulers_on_y(axes[0], names)
    for ax in axes:
        ax.grid(axis="y", visible=True)
        ax.tick_params(axis="y", length=0)
    handles = [
        key("a window of a trace", ms=3.5, alpha=0.6, mew=0),
        key("median of the windows", ms=7.5),
        key("of fewer windows than others", ms=7.5, mec=MUTED, mfc="white"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _schedulers_on_y(ax: Axes, names: Sequence[str]) -> None:
    name_rows(ax, [look(name).label for name in names])
    ax.tick_params(axis="y", length=0)
