"""Lines labelled at their ends."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes

from rarlib.plot.style import MUTED


def name_end(ax: Axes, x: "pd.Series[Any]", y: "pd.Series[Any]", name: object, colour: Any, **text: Any) -> None:
    """Write the name of a line next to its last point."""
    end = (float(x.iloc[-1]), float(y.iloc[-1]))
    ax.annotate(str(name), end, (5, 0), textcoords="offset points", va="center", color=colour, **text)


def named_lines(ax: Axes, rows: pd.DataFrame, x: str, y: str, last: str = "") -> None:
    """A line for each value of the column `line`, by ascending `x`; labelled at its end, or all together by `last`."""
    lines = rows["line"].unique()
    for line, colour in zip(lines, colormaps["viridis"](np.linspace(0.05, 0.75, len(lines))), strict=True):
        own = rows[rows["line"] == line].sort_values(x)
        ax.plot(own[x], own[y], color=colour, marker="o", ms=4)
        if not last:
            name_end(ax, own[x], own[y], line, colour)
    if last:
        name_end(ax, own[x], own[y], last, MUTED)
