"""Predictors and rivals against what was measured: row by row, and error by predictor and group."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.model.errors import InputError
from rarlib.plot.axes import name_rows, plain_ticks
from rarlib.plot.style import INK, MUTED, note

_OURS, _FITTED, _RIVAL, _RIVAL_IN_SAMPLE = "#0072b2", "#009e73", "#d55e00", "#cc79a7"
_KINDS = {
    ("ours", "A"): (_OURS, "ours, nothing fitted"),
    ("ours", "B"): (_FITTED, "ours, fitted to other rows"),
    ("rival", "A"): (_RIVAL, "published simulators"),
    ("ours", "C"): (MUTED, "measured a second time"),
    ("rival", "C"): (_RIVAL_IN_SAMPLE, "published, fitted to some of the rows"),
}
_MARKERS = ("o", "s", "^", "D", "v", "P")
_ALL = "all"
_TICKS = tuple(digit * 10.0**power for power in range(-4, 7) for digit in (1, 2, 5))
_FEW = 5
"""Ticks of an axis; with more of them, only powers of ten are labelled."""
_UNITS = {"1": "ratio"}
_COLUMNS = 3
_MANY = 60
"""Rows of a goal whose markers are drawn small."""


def predicted_against_measured(rows: pd.DataFrame, scores: pd.DataFrame, headlines: dict[str, str]) -> Figure:
    """A panel for each goal: the headline's prediction of every row over what was measured, rivals in grey.

    `rows`: rows of the measured ledger; `scores`: its scores; `headlines`: the predictor that stands for this project,
    by goal.
    """
    if rows.empty:
        figure, ax = plt.subplots(figsize=(6.0, 2.2))
        text = "Not scored here: the measured files are not at hand.\nThe scores are the accepted ones."
        ax.text(0.5, 0.5, text, ha="center", va="center", color=MUTED, transform=ax.transAxes)
        ax.set_axis_off()
        return figure
    goals = list(dict.fromkeys(rows["goal"]))
    columns = min(_COLUMNS, len(goals))
    lines = -(-len(goals) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4.0 * columns, 4.3 * lines), squeeze=False)
    rivals = set(scores[scores["kind"] == "rival"]["predictor"])
    for ax, goal in zip(axes.flat, goals, strict=False):
        _rows_of_goal(ax, rows[rows["goal"] == goal], headlines[goal], rivals, goal)
    for ax in axes.flat[len(goals) :]:
        ax.set_axis_off()
    return figure


def _rows_of_goal(ax: Axes, rows: pd.DataFrame, headline: str, rivals: set[str], goal: str) -> None:
    unit = _UNITS.get(rows["unit"].iloc[0], rows["unit"].iloc[0])
    others = rows[rows["predictor"].isin(rivals)]
    if len(others):
        ax.plot(others["measured"], others["predicted"], ".", color=MUTED, alpha=0.45, ms=5, label="rivals")
    mine = rows[(rows["predictor"] == headline) & rows["predicted"].notna()]
    for marker, (group, part) in zip(_MARKERS, mine.groupby("group", sort=False), strict=False):
        size = 6.5 if len(mine) < _MANY else 3.0
        ax.plot(part["measured"], part["predicted"], marker, color=_OURS, ms=size, label=str(group))
    low, high = rows["measured"].min() / 1.6, rows["measured"].max() * 1.6
    ends = np.array([low, high])
    ax.plot(ends, ends, color=INK, lw=1, zorder=0)
    for factor in (0.5, 2.0):
        ax.plot(ends, factor * ends, color=MUTED, lw=0.8, ls=":", zorder=0)
    ax.set(xscale="log", yscale="log", xlim=(low, high), xlabel=f"measured ({unit})", ylabel=f"predicted ({unit})")
    ax.set_title(f"{goal}: {headline}", pad=18)
    note(ax, "line: equal; dotted: a factor of 2")
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    ticks = ticks if len(ticks) <= _FEW else [tick for tick in ticks if np.log10(tick).is_integer()]
    for axis in (ax.xaxis, ax.yaxis):
        plain_ticks(axis, ticks)
    ax.legend(loc="upper left", fontsize=8)


def errors_by_group(scores: pd.DataFrame, *, accepted: bool) -> Figure:
    """A panel for each goal: mean absolute error of each predictor with its interval, and a marker for each group.

    `scores`: scores of the measured ledger; `accepted`: whether they are the accepted ones.
    """
    goals = list(dict.fromkeys(scores["goal"]))
    counts = [scores[scores["goal"] == goal]["predictor"].nunique() for goal in goals]
    figure, axes = plt.subplots(
        len(goals), 1, figsize=(8.6, 0.19 * sum(counts) + 0.72 * len(goals) + 0.6), height_ratios=counts, squeeze=False
    )
    for ax, goal in zip(axes[:, 0], goals, strict=True):
        mine = scores[scores["goal"] == goal]
        _errors_of_goal(ax, mine)
        ax.set_title(f"{goal}: {mine['quantity'].iloc[0]}", pad=6)
    axes[-1, 0].set_xlabel("mean absolute relative error (%), with the middle 95 % over resampled runs", fontsize=8)
    found = [kind for kind in _KINDS if (scores[["kind", "grade"]] == kind).all(axis=1).any()]
    bars = [axes[0, 0].plot([], [], color=_KINDS[kind][0], lw=5)[0] for kind in found]
    figure.legend(bars, [_KINDS[kind][1] for kind in found], loc="outside lower center", ncol=3, fontsize=8)
    if accepted:
        figure.suptitle("Not scored here: accepted scores", color=MUTED, fontsize=9)
    return figure


def _errors_of_goal(ax: Axes, scores: pd.DataFrame) -> None:
    groups = [group for group in dict.fromkeys(scores["group"]) if group != _ALL]
    totals = scores[scores["group"] == _ALL].sort_values("error", kind="stable")
    rows: list[Any] = list(totals.itertuples())
    for at, row in enumerate(rows):
        colour, _ = _KINDS[row.kind, row.grade]
        ax.plot([100 * row.low, 100 * row.high], [at, at], color=colour, lw=5, alpha=0.35, solid_capstyle="butt")
        ax.plot(100 * row.error, at, "|", color=colour, ms=13, mew=2.5)
        for marker, group in zip(_MARKERS, groups, strict=False):
            one = scores[(scores["predictor"] == row.predictor) & (scores["group"] == group)]["error"]
            ax.plot(100 * one, [at] * len(one), marker, color=colour, ms=4.5, mfc="white", mew=1.2)
    marks = [
        ax.plot([], [], marker, color=MUTED, mfc="white", ls="")[0] for marker, _ in zip(_MARKERS, groups, strict=False)
    ]
    ax.legend(marks, groups, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    name_rows(ax, [_label(row) for row in rows], fontsize=8)
    ax.set_xlim(left=0)


def errors_of_one(scores: pd.DataFrame, goal: str, fitted: str, *, accepted: bool) -> Figure:
    """Error of each predictor of one goal with its interval, and of each group; fitted ones are `shown` or `hidden`.

    Raises:
        InputError: if there are no others than fitted ones.
    """
    mine = scores[(scores["goal"] == goal) & ((fitted == "shown") | (scores["grade"] == "A"))]
    if mine.empty:
        raise InputError(f"every predictor of {goal} has fitted numbers", field="fitted")
    return errors_by_group(mine, accepted=accepted)


def _label(row: Any) -> str:
    """Label of a predictor, and how many rows it has no prediction for."""
    return f"{row.label} ({row.missed} missed)" if row.missed else str(row.label)
