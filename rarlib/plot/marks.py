"""The numbers behind a figure's marks, and where each mark lies in the picture: what a reader needs to check it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

_POINTS = 72.0
"""Units of an SVG per inch."""

_SCALES = ("linear", "log")


def marks_of(figure: Figure) -> dict[str, Any]:
    """Points of lines, far corners of bars and centres of symbols that lie inside their axes.

    Args:
        figure: drawn as SVG just before, so that its layout is the picture's.

    Returns:
        `axes`: per panel, `x` and `y` with `scale`, `data` (limits) and `svg` (their places, in units of the SVG);
        `marks`: panel, x and y of each mark, in the units of the data. Panels with other scales than linear and
        logarithmic ones have no marks.
    """
    axes, marks = [], []
    for panel in figure.axes:
        if not panel.get_visible() or panel.get_xscale() not in _SCALES or panel.get_yscale() not in _SCALES:
            continue
        axes.append({name: _axis(figure, panel, name) for name in ("x", "y")})
        marks += [[len(axes) - 1, *map(_plain, point)] for points in _points(panel) for point in _inside(panel, points)]
    return {"axes": axes, "marks": marks}


def _axis(figure: Figure, panel: Axes, name: str) -> dict[str, Any]:
    limits = panel.get_xlim() if name == "x" else panel.get_ylim()
    corners = panel.transData.transform(list(zip(panel.get_xlim(), panel.get_ylim(), strict=True)))
    places = corners[:, "xy".index(name)] * _POINTS / figure.dpi
    if name == "y":  # an SVG counts downwards
        places = figure.get_figheight() * _POINTS - places
    scale = panel.get_xscale() if name == "x" else panel.get_yscale()
    return {"scale": scale, "data": [_plain(v) for v in limits], "svg": [_plain(v) for v in places]}


def _points(panel: Axes) -> Iterator[NDArray[np.float64]]:
    for line in panel.lines:
        if line.get_visible() and line.get_transform() == panel.transData:
            yield np.asarray(line.get_xydata(), dtype=float)
    for patch in panel.patches:
        if isinstance(patch, Rectangle) and patch.get_visible() and patch.get_data_transform() == panel.transData:
            yield np.array([[patch.get_x() + patch.get_width(), patch.get_y() + patch.get_height()]], dtype=float)
    for symbols in panel.collections:
        if isinstance(symbols, PathCollection) and symbols.get_offset_transform() == panel.transData:
            yield np.ma.filled(np.ma.asarray(symbols.get_offsets(), dtype=float), np.nan)


def _inside(panel: Axes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    limits = np.sort(np.array([panel.get_xlim(), panel.get_ylim()]), axis=1)
    return points[((points >= limits[:, 0]) & (points <= limits[:, 1])).all(axis=1)]


def _plain(value: float) -> float:
    """Twelve significant digits: the same on every machine."""
    return float(f"{value:.12g}")
