"""What a factor of the arena costs each scheduler: contention, or speeds that have to be learned."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from artifact.arena.figures.labels import level_label
from rarlib.plot.axes import key, name_rows
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, look

_LIFT = 0.25
"""Distance between the marks of a scheduler, in rows."""

_FILLS = ("none", "left", "right", "bottom", "full")
"""How marks are filled, level by level; the last level is filled in full."""

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


def cost(table: pd.DataFrame, order: Sequence[str], factor: str, without: str) -> Figure:
    """Mean JCT at the levels of a factor over mean JCT at another one, a panel per cluster, with intervals.

    Args:
        table: columns cluster, scheduler, `factor`, ratio, low, high (`artifact.arena.standings.factor_cost`).
        order: schedulers from top to bottom.
        factor: the factor.
        without: what the axis calls the other level: "without contention".
    """
    clusters = list(dict.fromkeys(table["cluster"]))
    levels = list(dict.fromkeys(table[factor]))
    fills = _fills(levels)
    shifts = {level: _LIFT * (n - (len(levels) - 1) / 2) for n, level in enumerate(levels)}
    names = [name for name in order if name in set(table["scheduler"])]
    size = (1.9 + 3.2 * len(clusters), 1.7 + (0.17 + 0.05 * len(levels)) * max(len(names), 5))
    figure, axes = plt.subplots(1, len(clusters), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, cluster in zip(axes.flat, clusters, strict=True):
        for row in pick(table, cluster=cluster).to_dict("records"):
            y = names.index(row["scheduler"]) + shifts[row[factor]]
            _mark(ax, y, row, fills[row[factor]])
        ax.axvline(1.0, color=INK, lw=0.8)
        ax.set(title=cluster, xlabel=f"mean JCT over that\n{without}")
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    axes[0, 0].xaxis.set_major_locator(MaxNLocator(5))
    name_rows(axes[0, 0], [look(name).label for name in names])
    figure.legend(handles=_handles(factor, levels), loc="outside lower center", ncols=len(levels) + 1)
    return figure


def _fills(levels: Sequence[str]) -> dict[str, Any]:
    """Level -> how its marks are filled: not at all, by half, in full."""
    fills = [*_FILLS[: len(levels) - 1], _FILLS[-1]]
    return {level: fills[min(n, len(fills) - 1)] for n, level in enumerate(levels)}


def _mark(ax: Axes, y: float, row: Mapping[Any, Any], fill: Any) -> None:
    style = look(row["scheduler"])
    low, high = min(row["low"], CUT), min(row["high"], CUT)
    ax.plot([low, high], [y] * 2, color=style.colour, lw=1.6, solid_capstyle="butt")
    ax.plot(min(row["ratio"], CUT), y, style.marker, **_filled(fill, style.colour), ms=6.5, mew=1.2)
    if row["ratio"] > CUT:
        ax.annotate(f"{row['ratio']:.1f} »", (CUT, y), (-7, 0), **_BESIDE)


def _filled(fill: Any, colour: str) -> dict[str, Any]:
    """What draws a marker in a colour, filled so; what is not filled is white, and hides the line below."""
    inside = "white" if fill == "none" else colour
    return {
        "fillstyle": "full" if fill == "none" else fill,
        "mfc": inside,
        "markerfacecoloralt": "white",
        "mec": colour,
    }


def _handles(factor: str, levels: Sequence[str]) -> list[Line2D]:
    marks = [key(level_label(factor, level), ms=6.5, **_filled(fill, MUTED)) for level, fill in _fills(levels).items()]
    return [*marks, Line2D([], [], color=MUTED, label="95 % interval over windows")]
