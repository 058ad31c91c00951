"""Drawing an inference of unstated parameters: what the draws bring out, and where the nearest of them lie."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rarlib.plot.axes import name_rows, plain_ticks
from rarlib.plot.style import ALARM, GRID, INK, MUTED

_BLUE = "#0072b2"


def draw_inference(
    hits: NDArray[np.int64],
    numbers: pd.DataFrame,
    parameters: pd.DataFrame,
    posterior: pd.DataFrame,
    nearest: str = "1 %",
) -> Figure:
    """Draw an inference in three panels.

    Args:
        hits: published numbers that each draw brings out.
        numbers: as `artifact.ledger.inference.by_number` returns it.
        parameters: a row per draw, a column per parameter.
        posterior: as `artifact.ledger.inference.posterior` returns it.
        nearest: how many draws count as the nearest.
    """
    tall = 0.17 * max(len(numbers), 2 * len(posterior), 12) + 1.0
    figure = Figure(figsize=(10.0, tall), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.0, 1.1, 1.1])
    _draw_hits(left, hits, len(numbers))
    _draw_parameters(middle, parameters, posterior, nearest)
    _draw_numbers(right, numbers, nearest)
    return figure


def draw_one(
    values: "pd.Series[float]", published: "pd.Series[float]", within: "pd.Series[float]", labels: "pd.Series[str]"
) -> Figure:
    """One draw: its value over each published number, by id, with the band of the tolerance."""
    ratios, tolerance = (values / published).to_numpy(), (within / published.abs()).to_numpy()
    rows, met = np.arange(len(ratios)), (values - published).abs().to_numpy() <= within.to_numpy()
    figure = Figure(figsize=(7.4, 0.2 * len(rows) + 1.3), layout="constrained")
    ax = figure.subplots()
    ax.barh(rows, 2 * tolerance, left=1 - tolerance, height=0.8, color=MUTED, alpha=0.25, label="tolerance")
    for chosen, colour, label in ((met, _BLUE, "brought out"), (~met, ALARM, "not brought out")):
        ax.plot(ratios[chosen], rows[chosen], "o", ms=4.5, color=colour, label=label)
    ax.axvline(1, color=INK, lw=1)
    ax.set_xscale("log", base=2)
    plain_ticks(ax.xaxis, (0.25, 0.5, 1, 2, 4))
    name_rows(ax, [str(labels[name]) for name in values.index], fontsize=8)
    ax.set(xlabel="this draw over the published value", xlim=(0.2, 5))
    ax.set_title(f"{int(met.sum())} of {len(rows)} published numbers brought out")
    figure.legend(loc="outside right upper")
    return figure


def _draw_hits(ax: Axes, hits: NDArray[np.int64], count: int) -> None:
    ax.hist(hits, bins=list(np.arange(-0.5, hits.max() + 1.5)), color=_BLUE)
    ax.axvline(hits.max(), color=INK, linewidth=1.0)
    ax.set(xlabel=f"published numbers brought out, of {count}", ylabel="draws")
    ax.set_title(f"at most {hits.max()} at once", fontsize="medium", loc="left")


def _draw_parameters(ax: Axes, parameters: pd.DataFrame, posterior: pd.DataFrame, nearest: str) -> None:
    labels = []
    for row, name in enumerate(posterior.index):
        drawn = np.sort(parameters[name].to_numpy(dtype=float))
        ends = posterior.loc[name, ["low", "median", "high"]].to_numpy(dtype=float)
        low, middle, high = (np.searchsorted(drawn, ends) + np.searchsorted(drawn, ends, "right")) / 2 / len(drawn)
        ax.plot([0, 1], [row, row], color=GRID, linewidth=7, solid_capstyle="butt", zorder=1)
        ax.plot([low, high], [row, row], color=_BLUE, linewidth=3, solid_capstyle="butt", zorder=2)
        ax.plot(middle, row, "o", color=INK, markersize=4, zorder=3)
        labels.append(f"{name}\n{_short(drawn[0])} to {_short(drawn[-1])}")
    name_rows(ax, labels)
    ax.set(xlim=(-0.02, 1.02), xlabel="share of all draws below")
    ax.set_title(f"nearest {nearest}: 5, 50, 95 %", fontsize="medium", loc="left")


def _short(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"


def _draw_numbers(ax: Axes, numbers: pd.DataFrame, kept: str) -> None:
    rows = np.arange(len(numbers))
    share, nearest = numbers["share"].to_numpy(), numbers["share_nearest"].to_numpy()
    ax.barh(rows, share, color=MUTED, height=0.6, label="all draws")
    ax.plot(nearest, rows, "o", color=_BLUE, markersize=4, label=f"nearest {kept}")
    never = share == 0
    if never.any():  # an empty line that is not clipped upsets the layout
        ax.plot(np.zeros(never.sum()), rows[never], "x", color=ALARM, markersize=5, label="by no draw", clip_on=False)
    name_rows(ax, [str(name) for name in numbers.index], fontsize="x-small")
    ax.set(xlim=(0, 1.02), xlabel="share of draws that bring it out")
    ax.legend(fontsize="x-small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
