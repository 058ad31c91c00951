"""Calibration of SJF-BCO's evaluation in one figure: what each reading changes, and which statements hold."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.papers.sjf_bco.figures.evaluation import SCHEDULER_ORDER
from rarlib.plot.axes import plain_ticks
from rarlib.plot.published import published_points
from rarlib.plot.style import MUTED, look


def reading_makespans(
    separation: pd.DataFrame, robustness: pd.DataFrame, published: pd.DataFrame, setup: str
) -> Figure:
    """Makespan in each reading, and the share of instances in which each statement holds.

    Args:
        separation: mean makespan by (scheduler, reading).
        robustness: share of instances by statement and set-up, and a column `class`.
        published: the published numbers.
        setup: set-up of `separation`.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 0.235 * len(robustness) + 1.3), width_ratios=[1.15, 1])
    _makespans(left, separation, published, setup)
    shares = robustness.drop(columns="class")
    sns.heatmap(100 * shares, cmap="PuBu", vmin=0, vmax=120, annot=True, fmt=".0f", annot_kws={"size": 8.5}, cbar=False,
                ax=right)  # fmt: skip
    right.set_ylabel("")
    right.tick_params(length=0)
    right.set_title("Holds in % of instances")
    right.set_xlabel("set-up")
    return figure


def _makespans(ax: Axes, separation: pd.DataFrame, published: pd.DataFrame, setup: str) -> None:
    order = [name for name in SCHEDULER_ORDER if name in separation.index.get_level_values("scheduler")]
    ticks, labels = [], []
    row = 0.0
    for name in order:
        part = pd.DataFrame(separation.xs(name, level="scheduler")).sort_values("makespan")
        point = published_points(published, "sjf-bco", "Fig. 4", look(name).label)["makespan"]
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
    plain_ticks(ax.xaxis, (500, 1000, 2000, 4000, 8000))
    ax.grid(axis="y", visible=False)
    ax.set(xlabel="makespan (slots, logarithmic)", title="What each reading changes")
    text = f"set-up {setup}\nfilled: headline\ndashed: published"
    ax.annotate(text, (0.98, 0.98), xycoords="axes fraction", ha="right", va="top", color=MUTED, fontsize=8.5)
