"""Instances as dots and their means as marks: in rows, or as lines over a parameter (seaborn)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from rarlib.plot.axes import dodges
from rarlib.plot.style import INK, TAG

WIDTH = 0.8
"""Total width of the bars of a group."""


@contextmanager
def steady() -> Iterator[None]:
    """Make figures repeatable: seaborn scatters dots with NumPy's global generator, which is seeded here."""
    state = np.random.get_state()  # noqa: NPY002 - see above
    np.random.seed(0)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def strips(ax: Axes, frame: pd.DataFrame, value: str, colours: Mapping[Any, str]) -> None:
    """A row per scheduler and a dot per instance, scattered across the row, with mean and standard deviation on top.

    Args:
        ax: axes to draw on.
        frame: a row per instance.
        value: column of the values.
        colours: colours of the schedulers, from top to bottom.
    """
    if frame.empty:
        return
    across: dict[str, Any] = {"x": value, "y": "scheduler", "order": list(colours), "ax": ax, "legend": False}
    across |= {"hue": "scheduler", "palette": dict(colours), "orient": "h"}
    with steady():
        sns.stripplot(frame, **across, size=3.6, alpha=0.3, linewidth=0, jitter=0.12, zorder=1.9)
    sns.pointplot(
        frame, **across, hue_order=list(colours), errorbar="sd", linestyle="none", markers="o", ms=7, mew=1,
        capsize=0.12, err_kws={"lw": 1.6},
    )  # fmt: skip


def over(
    ax: Axes,
    frame: pd.DataFrame,
    colour: Any,
    marker: str,
    *,
    shift: float = 0.0,
    dots: Mapping[str, Any] | None = None,
    **line: Any,
) -> None:
    """A series over a parameter: a dot per instance, and a line through their means.

    Args:
        ax: axes to draw on.
        frame: a row per instance and x, columns x and value.
        colour: colour of dots and line.
        marker: marker of dots and means.
        shift: offset of the series along x, so that it does not cover another one.
        dots: properties of the dots; None: no dots.
        line: properties of the line; `errorbar="sd"` adds bars of one standard deviation to the means.
    """
    across: dict[str, Any] = {"x": "x", "y": "value", "marker": marker, "color": colour, "ax": ax, "legend": False}
    own = frame.assign(x=frame["x"].astype(float) + shift)
    if dots is not None:
        sns.scatterplot(own, **across, **{"s": 9, "alpha": 0.25, "linewidth": 0, **dots})
    bars: dict[str, Any] = {"err_style": "bars", "err_kws": {"capsize": 2.5}} if "errorbar" in line else {}
    sns.lineplot(own, **across, **bars, **{"errorbar": None, "ms": 6, "mec": colour, "mew": 1, **line})
    ax.set(xlabel="", ylabel="")


def bars(
    ax: Axes, frame: pd.DataFrame, group: str, groups: Sequence[str], colours: Mapping[str, str], once: str = ""
) -> None:
    """A bar for the mean of each scheduler in each group, side by side, with a dot per instance.

    Args:
        ax: axes to draw on.
        frame: a row per instance, columns value, scheduler and `group`.
        group: column that names the groups.
        groups: groups from left to right.
        colours: colours of the schedulers, in order.
        once: text at the foot of a bar that stands for a single instance.
    """
    across: dict[str, Any] = {"x": group, "y": "value", "order": list(groups), "ax": ax, "legend": False}
    across |= {"hue": "scheduler", "hue_order": list(colours), "palette": dict(colours), "dodge": len(colours) > 1}
    sns.barplot(frame, **across, errorbar=None, width=WIDTH, gap=0.15, saturation=1, alpha=0.85)
    across["palette"] = dict.fromkeys(colours, INK)
    sns.stripplot(frame, **across, jitter=False, size=3.5, alpha=0.45, linewidth=0, zorder=1.9)
    shifts = dodges(list(colours), WIDTH / len(colours))
    for (name, series), own in frame.groupby([group, "scheduler"]):
        if once and len(own) == 1 and name in groups and series in shifts:
            foot_note(ax, groups.index(name) + shifts[series], once)


def foot_note(ax: Axes, x: float, text: str) -> None:
    """A remark that stands upright on the horizontal axis, about the bar there or the lack of one."""
    place: dict[str, Any] = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points", "zorder": 4}
    ax.annotate(text, (x, 0), (0, 4), rotation=90, ha="center", va="bottom", fontsize=7.5, bbox=TAG, **place)
