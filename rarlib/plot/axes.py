"""What panels of many figures share: rows that are named, plain numbers on logarithmic axes, dodged series, keys."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D

from rarlib.plot.style import MUTED

_Name = TypeVar("_Name", bound=Hashable)


def name_rows(ax: Axes, labels: Sequence[str], *, margin: float = 0.6, **text: Any) -> None:
    """Rows 0, 1, ... from top to bottom, each with its label and without lines of a grid.

    Args:
        ax: where.
        labels: of the rows.
        margin: space above the first row and below the last one, in rows.
        text: look of the labels.
    """
    ax.set_yticks(range(len(labels)), labels, **text)
    ax.set(ylim=(len(labels) - 1 + margin, -margin), ylabel="")
    ax.grid(axis="y", visible=False)


def name_columns(ax: Axes, labels: Sequence[str], **text: Any) -> None:
    """Columns 0, 1, ... from left to right, each with its label and without lines of a grid."""
    ax.set_xticks(range(len(labels)), labels, **text)
    ax.set_xlabel("")
    ax.grid(axis="x", visible=False)


def plain_ticks(axis: Axis, ticks: Iterable[float]) -> None:
    """Ticks of a logarithmic axis: these numbers, written out, and none between them."""
    axis.set_ticks(list(ticks), [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)


def from_zero(ax: Axes) -> None:
    """Let the vertical axis begin at 0 and leave space above."""
    ax.set_ylim(0, ax.get_ylim()[1] * 1.05)


def dodges(names: Sequence[_Name], gap: float) -> dict[_Name, float]:
    """How far each series is moved aside, so that marks at the same place lie beside each other; 0 on average."""
    return {name: (at - (len(names) - 1) / 2) * gap for at, name in enumerate(names)}


def key(label: str, marker: str = "o", **look: Any) -> Line2D:
    """Entry of a legend for a mark; grey and without a line, if nothing else is said."""
    return Line2D([], [], marker=marker, label=label, **{"color": MUTED, "lw": 0, **look})
