"""The map of SJF-BCO's lead over its rivals: duty, sharers and over-subscription, a column of panels for each law."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

_LINEAR, _MOST = 10.0, 1000.0
_TICKS = (-100, -10, 0, 10, 100, 1000)
_DARK = 0.31
"""Distance of a colour from the middle of the map at which text on it is white."""


def premise_picture(leads: pd.DataFrame, rivals: Sequence[str], laws: Mapping[str, str]) -> Figure:
    """Mean lead of SJF-BCO in %, as colour and number: orange where SJF-BCO is better, violet where the rival is.

    Args:
        leads: columns law, duty, sharers, oversubscription, and for each rival how much longer its makespan is than
            SJF-BCO's, relative.
        rivals: columns of `leads`, from top to bottom.
        laws: titles of the columns of panels, by law.
    """
    over = sorted(leads["oversubscription"].unique())
    figure, axes = plt.subplots(len(over), len(laws), figsize=(11.5, 3.3 * len(over)), sharex=True, squeeze=False)
    norm = SymLogNorm(_LINEAR, vmin=-_MOST, vmax=_MOST, base=10)
    for row, each in zip(axes, over, strict=True):
        for ax, (law, title) in zip(row, laws.items(), strict=True):
            mine = leads[(leads["law"] == law) & (leads["oversubscription"] == each)]
            _panel(ax, 100.0 * mine.groupby(["sharers", "duty"])[list(rivals)].mean(), rivals, norm)
            ax.set_title(f"{title}, {each:g}:1", fontsize=9.5, loc="left")
        row[0].set_ylabel("rival, jobs that can share a server")
        for ax in row[1:]:
            ax.set_yticklabels([])
    for ax in axes[-1]:
        ax.set_xlabel("duty (share of an iteration, alone)")
    bar = figure.colorbar(axes[0, 0].images[0], ax=axes, shrink=0.7, ticks=_TICKS, format="{x:+g}")
    bar.set_label("rival's makespan beyond SJF-BCO's (%)")
    bar.ax.set_ylim(-100, _MOST)
    return figure


def _panel(ax: Axes, means: pd.DataFrame, rivals: Sequence[str], norm: SymLogNorm) -> None:
    sharers, duties = (means.index.unique(level) for level in ("sharers", "duty"))
    rows = [(rival, many) for rival in rivals for many in sharers]
    cells = [[float(means.loc[(many, duty), rival]) for duty in duties] for rival, many in rows]
    ax.imshow(cells, cmap="PuOr_r", norm=norm, aspect="auto")
    ax.grid(visible=False)
    for y, line in enumerate(cells):
        for x, value in enumerate(line):
            dark = abs(float(norm(value)) - 0.5) > _DARK
            ax.text(x, y, f"{value:+.0f}", ha="center", va="center", fontsize=7.5, color="white" if dark else "black")
    ax.set_xticks(range(len(duties)), [f"{duty:g}" for duty in duties])
    ax.set_yticks(range(len(rows)), [f"{rival}, {many:g}" for rival, many in rows])
