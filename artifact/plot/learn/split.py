"""Stacked bars: the parts that a time consists of."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rarlib.plot.style import INK, MUTED

PART_COLOURS = {
    "compute": "#9db7c9",
    "add": "#44aa99",
    "send": "#e69f00",
    "contend": "#d55e00",
    "per server": "#aa4499",
}
"""Colour of each part of an iteration, the same in all notebooks."""

NAMES = {
    "compute": "compute gradients",
    "add": "add up",
    "send": "send",
    "contend": "share links",
    "per server": "set-up per server",
}
"""Labels of the parts."""


def split_bars(ax: Axes, rows: pd.DataFrame, *, order: Mapping[str, str] | None = None) -> None:
    """Horizontal bars, one per `bar`, stacked from their `part`s, each followed by its total.

    `rows`: columns bar, part (keys of `PART_COLOURS`), value (s). `order`: bar -> label, from top to bottom; None: in
    order of appearance.
    """
    labels = order or {bar: str(bar) for bar in rows["bar"].unique()}
    parts = [part for part in PART_COLOURS if part in set(rows["part"])]
    widths = rows.groupby(["bar", "part"])["value"].sum().to_dict()
    for at, bar in enumerate(labels):
        left = 0.0
        for part in parts:
            width = widths.get((bar, part), 0.0)
            ax.barh(at, width, left=left, height=0.62, color=PART_COLOURS[part], edgecolor="white", lw=0.7)
            left += width
        ax.annotate(f"{left:.3g} s", (left, at), (4, 0), textcoords="offset points", va="center", color=INK)
    ax.set_yticks(range(len(labels)), list(labels.values()))
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, labelcolor=MUTED)
    ax.grid(axis="y", visible=False)


def legend(figure: Figure, rows: pd.DataFrame) -> None:
    """Put a legend of the parts above the figure."""
    parts = [part for part in PART_COLOURS if (rows.loc[rows["part"] == part, "value"] > 0).any()]
    handles = [Patch(color=PART_COLOURS[part], label=NAMES[part]) for part in parts]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
