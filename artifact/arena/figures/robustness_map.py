"""Which scheduler wins in which part of the arena."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from artifact.arena.figures.labels import level_label, trace_label
from artifact.plot.heat import heat
from rarlib.plot.axes import name_rows
from rarlib.plot.style import GRID, INK, MUTED, TAG, log_axis, look

_HATCH = "////"
"""Hatch of cells whose winner cannot be distinguished from another scheduler."""

_WINDOW, TRACE = "window", "setup"
_COLUMNS = 3

_CELL = 0.92, 0.52
"""Width and height of a cell, inches."""


class _Panel(NamedTuple):
    """A part of the map: two factors vary, all others are fixed.

    Attributes:
        title: title of the panel.
        down: factor of the rows.
        across: factor of the columns.
        cells: columns `down`, `across`, and those of the winners.
    """

    title: str
    down: str
    across: str
    cells: pd.DataFrame


def robustness_panels(
    winners: pd.DataFrame,
    by_window: pd.DataFrame,
    factors: Sequence[str],
    base: Mapping[str, str],
    standins: Collection[str] = (),
) -> list[_Panel]:
    """A panel for every pair of factors that vary together, all others at the base.

    A pair that does not include the trace has one panel per trace.

    Args:
        winners: columns of the factors, winner, distinguishable, tied; a row per setting.
        by_window: columns setup, window, winner, distinguishable, tied.
        factors: factors of the map, the trace first.
        base: factor -> its level in the base setting.
        standins: traces that are stand-ins.
    """
    found = [_Panel("trace and window", TRACE, _WINDOW, by_window)]
    for down, across in combinations(factors, 2):
        for trace in dict.fromkeys(winners[TRACE]) if down != TRACE else ("",):
            home = {**base, TRACE: trace} if trace else base
            same = pd.Series(True, index=winners.index)
            for name in set(factors) - {down, across}:
                same &= winners[name] == home[name]
            cells = _varied(winners[same], down, across)
            if ((cells[down] != home[down]) & (cells[across] != home[across])).any():
                words = f"{_WORDS[down]} and {_WORDS[across]}"
                title = f"{words}\n{trace_label(trace, standins)}" if trace else words
                found.append(_Panel(title, down, across, cells))
    return found


_WORDS = {TRACE: "trace", "restart": "restart cost", "error": "error of prediction"} | {
    name: name for name in ("cluster", "load", "contention", "knowledge")
}


def _varied(cells: pd.DataFrame, down: str, across: str) -> pd.DataFrame:
    """Cells without those rows and columns that have a single cell, which say nothing about the other factor."""
    for one, other in ((down, across), (across, down)):
        cells = cells[cells.groupby(one)[other].transform("nunique") > 1]
    return cells


def robustness_map(
    shown: Sequence[_Panel],
    levels: Mapping[str, Sequence[str]],
    standins: Collection[str] = (),
    own: str = "",
    margin: Sequence[float] = (),
) -> Figure:
    """Draw winners in colour, hatched where n others cannot be distinguished from the winner, with this number.

    Args:
        shown: panels from `robustness_panels`.
        levels: factor -> its levels, in order.
        standins: traces that are stand-ins.
        own: our own scheduler, which is not on the map.
        margin: its mean JCT over the winner's, by setting; empty: it did not run.
    """
    lines = [shown[i : i + _COLUMNS] for i in range(0, len(shown), _COLUMNS)]
    known = [[_levels(panel, levels) for panel in line] for line in lines]
    heights = [max(len(down) for down, _ in line) for line in known]
    widest = max(len(across) for line in known for _, across in line)
    size = (min(_COLUMNS, len(shown)) * (widest * _CELL[0] + 1.2), sum(heights) * _CELL[1] + 0.95 * len(lines) + 0.6)
    figure = plt.figure(figsize=size)
    grid = figure.add_gridspec(len(lines), min(_COLUMNS, len(shown)), height_ratios=[h + 1.2 for h in heights])
    for y, (line, sizes) in enumerate(zip(lines, known, strict=True)):
        for x, (panel, (down, across)) in enumerate(zip(line, sizes, strict=True)):
            _draw(figure.add_subplot(grid[y, x]), panel, down, across, standins)
    winners = dict.fromkeys(name for panel in shown for name in panel.cells["winner"])
    handles = [Patch(fc=look(name).colour, label=look(name).label) for name in winners]
    handles.append(Patch(fc="white", ec=MUTED, hatch=_HATCH, label="+n: not distinguishable from n others"))
    told = _own_in_words(look(own).label, np.asarray(margin)) if len(margin) else None
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6), title=told)
    figure.suptitle(_result(pd.concat([panel.cells for panel in shown])))
    return figure


def _result(cells: pd.DataFrame) -> str:
    """Who wins most cells, and in how many of them alone."""
    won = cells[cells["winner"] == cells["winner"].mode()[0]]
    alone = int((won["tied"] == "").sum())
    return f"{look(won['winner'].iloc[0]).label} wins {len(won)} of {len(cells)} cells, {alone} of them alone"


def _own_in_words(name: str, margin: NDArray[np.float64]) -> str:
    mean, shorter = float(np.exp(np.log(margin).mean())), int((margin < 1.0).sum())
    return (
        f"not on the map: {name} (ours), {mean:.2f} times the winner's mean JCT\n({margin.min():.2f} to "
        f"{margin.max():.2f}), shorter in {shorter} of {len(margin)} settings"
    )


def pair(compared: pd.DataFrame) -> Figure:
    """The mean JCT of one scheduler over that of another with its interval, a row per setting, smallest ratio on top.

    Args:
        compared: columns setup, cluster, load, contention, restart, error, scheduler, rival, ratio, low, high,
            distinguishable; one pair.
    """
    rows = compared.sort_values("ratio", kind="stable").reset_index(drop=True)
    figure, ax = plt.subplots(figsize=(9, 1.3 + 0.22 * max(len(rows), 3)))
    if rows.empty:
        ax.set_title("These two have run no setting together")
        return figure
    first, second = (look(str(rows[name].iloc[0])) for name in ("scheduler", "rival"))
    for y, row in enumerate(rows.to_dict("records")):
        better = first if row["ratio"] <= 1 else second
        ax.plot([row["low"], row["high"]], [y, y], color=better.colour, lw=1.6)
        inside = better.colour if row["distinguishable"] else "white"
        ax.plot(row["ratio"], y, better.marker, ms=6.5, mec=better.colour, mfc=inside)
    ax.axvline(1.0, color=INK, lw=0.8)
    factors = ("cluster", "load", "contention", "restart", "error")
    usual = {name: rows[name].mode()[0] for name in factors}
    name_rows(
        ax,
        [
            ", ".join([trace_label(row["setup"]), *(level_label(f, row[f]) for f in factors if row[f] != usual[f])])
            for row in rows.to_dict("records")
        ],
        fontsize=8,
    )
    log_axis(ax)
    ahead = int(((rows["ratio"] < 1) & rows["distinguishable"]).sum())
    behind = int(((rows["ratio"] > 1) & rows["distinguishable"]).sum())
    ax.set(xlabel=f"mean JCT of {first.label} over that of {second.label} (log scale)")
    figure.suptitle(
        f"{first.label} is ahead in {ahead}, {second.label} in {behind} of {len(rows)} settings; hollow: close"
    )
    return figure


def _levels(panel: _Panel, levels: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Levels of the rows and columns of a panel."""

    def present(factor: str) -> list[str]:
        here = [str(level) for level in dict.fromkeys(panel.cells[factor])]
        return sorted(here, key=int) if factor == _WINDOW else [level for level in levels[factor] if level in here]

    return present(panel.down), present(panel.across)


