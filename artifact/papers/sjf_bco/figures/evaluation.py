"""Figures 4 to 7 of SJF-BCO (MobiHoc 2022): the reading, its spread, what came out as stated, the published points."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.plot.published import draw_published, published_curve, published_key, published_points
from artifact.plot.strips import over, strips
from artifact.unknowns import FITTED_READING, STATED_READING
from rarlib.plot.axes import dodges, key, name_rows, plain_ticks
from rarlib.plot.frames import in_order, pick
from rarlib.plot.style import GRID, INK, MUTED, look, note

SCHEDULER_ORDER = ("sjf-bco", "list-scheduling", "first-fit", "random")
"""Schedulers of the paper; others follow in alphabetical order."""

_METRICS = {"makespan": "Makespan", "average": "Average completion", "shortest": "Shortest completion"}
_STATED: dict[str, Any] = {"color": MUTED, "ms": 4.5, "mew": 0}
"""Means of the reading in which nothing is fitted are small and grey."""
_PUBLISHED_X = {"makespan": "makespan", "average": "average", "shortest": "min"}
_BOUND: dict[str, Any] = {"color": INK, "lw": 1.2, "ls": (0, (4, 1.5, 1, 1.5))}
_BOUNDS = {"makespan": "bound", "average": "bound_average"}
"""Metric -> its proven lower bound."""


def makespan_and_jct(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Fig. 4: makespan, average and shortest completion time under every scheduler."""
    names = in_order(frame, SCHEDULER_ORDER)
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 0.62 * len(names) + 1.9), sharey=True)
    colours = {name: look(name).colour for name in names}
    fitted, stated = (pick(frame, reading=reading) for reading in (FITTED_READING, STATED_READING))
    for ax, (metric, title) in zip(axes, _METRICS.items(), strict=True):
        strips(ax, pick(fitted, metric=metric).dropna(subset="value"), "value", colours)
        for row, name in enumerate(names):
            ax.plot(pick(stated, metric=metric, scheduler=name)["value"].mean(), row + 0.32, "o", **_STATED)
            points = published_points(published, "sjf-bco", "Fig. 4", look(name).label)
            draw_published(ax, points.get(_PUBLISHED_X[metric], np.nan), row + 0.32)
        if metric in _BOUNDS:
            ax.axvline(_bound(fitted, _BOUNDS[metric]), **_BOUND)
        ax.set(title=title, xlabel="slots")
        ax.set_xlim(left=0)
        name_rows(ax, [look(name).label for name in names], fontweight="bold")
    _infeasible(axes[0], fitted, names)
    figure.legend(handles=_keys(int(frame["seed"].nunique())), loc="outside lower center", ncols=3)
    return figure


def _keys(seeds: int) -> list[Line2D]:
    return [
        key("an instance, in the reading", ms=3.5, alpha=0.5),
        key(f"mean and standard deviation of {seeds}", ms=7, lw=1.6),
        published_key("published (one instance)"),
        key("mean as stated, nothing fitted", **_STATED),
        Line2D([], [], label="no schedule of the reading does better (mean)", **_BOUND),
    ]


def _bound(rows: pd.DataFrame, metric: str = "bound") -> float:
    """Mean over instances of a proven lower bound, which does not depend on the scheduler."""
    return float(pick(rows, metric=metric).groupby("seed")["value"].first().mean())


def bound_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """How far mean makespan and average completion time lie above their proven bounds, in percent, by reading."""
    index = ["scheduler", "reading", "x", "seed"]
    wide = frame.pivot_table(index=index, columns="metric", values="value")
    over = {f"{name} above bound (%)": 100 * (wide[name] / wide[bound] - 1) for name, bound in _BOUNDS.items()}
    return pd.DataFrame(over).groupby(index[:-1]).mean()


def _infeasible(ax: Axes, frame: pd.DataFrame, names: list[str]) -> None:
    for row, name in enumerate(names):
        share = 1.0 - pick(frame, scheduler=name, metric="feasible")["value"].mean()
        if share > 0:
            text = f"no schedule within T for {100 * share:.0f} % of instances"
            at: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
            ax.annotate(text, (0.02, row), color=MUTED, fontsize=8, backgroundcolor="white", **at)


