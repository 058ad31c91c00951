"""Calibration of SJF-BCO's evaluation in one picture: what each reading changes, which statements survive."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.papers.sjf_bco.figures.evaluation import ORDER, published_points
from rarlib.plot.style import INK, MUTED, look


def readings(separation: pd.DataFrame, robustness: pd.DataFrame, published: pd.DataFrame, setup: str) -> Figure:
    """Calibration: what each reading makes of the makespan, and in which share of instances each statement holds.

    Args:
        separation: mean makespan by (scheduler, reading).
        robustness: share of instances by statement and set-up, and a column `class`.
        published: the published numbers.
        setup: set-up of `separation`.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 0.235 * len(robustness) + 1.3), width_ratios=[1.15, 1])
    _makespans(left, separation, published, setup)
    shares = robustness.drop(columns="class")
    right.imshow(shares, cmap="PuBu", vmin=0, vmax=1.2, aspect="auto")
    for (row, column), share in np.ndenumerate(shares.to_numpy()):
        if np.isfinite(share):
            ink = "white" if share > 0.6 else INK
            right.annotate(f"{100 * share:.0f}", (column, row), ha="center", va="center", fontsize=8.5, color=ink)
    right.set_yticks(range(len(shares)), [str(statement) for statement in shares.index])
    right.set_xticks(range(len(shares.columns)), shares.columns)
    right.tick_params(length=0)
    right.grid(visible=False)
    right.spines[:].set_visible(False)
    right.set_title("Holds in % of instances")
    right.set_xlabel("set-up")
    return figure


def _makespans(ax: Axes, separation: pd.DataFrame, published: pd.DataFrame, setup: str) -> None:
    order = [name for name in ORDER if name in separation.index.get_level_values("scheduler")]
    ticks, labels = [], []
    row = 0.0
    for name in order:
        part = pd.DataFrame(separation.xs(name, level="scheduler")).sort_values("makespan")
        point = published_points(published, "Fig. 4", name)["makespan"]
        ax.plot([point, point], [row - 0.4, row + len(part) - 0.6], color=look(name).colour, lw=1, ls="--", alpha=0.7)
        for reading, makespan in part["makespan"].items():
            strong = reading == "headline"
            style: dict[str, Any] = {
                "mfc": look(name).colour if strong else "white",
                "mec": look(name).colour,
                "mew": 1.5,
            }
            ax.plot(makespan, row, look(name).marker, ms=7, **style)
            ticks.append(row)
            labels.append(f"{look(name).label}: {reading}" if not strong else look(name).label)
            row += 1
        row += 0.6
    ax.set_yticks(ticks, labels)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.set_xticks([500, 1000, 2000, 4000, 8000], ["500", "1000", "2000", "4000", "8000"])
    ax.minorticks_off()
    ax.grid(axis="y", visible=False)
    ax.set(xlabel="makespan (slots, logarithmic)", title="What each reading changes")
    text = f"set-up {setup}\nfilled: headline\ndashed: published"
    ax.annotate(text, (0.98, 0.98), xycoords="axes fraction", ha="right", va="top", color=MUTED, fontsize=8.5)
