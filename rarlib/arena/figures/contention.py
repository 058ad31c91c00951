"""The cost of contention for each scheduler in the arena."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rarlib.arena.figures.labels import level_label
from rarlib.plot.axes import key, name_rows
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, look

_LIFT = 0.3
"""Distance between the marks of a scheduler that has two of them, in rows."""


CUT = 2.0
"""Ratio at which the axis ends; larger ratios are written as numbers at its end."""

_BESIDE: dict[str, Any] = {
    "textcoords": "offset points",
    "ha": "right",
    "va": "center",
    "fontsize": 7.5,
    "color": INK,
    "bbox": {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.85},
}


def cost(table: pd.DataFrame, order: Sequence[str]) -> Figure:
    """Mean JCT with contention over mean JCT without, a panel per cluster, with intervals.

    Args:
        table: columns cluster, scheduler, contention, ratio, low, high.
        order: schedulers from top to bottom.
    """
    clusters = list(dict.fromkeys(table["cluster"]))
    levels = list(dict.fromkeys(table["contention"]))
    names = [name for name in order if name in set(table["scheduler"])]
    size = (1.9 + 3.2 * len(clusters), 1.7 + 0.27 * len(names))
    figure, axes = plt.subplots(1, len(clusters), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, cluster in zip(axes.flat, clusters, strict=True):
        for row in pick(table, cluster=cluster).to_dict("records"):
            last = row["contention"] == levels[-1]
            _mark(ax, names.index(row["scheduler"]), row, filled=last, shift=_LIFT * (len(levels) > 1) * (last - 0.5))
        ax.axvline(1.0, color=INK, lw=0.8)
        ax.set(title=cluster, xlabel="mean JCT over that\nwithout contention")
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    axes[0, 0].xaxis.set_major_locator(MaxNLocator(5))
    name_rows(axes[0, 0], [look(name).label for name in names])
    figure.legend(handles=_handles(levels), loc="outside lower center", ncols=len(levels) + 1)
    return figure


def _mark(ax: Axes, y: float, row: Mapping[Any, Any], *, filled: bool, shift: float) -> None:
    style = look(row["scheduler"])
    low, high = min(row["low"], CUT), min(row["high"], CUT)
    ax.plot([low, high], [y + shift] * 2, color=style.colour, lw=1.6, solid_capstyle="butt")
    inside = style.colour if filled else "white"
    ax.plot(min(row["ratio"], CUT), y + shift, style.marker, ms=6.5, mfc=inside, mec=style.colour, mew=1.2)
    if row["ratio"] > CUT:
        ax.annotate(f"{row['ratio']:.1f} »", (CUT, y + shift), (-7, 0), **_BESIDE)


def _handles(levels: Sequence[str]) -> list[Line2D]:
    look: dict[str, Any] = {"ms": 6.5, "mec": MUTED}
    inside = ["white"] * (len(levels) - 1) + [MUTED]
    return [
        *(key(level_label("contention", level), mfc=fill, **look) for level, fill in zip(levels, inside, strict=True)),
        Line2D([], [], color=MUTED, label="95 % interval over windows"),
    ]
