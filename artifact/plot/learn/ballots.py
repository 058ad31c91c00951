"""Merging rankings, and how jobs fare whose length is known, predicted or unknown."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rarlib.plot.style import INK, MUTED

KNOWN_COLOUR, UNKNOWN_COLOUR = "#0072b2", "#e69f00"
"""Colours of jobs whose length can be predicted, and of those whose length cannot."""

_CLASSES = {True: ("predictable", KNOWN_COLOUR, "o"), False: ("unpredictable", UNKNOWN_COLOUR, "^")}


def ballots(rows: pd.DataFrame, columns: Mapping[str, str]) -> Figure:
    """Rankings side by side, first place on top; lines follow each job from one ranking to the next.

    `rows`: a row per job, columns job, predictable, and one per ranking (smaller is more urgent; NaN: not ranked).
    `columns`: ranking -> title, from left to right; the order of the rows breaks ties in the first ranking.
    """
    figure, ax = plt.subplots(figsize=(8.5, 0.48 * len(rows) + 1.1))
    places = {name: rows[name].rank(method="first").tolist() for name in columns}
    for position, row in enumerate(rows.itertuples()):
        colour = KNOWN_COLOUR if row.predictable else UNKNOWN_COLOUR
        at = [(x, float(places[name][position])) for x, name in enumerate(columns)]
        drawn = [(x, y) for x, y in at if not np.isnan(y)]
        ax.plot(*zip(*drawn, strict=True), color=colour, lw=1.6, alpha=0.6, zorder=1)
        for (x, y), name in zip(at, columns, strict=True):
            if not np.isnan(y):
                text = f"{row.job}: {getattr(row, name):g}"
                box = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": colour, "lw": 1.4}
                ax.text(x, y, text, ha="center", va="center", color=INK, bbox=box)
    ax.set_xticks(range(len(columns)), list(columns.values()))
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) + 0.6, 0.4))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_yticks([])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    handles = [Patch(color=colour, label=label) for label, colour, _ in _CLASSES.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def guesses(rows: pd.DataFrame) -> Figure:
    """Predicted against true length, one dot per job; predictions on the diagonal are right.

    `rows`: columns true, predicted (h), predictable.
    """
    figure, ax = plt.subplots(figsize=(4.9, 4.2))
    _dots(ax, rows, "true", "predicted")
    both = rows[["true", "predicted"]].to_numpy()
    ends = [float(both.min()) / 1.3, float(both.max()) * 1.3]
    ax.plot(ends, ends, color=MUTED, lw=1.0, ls="--", zorder=0)
    ax.set(xlim=ends, ylim=ends, xlabel="true length (h)", ylabel="predicted length (h)")
    ax.legend(loc="lower right")
    return figure


def outcome(rows: pd.DataFrame, colours: Mapping[str, str], *, xlabel: str, ylabel: str) -> Figure:
    """Means over cases for each rule, with bands of one standard error; a panel for all jobs and one per class.

    `rows`: columns rule, x, case, group (a panel each, in order of appearance), value.
    """
    groups = rows["group"].unique()
    figure, axes = plt.subplots(1, len(groups), figsize=(3.7 * len(groups), 3.4), squeeze=False)
    for ax, group in zip(axes[0], groups, strict=True):
        own = rows[rows["group"] == group]
        for rule, colour in colours.items():
            some = own[own["rule"] == rule].groupby("x")["value"]
            mean, error = some.mean(), some.sem()
            x = mean.index.to_numpy(dtype=float)
            ax.fill_between(x, mean - error, mean + error, color=colour, alpha=0.18, lw=0)
            ax.plot(x, mean, color=colour, marker="o", ms=4, label=rule)
        ax.set(title=str(group), xlabel=xlabel, ylim=(0, None))
    axes[0, 0].set_ylabel(ylabel)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(colours))
    return figure


def turnarounds(rows: pd.DataFrame, rules: Mapping[str, str]) -> Figure:
    """Time in the system against run time, a dot per job and a panel per rule; jobs on the diagonal did not wait.

    `rows`: columns rule, predictable, length, turnaround (h); `rules`: rule -> title, from left to right.
    """
    figure, axes = plt.subplots(1, len(rules), figsize=(10.5, 3.9), sharex=True, sharey=True, squeeze=False)
    ends = [float(rows["length"].min()) / 1.5, float(rows["turnaround"].max()) * 1.5]
    for ax, (rule, title) in zip(axes[0], rules.items(), strict=True):
        _dots(ax, rows[rows["rule"] == rule], "length", "turnaround")
        ax.plot(ends, ends, color=MUTED, lw=1.0, ls="--", zorder=0)
        mean = float(rows.loc[rows["rule"] == rule, "turnaround"].mean())
        ax.set(title=f"{title}: mean {mean:.1f} h", xlabel="runs (h)", xlim=ends, ylim=ends)
        ax.set_aspect("equal")
    axes[0, 0].set_ylabel("in the system (h)")
    axes[0, 0].legend(loc="upper left")
    return figure


def _dots(ax: Axes, rows: pd.DataFrame, x: str, y: str) -> None:
    """Draw the jobs of both classes; both axes are logarithmic."""
    for predictable, (name, colour, marker) in _CLASSES.items():
        own = rows[rows["predictable"] == predictable]
        ax.plot(own[x], own[y], ls="", marker=marker, ms=5, color=colour, mec="white", mew=0.4, label=name)
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
