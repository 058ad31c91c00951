"""Axes helpers shared by many figures: named rows, plain numbers on logarithmic axes, dodged series, legend keys."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D

from rarlib.plot.style import MUTED

_Name = TypeVar("_Name", bound=Hashable)


def name_rows(ax: Axes, labels: Sequence[str], *, margin: float = 0.6, **text: Any) -> None:
    """Label rows 0, 1, ... from top to bottom and remove their grid lines.

    Args:
        ax: axes to draw on.
        labels: labels of the rows.
        margin: space above the first row and below the last one, in rows.
        text: text properties of the labels.
    """
    ax.set_yticks(range(len(labels)), labels, **text)
    ax.set(ylim=(len(labels) - 1 + margin, -margin), ylabel="")
    ax.grid(axis="y", visible=False)


def name_columns(ax: Axes, labels: Sequence[str], **text: Any) -> None:
    """Label columns 0, 1, ... from left to right and remove their grid lines."""
    ax.set_xticks(range(len(labels)), labels, **text)
    ax.set_xlabel("")
    ax.grid(axis="x", visible=False)


def plain_ticks(axis: Axis, ticks: Iterable[float]) -> None:
    """Put ticks of a logarithmic axis at these numbers only, written out."""
    axis.set_ticks(list(ticks), [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)


def from_zero(ax: Axes) -> None:
    """Start the vertical axis at 0 and leave space above the data."""
    ax.set_ylim(0, ax.get_ylim()[1] * 1.05)


def dodges(names: Sequence[_Name], gap: float) -> dict[_Name, float]:
    """Offset of each series, so that marks at the same place lie side by side; the mean offset is 0."""
    return {name: (at - (len(names) - 1) / 2) * gap for at, name in enumerate(names)}


def key(label: str, marker: str = "o", **look: Any) -> Line2D:
    """Legend entry for a mark, by default grey and without a line."""
    return Line2D([], [], marker=marker, label=label, **{"color": MUTED, "lw": 0, **look})