def over_parameter(frame: pd.DataFrame, published: pd.DataFrame, where: str) -> Figure:
    """Fig. 5 and 7: makespan of SJF-BCO over a parameter, on a logarithmic axis.

    `where`: name of the figure in the published numbers.
    """
    figure, ax = plt.subplots(figsize=(6.6, 4.1))
    rows = pick(frame, metric="makespan", scheduler="sjf-bco")
    name, colour = str(rows["x_name"].iloc[0]), look("sjf-bco").colour
    fitted, stated = (pick(rows, reading=reading) for reading in (FITTED_READING, STATED_READING))
    own: dict[str, Any] = {"x": "x", "y": "value", "ax": ax}
    if len(fitted):
        sns.lineplot(fitted, **own, color=colour, units="seed", estimator=None, alpha=0.08, lw=0.8)
        band: dict[str, Any] = {"errorbar": "sd", "err_kws": {"alpha": 0.16, "lw": 0}, "marker": "o", "mec": colour}
        sns.lineplot(fitted, **own, **band, color=colour, mew=1, label="in the reading")
    means = stated.groupby("x")["value"].mean()
    ax.plot(means.index, means, "o-", lw=0.8, **_STATED, label="as stated, nothing fitted (mean)")
    ax.axhline(
        _bound(pick(frame, reading=str(frame["reading"].iloc[0]))),
        **_BOUND,
        label="no schedule of the reading does better (mean)",
    )
    points = published_curve(published, "sjf-bco", where, look("sjf-bco").label)
    draw_published(ax, points.index, points, ls="--", lw=1.2, label="published (one instance)")
    ax.set_xscale("log", base=2)
    plain_ticks(ax.xaxis, sorted({*points.index, *rows["x"]}))
    ax.set(xlabel={"kappa": "κ (largest gang packed, GPUs)", "lambda": "λ (servers considered)"}[name])
    ax.set(ylabel="makespan (slots)", ylim=(0, None))
    note(ax, f"{rows['seed'].nunique()} instances: thin lines; mean and standard deviation: thick, band")
    ax.legend(loc="lower right" if name == "kappa" else "lower left")
    return figure


def over_servers(frame: pd.DataFrame, published: pd.DataFrame, horizon: float) -> Figure:
    """Fig. 6: makespan over the number of servers, and the share of instances with a schedule within the horizon.

    `horizon`: T, slots.
    """
    fitted, stated = (pick(frame, reading=reading) for reading in (FITTED_READING, STATED_READING))
    rows, where = (fitted, "in the reading") if len(fitted) else (stated, "as stated")
    names = in_order(rows, SCHEDULER_ORDER)
    figure, (ax, low) = plt.subplots(2, 1, figsize=(6.8, 5.6), sharex=True, height_ratios=[4, 1])
    aside = dodges(names, 0.35)
    for name in names:
        style, own = look(name), pick(rows, scheduler=name)
        times = pick(own, metric="makespan")
        over(ax, times, style.colour, style.marker, shift=aside[name], dots={}, ms=7, label=style.label)
        means = pick(stated, scheduler=name, metric="makespan").groupby("x")["value"].mean()
        ax.plot(means.index + aside[name], means, style.marker, **_STATED)
        points = published_curve(published, "sjf-bco", "Fig. 6", style.label)
        draw_published(ax, points.index + aside[name], points, style.colour)
        feasible = pick(own, metric="feasible").groupby("x")["value"].mean() * 100
        low.bar(feasible.index + aside[name], feasible, width=0.3, color=style.colour)
        for x in feasible.index[feasible == 0]:
            low.annotate("0", (x + aside[name], 2), ha="center", fontsize=8, color=style.colour)
    bounds = pick(rows, metric="bound").groupby(["x", "seed"])["value"].first().groupby("x").mean()
    ax.plot(bounds.index, bounds, **_BOUND, label="proven bound")
    ax.axhline(horizon, color=MUTED, lw=1, ls=":")
    middle = float(np.mean(sorted(set(rows["x"]))[-2:]))
    ax.annotate(f"T = {horizon:g}", (middle, horizon), va="bottom", ha="center", color=MUTED, fontsize=8.5)
    more = [published_key("published (hollow)", MUTED), key("as stated (mean)", **_STATED)]
    ax.legend(handles=[*ax.get_legend_handles_labels()[0], *more], loc="upper right")
    ax.set(ylabel="makespan (slots, logarithmic)", yscale="log", xticks=sorted(set(rows["x"])))
    plain_ticks(ax.yaxis, (500, 1000, 2000, 4000))
    note(ax, f"{where}: {rows['seed'].nunique()} instances (small), the mean of those with a schedule (large)")
    low.set(ylabel="feasible (%)", xlabel="servers", ylim=(0, 104), yticks=[0, 50, 100])
    low.grid(axis="x", visible=False)
    low.grid(color=GRID)
    return figure