def _draw(ax: Axes, panel: _Panel, down: Sequence[str], across: Sequence[str], standins: Collection[str]) -> None:
    tied = panel.cells["tied"].str.split().map(len)
    labels = panel.cells["winner"].map(lambda name: look(name).label)
    cells = panel.cells.assign(text=labels.where(tied == 0, labels + "\n+" + tied.astype(str)), tied=tied > 0)
    cells = cells.astype({panel.down: str, panel.across: str})
    winner, text, hatched = (
        cells.pivot(index=panel.down, columns=panel.across, values=part).reindex(index=list(down), columns=list(across))
        for part in ("winner", "text", "tied")
    )
    names = list(dict.fromkeys(panel.cells["winner"]))
    words: dict[str, Any] = {"size": 7.5, "color": INK, "bbox": TAG, "linespacing": 0.95}
    heat(
        ax, winner.map(names.index, na_action="ignore"), text.fillna(""), hatched.eq(True), _HATCH, "white", words,
        cmap=ListedColormap([look(name).colour for name in names]), vmin=-0.5, vmax=len(names) - 0.5, linewidths=1.5,
    )  # fmt: skip
    ax.set_xticklabels([_name(panel.across, level, standins) for level in across])
    ax.set_yticklabels([_name(panel.down, level, standins) for level in down])
    ax.set_facecolor(GRID)
    ax.set_title(panel.title)
    ax.tick_params(labelsize=8)


def _name(factor: str, level: str, standins: Collection[str]) -> str:
    if factor == TRACE:
        return trace_label(level, standins)
    return level if factor == _WINDOW else level_label(factor, level).replace(" (", "\n(").replace("g p", "g\np")
