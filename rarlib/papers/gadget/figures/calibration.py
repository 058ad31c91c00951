"""Calibration of GADGET's evaluation in one picture: what each reading gives, and what the guarantees leave."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.papers.gadget.figures.evaluation import SERIES
from rarlib.plot.style import INK, MUTED, look

LABELS = {
    "headline": "headline: as printed",
    "capped": "baselines have at most N_i workers",
    "holds": "baselines never take workers back",
    "batch": "all jobs from the first slot",
    "smooth": "λ2 in (0.001, 0.01)",
    "iterations": "F_i counts iterations",
    "trace-arrivals": "arrivals of a trace",
    "slower-20": "GPUs 20 times slower",
    "slower-80": "GPUs 80 times slower",
    "strict": "GADGET sees gains above 1e-6 only",
}
"""What each reading means, in the order drawn; one without a label is drawn under its name."""

SHORT = {
    "headline": "headline",
    "batch": "from the first slot",
    "links": "unit: server links",
    "scattered": "rings anywhere",
}
"""Shorter, for embedded ratios."""


def readings(ratios: pd.DataFrame, distances: pd.DataFrame, guarantees: pd.DataFrame) -> Figure:
    """Readings side by side.

    Args:
        ratios: by reading, columns (baseline, mean or std); row `published`, if any.
        distances: by (figure, reading), column `distance`, percentage points.
        guarantees: long form, columns guarantee, ratio, bound.
    """
    figure, axes = plt.subplot_mosaic(
        [["ratios"] * 2, ["distances", "guarantees"]], figsize=(11.5, 8), height_ratios=[4, 3]
    )
    _ratios(axes["ratios"], ratios)
    _distances(axes["distances"], distances)
    _guarantees(axes["guarantees"], guarantees)
    return figure


def _ratios(ax: Axes, ratios: pd.DataFrame) -> None:
    ours = ratios.drop(index="published", errors="ignore")
    found = [str(name) for name in ours.index]
    rows = [name for name in LABELS if name in found] + sorted(set(found) - set(LABELS))
    for shift, name in zip((-0.22, 0.0, 0.22), ("drf", "las", "fifo"), strict=True):
        style = look(name)
        mean = ours[name, "mean"].loc[rows].astype(float)
        spread = ours[name, "std"].loc[rows].astype(float).fillna(0.0)
        at = np.arange(len(rows)) + shift
        ax.errorbar(mean, at, xerr=spread, fmt=style.marker, ms=5.5, color=style.colour, capsize=2, lw=1.2)
        if "published" in ratios.index:
            ax.axvline(float(ratios[name, "mean"]["published"]), color=style.colour, lw=1, ls="--", zorder=1)
    ax.axvline(1, color=MUTED, lw=0.8, zorder=1)
    ax.set_xscale("log")
    ax.set_xticks([0.2, 0.5, 1, 2, 4], ["0.2", "0.5", "1", "2", "4"])
    ax.minorticks_off()
    ax.set_yticks(range(len(rows)), [LABELS.get(name, name) for name in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set(title="Fig. 4: GADGET over the others, most jobs", xlabel="ratio of total utilities (logarithmic)")
    handles = [
        Line2D([], [], color=look(n).colour, marker=look(n).marker, lw=0, label=SERIES[n])
        for n in ("drf", "las", "fifo")
    ]
    handles.append(Line2D([], [], color=INK, lw=1, ls="--", label="published"))
    ax.legend(handles=handles, loc="center", bbox_to_anchor=(0.32, 0.55))


def _distances(ax: Axes, distances: pd.DataFrame) -> None:
    where = distances.index.get_level_values("figure")
    ticks: list[float] = []
    labels: list[str] = []
    at = 0.0
    for name in dict.fromkeys(where):
        part = distances.xs(name, level="figure")["distance"]
        for reading in [r for r in SHORT if r in part.index]:
            ax.barh(
                at, part[reading], height=0.7, color=look("gadget").colour, alpha=1.0 if reading == "headline" else 0.45
            )
            ax.annotate(
                f"{part[reading]:.0f}", (part[reading], at), xytext=(3, 0), textcoords="offset points", va="center"
            )
            ticks.append(at)
            labels.append(f"{name}: {SHORT[reading]}")
            at += 1
        at += 0.6
    ax.set_yticks(ticks, labels)
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set(title="Embedded ratio: distance to published", xlabel="mean absolute difference (points)")


def _guarantees(ax: Axes, guarantees: pd.DataFrame) -> None:
    names = list(dict.fromkeys(guarantees["guarantee"]))
    for at, name in enumerate(names):
        rows = guarantees[guarantees["guarantee"] == name]
        shift = (np.arange(len(rows)) % 7 - 3) * 0.06
        ax.plot(rows["ratio"], at + shift, "o", ms=4, color=look("gadget").colour, alpha=0.5, mew=0)
        ax.plot(rows["bound"], at + shift, "|", ms=9, color=INK)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, 1.06)
    ax.grid(axis="y", visible=False)
    ax.set(title="Guarantees: dots beyond bars", xlabel="ratio")
