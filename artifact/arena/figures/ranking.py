"""The arena's standings: how far each scheduler is from the best one in each setting."""

from collections.abc import Collection, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from artifact.arena.figures.labels import KEY, setting_labels
from artifact.plot.heat import heat
from rarlib.plot.style import GRID, INK, look

WORST = 3.0
"""Ratio at which the colour scale ends."""

CLOSE = ".."
"""Hatch of cells that cannot be distinguished from the best."""

MOST_COLUMNS = 60
"""Settings side by side; more of them go below one another."""

_DOTS = "#a8a8a8"


def ranking(table: pd.DataFrame, order: Sequence[str], standins: Collection[str] = ()) -> Figure:
    """Mean JCT relative to the best scheduler of each setting, with ranks in the cells; many settings in several bands.

    Args:
        table: columns setup, reading, x_name, x, scheduler, ratio (to the best), rank, whole (has run all windows),
            close (not distinguishable from the best).
        order: schedulers from top to bottom.
        standins: traces that are stand-ins.
    """
    names = setting_labels(table, standins)
    listed = list(names)
    bands = [listed[at : at + MOST_COLUMNS] for at in range(0, len(listed), MOST_COLUMNS)]
    size = max(3.4 + 0.38 * len(bands[0]), 9.0), len(bands) * max(2.4 + 0.27 * len(order), 6.0)
    figure, axes = plt.subplots(len(bands), figsize=size, squeeze=False)
    norm, colours = LogNorm(1.0, WORST, clip=True), colormaps["YlOrBr"]
    means, settings = (table.groupby("scheduler")["rank"].agg(how) for how in ("mean", "count"))
    for ax, band in zip(axes[:, 0], bands, strict=True):
        _band(ax, table, order, {each: names[each] for each in band}, norm, colours)
        _mean_ranks(ax, [f"{means[name]:.1f}" for name in order])
    _scale(figure, list(axes[:, 0]), norm, colours)
    first = means[settings == settings.max()].nsmallest(3)
    figure.suptitle("Best mean rank: " + ", ".join(f"{look(str(n)).label} {rank:.1f}" for n, rank in first.items()))
    return figure


def _band(ax: Axes, table: pd.DataFrame, order: Sequence[str], names: dict[Any, str], norm: Any, colours: Any) -> None:
    """Some of the settings, side by side; `names` gives their labels."""
    equal = table["close"] | (table["rank"] == 1)
    ranks = table["rank"].map("{:.0f}".format)
    cells = table.assign(ratio=table["ratio"].mask(equal, 1.0), text=ranks.where(table["whole"], "(" + ranks + ")"))
    ratio, text, close = (
        cells.pivot(index="scheduler", columns=KEY, values=part).reindex(index=list(order), columns=list(names))
        for part in ("ratio", "text", "close")
    )
    words = {"size": 8.5}
    heat(ax, ratio, text.fillna(""), close.eq(True), CLOSE, _DOTS, words, cmap=colours, norm=norm, linewidths=1)
    ax.set_facecolor(GRID)
    ax.set_xticklabels(list(names.values()), rotation=55, ha="right", rotation_mode="anchor")
    ax.set_yticklabels([look(name).label for name in order])


def _mean_ranks(ax: Axes, means: Sequence[str]) -> None:
    """Mean ranks over all settings, on the right."""
    right = ax.secondary_yaxis("right")
    right.set_yticks([at + 0.5 for at in range(len(means))], list(means))
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.annotate("mean\nrank", (1, 1), (4, 5), xycoords="axes fraction", textcoords="offset points", color=INK)


def _scale(figure: Figure, axes: list[Axes], norm: LogNorm, colours: Any) -> None:
    bar = figure.colorbar(plt.cm.ScalarMappable(norm, colours), ax=axes, shrink=0.5 / len(axes), pad=0.02, aspect=18)
    ticks = [1.0, 1.1, 1.25, 1.5, 2.0, WORST]
    bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks[:-1]] + [f"≥ {WORST:g}"], minor=False)
    bar.minorticks_off()
    bar.set_label("mean JCT over that of the best")
    handles = [
        Patch(fc=colours(0.0), ec=_DOTS, lw=0, hatch=CLOSE, label="not distinguishable from the best"),
        Patch(fc="none", ec="none", label="number: rank; (n): of fewer windows"),
        Patch(fc=GRID, label="not run"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
