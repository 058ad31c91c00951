"""Figures 4 to 7 of SJF-BCO (MobiHoc 2022): ours with their spread over instances, published points beside them."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.plot.frames import pick
from rarlib.plot.style import GRID, INK, MUTED, look, note

ORDER = ("sjf-bco", "list-scheduling", "first-fit", "random")
"""Schedulers of the paper; others follow in alphabetical order."""

_METRICS = {"makespan": "Makespan", "average": "Average completion", "shortest": "Shortest completion"}
_PUBLISHED_X = {"makespan": "makespan", "average": "average", "shortest": "min"}
_BOUND: dict[str, Any] = {"color": INK, "lw": 1.2, "ls": (0, (4, 1.5, 1, 1.5))}
_BOUNDS = {"makespan": "bound", "average": "bound_average"}
"""Metric -> the proven lower bound on it."""

_PUBLISHED: dict[str, Any] = {"marker": "D", "mfc": "white", "mec": INK, "mew": 1.3, "ms": 6.5, "linestyle": "none"}


def schedulers_in(frame: pd.DataFrame) -> list[str]:
    """Schedulers of a frame, those of the paper first."""
    found = set(frame["scheduler"])
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def published_points(published: pd.DataFrame, where: str, scheduler: str) -> "pd.Series[float]":
    """Published values of a scheduler in a figure, by the text of x (`makespan`, `servers=10`)."""
    rows = pick(published, paper="sjf-bco", where=where, series=look(scheduler).label)
    return rows.set_index("x")["value"].astype(float)


def completion_times(frame: pd.DataFrame, published: pd.DataFrame, setup: str, others: Sequence[str] = ()) -> Figure:
    """Fig. 4: makespan, average and shortest completion of every scheduler.

    Args:
        frame: tidy rows of fig4.
        published: the published numbers.
        setup: set-up whose instances are drawn one by one.
        others: set-ups of which only the mean is shown.
    """
    frame = pick(frame, reading="headline")
    names = schedulers_in(frame)
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 0.62 * len(names) + 1.9), sharey=True)
    for ax, (metric, title) in zip(axes, _METRICS.items(), strict=True):
        for row, name in enumerate(names):
            _strip(ax, row, name, pick(frame, scheduler=name, metric=metric), setup, others)
            point = published_points(published, "Fig. 4", name).get(_PUBLISHED_X[metric])
            if point is not None:
                ax.plot(point, row + 0.27, **_PUBLISHED)
        if metric in _BOUNDS:
            ax.axvline(_bound(pick(frame, setup=setup), _BOUNDS[metric]), **_BOUND)
        ax.set(title=title, xlabel="slots")
        ax.set_xlim(left=0)
        ax.grid(axis="y", visible=False)
    _infeasible(axes[0], frame, names, setup)
    axes[0].set_yticks(range(len(names)), [look(name).label for name in names], fontweight="bold")
    axes[0].set_ylim(len(names) - 0.4, -0.55)
    seeds = frame["seed"].nunique()
    _legend(figure, [f"an instance ({setup})", f"mean and standard deviation of {seeds}"], others, setup)
    return figure


def _bound(rows: pd.DataFrame, metric: str = "bound") -> float:
    """Mean over instances of a proven lower bound; it does not depend on the scheduler."""
    return float(pick(rows, metric=metric).groupby("seed")["value"].first().mean())


def gaps(frame: pd.DataFrame, setup: str) -> pd.DataFrame:
    """Mean makespan and average completion of every reading above their proven bounds, in percent of the bound."""
    index = ["scheduler", "reading", "x", "seed"]
    wide = pick(frame, setup=setup).pivot_table(index=index, columns="metric", values="value")
    over = {f"{name} above bound (%)": 100 * (wide[name] / wide[bound] - 1) for name, bound in _BOUNDS.items()}
    return pd.DataFrame(over).groupby(index[:-1]).mean()


def _strip(ax: Axes, row: int, name: str, values: pd.DataFrame, setup: str, others: Sequence[str]) -> None:
    colour = look(name).colour
    own = pick(values, setup=setup)["value"].dropna().to_numpy()
    shift = (np.arange(len(own)) % 7 - 3) * 0.035
    ax.plot(own, row - 0.05 + shift, "o", ms=3.2, color=colour, alpha=0.28, mew=0)
    if len(own):
        ax.errorbar(own.mean(), row - 0.05, xerr=own.std(), fmt="o", ms=7, color=colour, capsize=3, lw=1.6)
    for other, marker in zip(others, "<>", strict=False):
        mean = pick(values, setup=other)["value"].mean()
        ax.plot(mean, row + 0.27, marker=marker, ms=4.5, color=colour, mew=0)


def _infeasible(ax: Axes, frame: pd.DataFrame, names: list[str], setup: str) -> None:
    for row, name in enumerate(names):
        share = 1.0 - pick(frame, scheduler=name, setup=setup, metric="feasible")["value"].mean()
        if share > 0:
            text = f"no schedule within T for {100 * share:.0f} % of instances"
            ax.annotate(
                text,
                (0.02, row - 0.02),
                xycoords=("axes fraction", "data"),
                color=MUTED,
                fontsize=8,
                backgroundcolor="white",
            )


def _legend(figure: Figure, own: list[str], others: Sequence[str], bounded: str) -> None:
    handles: list[Line2D] = [
        Line2D([], [], marker="o", ms=3.5, color=MUTED, alpha=0.5, lw=0, label=own[0]),
        Line2D([], [], marker="o", ms=7, color=MUTED, lw=1.6, label=own[1]),
        Line2D([], [], label="published (one instance)", **_PUBLISHED),
        Line2D([], [], label=f"no schedule does better ({bounded}, mean)", **_BOUND),
        *(
            Line2D([], [], marker=marker, ms=5, color=MUTED, lw=0, label=f"mean, set-up {other}")
            for other, marker in zip(others, "<>", strict=False)
        ),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def over_parameter(
    frame: pd.DataFrame, published: pd.DataFrame, where: str, curves: dict[str, str], setup: str
) -> Figure:
    """Fig. 5 and 7: makespan of SJF-BCO over a parameter, on a logarithmic axis.

    Args:
        frame: tidy rows of the figure.
        published: the published numbers.
        where: the figure as named there.
        curves: reading -> label; all in the scheduler's colour, the first with filled markers, others hollow.
        setup: set-up to draw.
    """
    figure, ax = plt.subplots(figsize=(6.6, 4.1))
    rows = pick(frame, setup=setup, metric="makespan", scheduler="sjf-bco")
    name = str(rows["x_name"].iloc[0])
    colour = look("sjf-bco").colour
    for position, (reading, label) in enumerate(curves.items()):
        line: dict[str, Any] = {"ls": ":", "mfc": "white", "mew": 1.5} if position else {}
        grid = pick(rows, reading=reading).pivot_table(index="x", columns="seed", values="value").sort_index()
        ax.plot(grid.index, grid.to_numpy(), color=colour, alpha=0.08, lw=0.8)
        mean, spread = grid.mean(axis=1), grid.std(axis=1).fillna(0.0)
        ax.fill_between(grid.index, mean - spread, mean + spread, color=colour, alpha=0.16, lw=0)
        ax.plot(grid.index, mean, marker="o", color=colour, label=label, **line)
    ax.axhline(_bound(pick(frame, setup=setup)), **_BOUND, label="no schedule does better (mean proven bound)")
    points = published_points(published, where, "sjf-bco")
    xs = [float(x.partition("=")[2]) for x in points.index]
    ax.plot(xs, points, **{**_PUBLISHED, "linestyle": "--"}, color=INK, lw=1.2, label="published (one instance)")
    ax.set_xscale("log", base=2)
    ax.set_xticks(xs, [f"{x:g}" for x in xs])
    ax.minorticks_off()
    ax.set(xlabel={"kappa": "κ (largest gang packed, GPUs)", "lambda": "λ (servers considered)"}[name])
    ax.set(ylabel="makespan (slots)", ylim=(0, None))
    note(
        ax, f"set-up {setup}, {rows['seed'].nunique()} instances: thin lines; mean and standard deviation: thick, band"
    )
    ax.legend(loc="lower right" if name == "kappa" else "lower left")
    return figure


def over_servers(frame: pd.DataFrame, published: pd.DataFrame, setup: str, horizon: float) -> Figure:
    """Fig. 6: makespan over the number of servers, and how many instances have a schedule within the horizon.

    Args:
        frame: tidy rows of fig6.
        published: the published numbers.
        setup: set-up to draw.
        horizon: T, slots.
    """
    rows = pick(frame, setup=setup, reading="headline")
    names = schedulers_in(rows)
    figure, (ax, low) = plt.subplots(2, 1, figsize=(6.8, 5.6), sharex=True, height_ratios=[4, 1])
    for i, name in enumerate(names):
        style, dodge = look(name), (i - (len(names) - 1) / 2) * 0.35
        grid = pick(rows, scheduler=name, metric="makespan").pivot_table(
            index="x", columns="seed", values="value", dropna=False
        )
        xs = grid.index.to_numpy() + dodge
        ax.plot(xs, grid.to_numpy(), style.marker, ms=3, color=style.colour, alpha=0.22, mew=0)
        ax.plot(xs, grid.mean(axis=1), color=style.colour, marker=style.marker, ms=7, label=style.label)
        points = published_points(published, "Fig. 6", name)
        ax.plot(
            [float(x.partition("=")[2]) + dodge for x in points.index],
            points,
            **{**_PUBLISHED, "marker": style.marker, "mec": style.colour},
        )
        feasible = pick(rows, scheduler=name, metric="feasible").groupby("x")["value"].mean() * 100
        low.bar(feasible.index + dodge, feasible, width=0.3, color=style.colour)
        for x in feasible.index[feasible == 0]:
            low.annotate("0", (x + dodge, 2), ha="center", fontsize=8, color=style.colour)
    bounds = pick(rows, metric="bound").groupby(["x", "seed"])["value"].first().groupby("x").mean()
    ax.plot(bounds.index, bounds, **_BOUND, label="proven bound")
    ax.axhline(horizon, color=MUTED, lw=1, ls=":")
    ax.annotate(f"T = {horizon:g}", (17.5, horizon), va="bottom", ha="center", color=MUTED, fontsize=8.5)
    hollow = Line2D([], [], label="published (hollow)", **{**_PUBLISHED, "mec": MUTED})
    ax.legend(handles=[*ax.get_legend_handles_labels()[0], hollow], loc="upper right")
    ax.set(ylabel="makespan (slots, logarithmic)", yscale="log", xticks=sorted(set(rows["x"])))
    ax.set_yticks([500, 1000, 2000, 4000], ["500", "1000", "2000", "4000"])
    ax.minorticks_off()
    note(
        ax, f"set-up {setup}, {rows['seed'].nunique()} instances (small) and the mean of those with a schedule (large)"
    )
    low.set(ylabel="feasible (%)", xlabel="servers", ylim=(0, 104), yticks=[0, 50, 100])
    low.grid(axis="x", visible=False)
    low.grid(color=GRID)
    return figure
