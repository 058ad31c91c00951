"""The arena's standings: who is how far from the best in which setting. And how settings are called in its figures."""

from collections.abc import Collection, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rarlib.plot.heat import heat
from rarlib.plot.style import GRID, INK, look

TRACES = {
    "philly-pollux": "Philly",
    "sia-philly": "Sia's Philly",
    "sia-saturn": "Saturn",
    "sia-newtrace": "newTrace",
    "pollux": "Pollux",
    "pai-sample": "PAI",
    "aiturbo": "AITurbo's study",
}
CONTENTION = {"off": "f = 1", "k": "f = k"}
FIXED = {
    ("restart", "profile"): "measured restarts",
    ("error", "none"): "nothing predictable",
    ("error", "0"): "exact predictions",
}
WORDS = {"load": "load {}", "restart": "restarts {} s", "error": "error {}"}
STANDIN = "*"
"""Behind the name of a trace that a stand-in takes the place of."""

WORST = 3.0
"""Ratio at which the colour scale ends."""

CLOSE = ".."
"""Hatch of what cannot be told from the best."""

WARNING = "traces marked * or measured profiles are drawn from statistics, not recorded"
"""Above a figure of which some data is a stand-in's."""

_DOTS = "#a8a8a8"

KEY = ["setup", "reading", "x_name", "x"]


def trace_label(trace: str, standins: Collection[str] = ()) -> str:
    """Name of a trace, with a mark if it is a stand-in."""
    return TRACES.get(trace, trace) + (STANDIN if trace in standins else "")


def level_label(factor: str, level: str) -> str:
    """A level of a factor in words."""
    if factor == "setup":
        return trace_label(level)
    if factor == "contention":
        alpha = level.removeprefix("k+")
        return CONTENTION.get(level, f"f = k + {alpha} (k − 1)")
    return FIXED.get((factor, level)) or WORDS.get(factor, "{}").format(level)


def setting_labels(table: pd.DataFrame, standins: Collection[str] = ()) -> dict[tuple[Any, ...], str]:
    """Names of the settings: the trace, and in what they differ from the first one.

    Args:
        table: columns setup, reading, x_name, x.
        standins: traces that are stand-ins.

    Returns:
        By (setup, reading, x_name, x), in order of appearance.
    """
    settings = [tuple(key) for key in table[KEY].drop_duplicates().itertuples(index=False)]
    base = _factors(*settings[0][1:])
    names = {}
    for setup, reading, x_name, x in settings:
        here = _factors(reading, x_name, x)
        other = [level_label(factor, here[factor]) for factor in here if here[factor] != base.get(factor)]
        names[setup, reading, x_name, x] = ", ".join([trace_label(setup, standins), *other])
    return names


def _factors(reading: str, x_name: str, x: str) -> dict[str, str]:
    cluster, contention, restart, error = reading.split("/")
    return {"cluster": cluster, x_name: x, "contention": contention, "restart": restart, "error": error}


def short_of_windows(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Traces and schedulers that have run fewer windows of the trace than others: their means are of other jobs.

    Args:
        frame: tidy rows of one setting per trace; those of seed 0 (of all windows together) do not count.
    """
    counts = frame[frame["seed"] != 0].groupby(["setup", "scheduler"])["seed"].nunique()
    fewer = counts < counts.groupby("setup").transform("max")
    return {(str(trace), str(name)) for trace, name in counts.index[fewer]}


def ranking(table: pd.DataFrame, order: Sequence[str], standins: Collection[str] = ()) -> Figure:
    """Mean JCT relative to the best of each setting, ranks in the cells.

    Args:
        table: columns setup, reading, x_name, x, scheduler, ratio (to the best), rank, whole (has run all windows),
            close (not distinguishable from the best).
        order: schedulers from top to bottom.
        standins: traces that are stand-ins.
    """
    names = setting_labels(table, standins)
    figure, ax = plt.subplots(figsize=(3.4 + 0.38 * len(names), 2.4 + 0.27 * len(order)))
    norm, colours = LogNorm(1.0, WORST, clip=True), colormaps["YlOrBr"]
    equal = table["close"] | (table["rank"] == 1)
    ranks = table["rank"].map("{:.0f}".format)
    cells = table.assign(ratio=table["ratio"].mask(equal, 1.0), text=ranks.where(table["whole"], "(" + ranks + ")"))
    ratio, text, close = (
        cells.pivot(index="scheduler", columns=KEY, values=part).reindex(index=list(order), columns=list(names))
        for part in ("ratio", "text", "close")
    )
    heat(
        ax, ratio.astype(float), text.fillna(""), close.eq(True), CLOSE, _DOTS, cmap=colours, norm=norm,
        linewidths=1, annot_kws={"size": 8.5},
    )  # fmt: skip
    ax.set_facecolor(GRID)
    places = [at + 0.5 for at in range(len(names))]
    ax.set_xticks(places, list(names.values()), rotation=55, ha="right", rotation_mode="anchor")
    means = table.groupby("scheduler")["rank"].mean()
    rows = [at + 0.5 for at in range(len(order))]
    ax.set_yticks(rows, [look(name).label for name in order])
    right = ax.secondary_yaxis("right")
    right.set_yticks(rows, [f"{means[name]:.1f}" for name in order])
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.annotate("mean\nrank", (1, 1), (4, 5), xycoords="axes fraction", textcoords="offset points", color=INK)
    _scale(figure, ax, norm, colours)
    return figure


def _scale(figure: Figure, ax: Axes, norm: LogNorm, colours: Any) -> None:
    bar = figure.colorbar(plt.cm.ScalarMappable(norm, colours), ax=ax, shrink=0.5, pad=0.02, aspect=18)
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