def share_ahead(frame: pd.DataFrame) -> pd.DataFrame:
    """Share of instances in which SJF-BCO's makespan is below that of a rival, by reading (columns)."""
    rows = pick(frame, metric="makespan")
    own = pick(rows, scheduler="sjf-bco").set_index(["reading", "seed"])["value"].rename("own")
    rivals = rows[rows["scheduler"] != "sjf-bco"].join(own, on=["reading", "seed"]).dropna(subset=["value", "own"])
    shares = rivals.assign(less=rivals["own"] < rivals["value"]).groupby(["scheduler", "reading"])["less"]
    return shares.mean().unstack("reading")


def _makespans(frame: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Makespan of SJF-BCO: a row per seed, a column per value of the parameter."""
    rows = pick(frame, reading=reading, scheduler="sjf-bco", metric="makespan")
    return rows.pivot_table(index="seed", columns="x", values="value")


def by_kappa(frame: pd.DataFrame) -> pd.DataFrame:
    """Fig. 5: mean makespan over kappa, a column per reading, and instances equal to the point before in the first."""
    grids = {reading: _makespans(frame, reading) for reading in dict.fromkeys(frame["reading"])}
    means = pd.DataFrame({f"mean, {reading}": grid.mean().round(0) for reading, grid in grids.items()})
    equal = (next(iter(grids.values())).diff(axis=1) == 0).sum()
    return means.assign(**{"instances equal to the point before": equal})


def by_servers(frame: pd.DataFrame) -> pd.DataFrame:
    """Fig. 6: mean makespan by number of servers, its change from the fewest to the most, share that is feasible."""
    index = ["reading", "scheduler"]
    table = {m: pick(frame, metric=m).pivot_table("value", index, "x", dropna=False) for m in ("makespan", "feasible")}
    means = table["makespan"]
    low, high = min(means.columns), max(means.columns)
    change = {f"change {low:g} to {high:g} (%)": 100 * (means[high] / means[low] - 1)}
    return means.assign(**change).round(0).join(table["feasible"].add_prefix("feasible at ").round(2))


def by_lambda(frame: pd.DataFrame) -> pd.DataFrame:
    """Fig. 7: mean and standard deviation of the makespan over lambda, by reading."""
    grids = {reading: _makespans(frame, reading).agg(["mean", "std"]) for reading in dict.fromkeys(frame["reading"])}
    return pd.concat(grids).round(0)


def fall(frame: pd.DataFrame) -> str:
    """Fig. 7: how often the makespan falls at every step of lambda, and the ratio of the ends, a line per reading."""
    lines = []
    for reading in dict.fromkeys(frame["reading"]):
        grid = _makespans(frame, reading)
        share = 100 * (grid.diff(axis=1).iloc[:, 1:] < 0).all(axis=1).mean()
        low, high = grid.columns[0], grid.columns[-1]
        ratio = (grid[low] / grid[high]).mean()
        lines.append(
            f"{reading}: falls at every step in {share:.0f} % of instances; λ = {low:g} over λ = {high:g}: {ratio:.2f}"
        )
    return "\n".join(lines)
