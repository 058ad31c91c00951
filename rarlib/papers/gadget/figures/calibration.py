"""Calibration of GADGET's evaluation in one figure: the results of each reading, and the slack of the guarantees."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.papers.gadget.figures.evaluation import SERIES
from rarlib.plot.axes import dodges, key, name_rows, plain_ticks
from rarlib.plot.strips import strips
from rarlib.plot.style import INK, MUTED, look

_PLAIN = {
    "headline": "headline: as printed",
    "holds": "baselines never take workers back",
    "batch": "all jobs from the first slot",
    "smooth": "λ2 in (0.001, 0.01)",
    "iterations": "F_i counts iterations",
    "trace-arrivals": "arrivals of a trace",
    "slower-20": "GPUs 20 times slower",
    "slower-80": "GPUs 80 times slower",
}

LABELS = {
    **_PLAIN,
    "capped": "baselines have at most N_i workers",
    "fill": "GADGET + fill",
    **{f"fill-{name}": f"+ fill; {label}" for name, label in _PLAIN.items() if name != "headline"},
}
"""Labels of the readings, in the order drawn; a reading without a label is drawn under its name."""

SHORT = {
    "headline": "headline",
    "fill": "+ fill",
    "fill-batch": "+ fill, from the first slot",
    "fill-links": "+ fill, unit: server links",
    "scattered": "rings anywhere",
    "server-sizes": "rings anywhere, stated sizes",
}
"""Shorter labels, for embedded ratios."""


def reading_ratios(ratios: pd.DataFrame, distances: pd.DataFrame, guarantees: pd.DataFrame) -> Figure:
    """Draw the readings side by side.

    Args:
        ratios: by reading, columns (baseline, mean or std); row `published`, if any.
        distances: by (figure, reading), column `distance`, percentage points.
        guarantees: long form, columns guarantee, ratio, bound.
    """
    figure, axes = plt.subplot_mosaic(
        [["ratios"] * 2, ["distances", "guarantees"]], figsize=(11.5, 9.5), height_ratios=[5, 3]
    )
    _ratios(axes["ratios"], ratios)
    _distances(axes["distances"], distances)
    _guarantees(axes["guarantees"], guarantees)
    return figure


def _ratios(ax: Axes, ratios: pd.DataFrame) -> None:
    ours = ratios.drop(index="published", errors="ignore")
    found = [str(name) for name in ours.index]
    rows = [name for name in LABELS if name in found] + sorted(set(found) - set(LABELS))
    for name, shift in dodges(("drf", "las", "fifo"), 0.22).items():
        style = look(name)
        mean = ours[name, "mean"].loc[rows].astype(float)
        spread = ours[name, "std"].loc[rows].astype(float).fillna(0.0)
        at = np.arange(len(rows)) + shift
        ax.errorbar(mean, at, xerr=spread, fmt=style.marker, ms=5.5, color=style.colour, capsize=2, lw=1.2)
        if "published" in ratios.index:
            ax.axvline(float(ratios[name, "mean"]["published"]), color=style.colour, lw=1, ls="--", zorder=1)
    ax.axvline(1, color=MUTED, lw=0.8, zorder=1)
    ax.set_xscale("log")
    plain_ticks(ax.xaxis, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4))
    name_rows(ax, [LABELS.get(name, name) for name in rows], margin=0.5)
    ax.set(title="Fig. 4: GADGET over the others, most jobs", xlabel="ratio of total utilities (logarithmic)")
    handles = [key(SERIES[name], look(name).marker, color=look(name).colour) for name in ("drf", "las", "fifo")]
    handles.append(Line2D([], [], color=INK, lw=1, ls="--", label="published"))
    ax.legend(handles=handles, loc="center", bbox_to_anchor=(0.25, 0.25))


def _distances(ax: Axes, distances: pd.DataFrame) -> None:
    where = distances.index.get_level_values("figure")
    names = list(dict.fromkeys(where))
    rows = [(name, r) for name in names for r in SHORT if (name, r) in distances.index]
    at = [row + 0.6 * names.index(name) for row, (name, _) in enumerate(rows)]
    lengths = [distances["distance"][row] for row in rows]
    strength = [1.0 if reading == "headline" else 0.45 for _, reading in rows]
    bars = ax.barh(at, lengths, height=0.7, color=[(look("gadget").colour, alpha) for alpha in strength])
    ax.bar_label(bars, fmt="%.0f", padding=3)
    ax.set_yticks(at, [f"{name}: {SHORT[reading]}" for name, reading in rows])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set(title="Embedded ratio: distance to published", xlabel="mean absolute difference (points)")


def _guarantees(ax: Axes, guarantees: pd.DataFrame) -> None:
    names = list(dict.fromkeys(guarantees["guarantee"]))
    green = dict.fromkeys(names, look("gadget").colour)
    strips(ax, guarantees, "ratio", "guarantee", green, mean=False, size=4, alpha=0.5, jitter=0.2)
    ax.plot(guarantees["bound"], guarantees["guarantee"].map(names.index), "|", ms=14, color=INK)
    name_rows(ax, names, margin=0.5)
    ax.set(title="Guarantees: dots beyond bars", xlabel="ratio", xlim=(0, 1.06))
