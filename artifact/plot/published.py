"""Published numbers: how to select them, and how every figure draws them beside ours."""

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rarlib.plot.frames import pick
from rarlib.plot.style import INK

PUBLISHED: dict[str, Any] = {"marker": "D", "mfc": "white", "mew": 1.3, "ms": 6}
"""Published points are hollow diamonds."""


def read_published(path: str | Path) -> pd.DataFrame:
    """Read `data/published.csv`: a row per number, all columns as text because some values are words."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def published_points(published: pd.DataFrame, paper: str, where: str, series: str) -> "pd.Series[float]":
    """Values of a series of a figure or table, by the text of x (`makespan`, `servers=10`)."""
    rows = pick(published, paper=paper, where=where, series=series)
    return rows.set_index("x")["value"].astype(float)


def published_curve(published: pd.DataFrame, paper: str, where: str, series: str) -> "pd.Series[float]":
    """Values of a series by ascending x, where x is written as `name=number`, with or without a unit."""
    points = published_points(published, paper, where, series)
    xs = points.index.str.extract(r"=(-?[\d.]+)", expand=False).astype(float)
    return points.set_axis(xs).sort_index()


def published_value(published: pd.DataFrame, paper: str, where: str, series: str, x: str) -> float:
    """A single number; NaN where none was published."""
    return float(published_points(published, paper, where, series).get(x, float("nan")))


def draw_published(ax: Axes, x: Any, y: Any, colour: Any = INK, **line: Any) -> None:
    """Draw one or more published points, joined by a line only if `line` asks for one."""
    ax.plot(x, y, color=colour, **{"ls": "none", **PUBLISHED, **line})


def published_key(label: str = "published", colour: Any = INK, **line: Any) -> Line2D:
    """Legend entry for the points drawn by `draw_published`."""
    return Line2D([], [], color=colour, label=label, **{"ls": "none", **PUBLISHED, **line})
