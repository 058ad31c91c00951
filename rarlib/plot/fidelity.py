"""How far from machines: errors of models by goal, and the errors of ratios of two policies."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rarlib.plot.axes import name_rows, plain_ticks
from rarlib.plot.style import INK, MUTED, TAG

_OURS, _RIVAL, _FITTED = "#0072b2", "#d55e00", "#009e73"


def fidelity_picture(
    scores: pd.DataFrame, errors: NDArray[np.float64], statements: pd.DataFrame, own: NDArray[np.float64]
) -> Figure:
    """Errors of every predictor by goal, and the measured errors of a ratio beside the margins of own statements.

    Args:
        scores: scores of the measured ledger.
        errors: of ratios of two policies, ascending.
        statements: as `rarlib.evidence.levels.judged_levels` returns them.
        own: errors of ratios in our own simulator, ascending.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.9), width_ratios=[1.0, 1.15])
    _by_goal(left, scores)
    error_steps(right, errors)
    share = np.arange(1, len(own) + 1) / len(own)
    right.step(100 * own, share, where="post", color=_FITTED, lw=1.2, ls="--", label=f"ours, {len(own)} pairs")
    shown = statements.dropna(subset="level")
    margins = 100 * (np.maximum(shown["ratio"], 1.0 / shown["ratio"]) - 1.0)
    for margin, level, at in zip(margins, shown["level"], shown["at_80"], strict=True):
        colour = {"holds": _OURS, "contradicted": _RIVAL}.get(str(at), MUTED)
        right.plot(margin, level, "o", color=colour, ms=6, mec="white", zorder=3)
    right.set_xlim(1, max(100.0, 1.2 * margins.max()))
    for colour, label in ((_OURS, "statement holds at 80 %"), (_RIVAL, "its opposite does"), (MUTED, "undecided")):
        right.plot([], [], "o", color=colour, label=label)
    right.legend(loc="upper left", fontsize=8)
    return figure


def _by_goal(ax: Axes, scores: pd.DataFrame) -> None:
    totals = scores[(scores["group"] == "all") & scores["error"].notna() & (scores["grade"] != "C")]
    goals = list(dict.fromkeys(totals["goal"]))
    for at, goal in enumerate(goals):
        for row in totals[totals["goal"] == goal].itertuples():
            colour = _RIVAL if row.kind == "rival" else _OURS if row.grade == "A" else _FITTED
            ax.plot(100 * row.error, at, "|", color=colour, ms=14, mew=2)
    name_rows(ax, [f"{goal}: {totals[totals['goal'] == goal]['quantity'].iloc[0]}" for goal in goals])
    ax.set(xlabel="mean absolute relative error (%)", xlim=(0, None), title="Every predictor on measured rows")
    for colour, label in ((_OURS, "ours, nothing fitted"), (_FITTED, "ours, fitted to others"), (_RIVAL, "published")):
        ax.plot([], [], "|", color=colour, ms=10, mew=2, label=label)
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncol=3, fontsize=8)


def error_steps(ax: Axes, errors: NDArray[np.float64], marked: Sequence[float] = (0.5, 0.8, 0.9)) -> None:
    """Draw the share of measured errors of a ratio below each value.

    Args:
        ax: axes to draw in.
        errors: of ratios of two policies, ascending.
        marked: shares that are marked with their error.
    """
    ax.step(100 * errors, np.arange(1, len(errors) + 1) / len(errors), where="post", color=INK, lw=1.5)
    for share in marked:
        error = 100 * errors[int(np.ceil(share * len(errors) - 1e-9)) - 1]
        ax.plot([1, error, error], [share, share, 0], color=MUTED, lw=0.8, ls=":")
        ax.text(error, 0.02, f" {error:.0f} %", fontsize=8, color=MUTED, rotation=90, va="bottom", bbox=TAG)
    ax.set(
        xscale="log", xlim=(1, 100), ylim=(0, 1.04), xlabel="difference of two policies, or error of their ratio (%)"
    )
    ax.set(ylabel="share of errors below", title=f"Simulated against measured: {len(errors)} published pairs")
    plain_ticks(ax.xaxis, (1, 2, 5, 10, 20, 50, 100, 200, 500))
