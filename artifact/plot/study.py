"""What the first notebooks of a study draw: paired ratios with intervals, and levels by load."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from rarlib.plot.style import look

_LEVEL = 0.95


def _half(spread: float, n: int) -> float:
    """Half the width of the 95 % interval of a mean (Student's t); NaN if there is no spread to judge by."""
    return float(stats.t.ppf((1 + _LEVEL) / 2, n - 1)) * spread / n**0.5 if n > 1 else float("nan")


def ratio_rows(pairs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean paired ratio with its 95 % interval by trace or workload and rival.

    Returns:
        Columns setup, scheduler, rival, n, mean, low, high; in the order of the table.
    """
    mine = pairs[(pairs["metric"] == metric) & (pairs["reading"] == "pooled")]
    by = mine.groupby(["setup", "scheduler", "x"], sort=False)["value"].agg(["mean", "std", "count"]).reset_index()
    half = [_half(spread, n) for spread, n in zip(by["std"], by["count"], strict=True)]
    found = by.rename(columns={"x": "rival", "count": "n"}).assign(low=by["mean"] - half, high=by["mean"] + half)
    return found[["setup", "scheduler", "rival", "n", "mean", "low", "high"]]


def draw_ratios(pairs: pd.DataFrame, metric: str) -> Figure:
    """A panel per trace or workload: the ratio to each rival with its interval; left of 1 the first one is better.

    `pairs`: the study's table of pairs.
    """
    rows = ratio_rows(pairs, metric)
    setups, rivals = list(dict.fromkeys(rows["setup"])), list(dict.fromkeys(rows["rival"]))
    figure, axes = plt.subplots(
        1, len(setups), figsize=(1.2 + 2.1 * len(setups), 0.9 + 0.32 * len(rivals)), sharey=True, squeeze=False
    )
    for ax, setup in zip(axes[0], setups, strict=True):
        mine = rows[rows["setup"] == setup].set_index("rival")
        for place, rival in enumerate(rivals):
            if rival in mine.index:
                row, style = mine.loc[rival], look(rival)
                ax.plot([row["low"], row["high"]], [place, place], color=style.colour, lw=1.6)
                ax.plot(row["mean"], place, style.marker, color=style.colour, ms=7)
        ax.axvline(1.0, color="#767676", lw=0.8)
        ax.set(title=setup, ylim=(len(rivals) - 0.5, -0.5), xlabel="paired ratio")
        ax.grid(axis="x", alpha=0.4)
    axes[0][0].set_yticks(range(len(rivals)), [look(name).label for name in rivals])
    return figure


def draw_levels(runs: pd.DataFrame, metric: str) -> Figure:
    """A panel per trace or workload: mean over seeds by load with its interval, a line per scheduler, base levels.

    `runs`: the study's table of runs.
    """
    mine = runs[(runs["metric"] == metric) & (runs["reading"] == runs["reading"].iloc[0])]
    setups, names = list(dict.fromkeys(mine["setup"])), list(dict.fromkeys(mine["scheduler"]))
    loads = list(dict.fromkeys(mine["x"].astype(str)))
    figure, axes = plt.subplots(1, len(setups), figsize=(1.2 + 2.3 * len(setups), 2.6), squeeze=False)
    for ax, setup in zip(axes[0], setups, strict=True):
        for at, name in enumerate(names):
            part = mine[(mine["setup"] == setup) & (mine["scheduler"] == name)]
            by = part.groupby(part["x"].astype(str))["value"].agg(["mean", "std", "count"]).reindex(loads)
            half = [_half(spread, int(n)) for spread, n in zip(by["std"], by["count"].fillna(0), strict=True)]
            style, places = look(name), np.arange(len(loads)) + 0.08 * (at - (len(names) - 1) / 2)
            ax.errorbar(
                places, by["mean"], half, color=style.colour, marker=style.marker, ms=5, lw=1, label=style.label
            )
        ax.set(title=setup, xlabel="load", xticks=range(len(loads)), xticklabels=loads, xlim=(-0.6, len(loads) - 0.4))
        ax.set_ylim(bottom=0)
    unit = str(mine["unit"].iloc[0])
    axes[0][0].set_ylabel(metric.replace("_", " ") + (f" ({unit})" if unit != "1" else ""))
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
