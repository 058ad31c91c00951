"""What a factor of the arena costs each scheduler: contention, or speeds that have to be learned."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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


class Factor(NamedTuple):
    """What one factor costs.

    Attributes:
        name: of the factor.
        without: what the axis calls the level that the others are compared with: "without contention".
        table: columns cluster, scheduler, the factor, ratio, low, high (`artifact.arena.standings.factor_cost`).
    """

    name: str
    without: str
    table: pd.DataFrame


def cost(order: Sequence[str], *factors: Factor) -> Figure:
    """Mean JCT at the levels of a factor over mean JCT at another one, with intervals; a panel per factor and cluster.

    Args:
        order: schedulers from top to bottom.
        factors: from left to right.
    """
    panels = [(factor, cluster) for factor in factors for cluster in dict.fromkeys(factor.table["cluster"])]
    known = {name for factor in factors for name in factor.table["scheduler"]}
    names = [name for name in order if name in known]
    most = max(factor.table[factor.name].nunique() for factor in factors)
    size = (1.9 + 3.2 * len(panels), 1.9 + (0.17 + 0.05 * most) * max(len(names), 5))
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, (factor, cluster) in zip(axes.flat, panels, strict=True):
        levels = list(dict.fromkeys(factor.table[factor.name]))
        fills = _fills(levels)
        shifts = {level: _LIFT * (n - (len(levels) - 1) / 2) for n, level in enumerate(levels)}
        rows = pick(factor.table, cluster=cluster).to_dict("records")
        worst = max(rows, key=lambda row: row["ratio"])
        for row in rows:
            level = row[factor.name]
            _mark(ax, names.index(row["scheduler"]) + shifts[level], row, fills[level])
        ax.axvline(1.0, color=INK, lw=0.8)
        title = f"{factor.name}: {cluster}\nat most {worst['ratio']:.2f} times: {look(worst['scheduler']).label}"
        ax.set(title=title, xlabel=f"mean JCT over that\n{factor.without}")
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    axes[0, 0].xaxis.set_major_locator(MaxNLocator(5))
    name_rows(axes[0, 0], [look(name).label for name in names])
    handles = [handle for factor in factors for handle in _handles(factor)]
    handles.append(Line2D([], [], color=MUTED, label="95 % interval over windows"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
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


def _handles(factor: Factor) -> list[Line2D]:
    fills = _fills(list(dict.fromkeys(factor.table[factor.name])))
    return [key(level_label(factor.name, level), ms=6.5, **_filled(fill, MUTED)) for level, fill in fills.items()]
