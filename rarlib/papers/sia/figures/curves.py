"""Sia (SOSP 2023) over a parameter: arrival rate, exponent p, round length, shares of jobs that adapt less."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.papers.sia.figures.comparison import PUBLISHED, from_zero, policies_in, published_value
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, look, note

Look = tuple[str, str, str]
"""Label, colour, marker."""

RELATIVE = {
    "avg_jct": ("avg JCT", "average JCT", INK, "o"),
    "p99_jct": ("p99 JCT", "99th percentile", "#0072b2", "s"),
    "makespan": ("makespan", "makespan", "#e69f00", "^"),
}
"""Metric -> its name in the published numbers, label, colour, marker, where one policy is shown by several metrics."""


def over(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Values of a metric: a row per x, a column per workload file (0: all together)."""
    rows = pick(frame, metric=metric)
    return rows.assign(x=rows["x"].astype(float)).pivot_table(index="x", columns="seed", values="value").sort_index()


def published_curve(published: pd.DataFrame, where: str, series: str) -> "pd.Series[float]":
    """Published values of a series by x, written as `name=x` with a unit or none."""
    rows = pick(published, paper="sia", where=where, series=series)
    xs = rows["x"].str.extract(r"=(-?[\d.]+)")[0].astype(float)
    return pd.Series(rows["value"].astype(float).to_numpy(), xs.to_numpy(), dtype=float).sort_index()


def printed_by_x(published: pd.DataFrame, where: str, series: Mapping[str, str]) -> dict[str, float]:
    """Published averages of a figure, by our name of the series.

    Args:
        published: the published numbers.
        where: the figure as named there.
        series: ours -> published.
    """
    return {ours: published_value(published, where, theirs, "avg JCT") for ours, theirs in series.items()}


def _curve(ax: Axes, grid: pd.DataFrame, drawn: Look, points: "pd.Series[float]") -> None:
    label, colour, marker = drawn
    ax.plot(points.index, points, label=label if grid.empty else None, **{**PUBLISHED, "mec": colour})
    if grid.empty:
        return
    single = grid.columns.astype(int) > 0
    files = grid[grid.columns[single]] if single.any() else grid
    if files.shape[1] > 1:
        ax.plot(files.index, files.to_numpy(), color=colour, alpha=0.25, lw=0.8)
    ax.plot(files.index, files.mean(axis=1), color=colour, marker=marker, ms=6, label=label)


def _several(frame: pd.DataFrame) -> bool:
    """Whether there are several workload files."""
    return len({seed for seed in frame["seed"] if seed > 0}) > 1


def _legend(figure: Figure, axes: list[Axes], *, files: bool) -> None:
    known = {handle.get_label(): handle for ax in axes for handle in ax.get_legend_handles_labels()[0]}
    handles = list(known.values())
    if files:
        handles.append(Line2D([], [], color=MUTED, alpha=0.5, lw=0.8, label="a workload file"))
    handles.append(Line2D([], [], label="published", **{**PUBLISHED, "mec": MUTED}))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def arrival_rates(frame: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Average JCT over the rate at which jobs arrive; Sia and Pollux once more on an axis of their own."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
    names = list(dict.fromkeys([*policies_in(frame), "sia", "pollux", "gavel"]))
    for ax, shown in zip(axes, (names, [name for name in names if name in ("sia", "pollux")]), strict=True):
        for name in shown:
            style = look(name)
            grid = over(pick(frame, scheduler=name), "avg_jct")
            points = published_curve(published, "arrival-rate figure", style.label)
            _curve(ax, grid, (style.label, style.colour, style.marker), points)
        ax.set(
            xlabel="arrivals (jobs per hour)", ylabel="average JCT (h)", xticks=sorted(set(frame["x"].astype(float)))
        )
        from_zero(ax)
    _legend(figure, list(axes), files=_several(frame))
    return figure


def sensitivity(powers: pd.DataFrame, rounds: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Sia over the exponent p, each metric relative to its best, and over the length of a round.

    Args:
        powers: tidy rows of p-sweep.
        rounds: tidy rows of rounds.
        published: the published numbers.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    for metric, (series, *drawn) in RELATIVE.items():
        label, colour, marker = drawn
        points = published_curve(published, "p sweep", series)
        _curve(left, over(powers, f"{metric}_relative"), (label, colour, marker), points)
    left.axhline(1, color=MUTED, lw=0.8)
    left.set(xlabel="p", ylabel="relative to the best p")
    style, grid = look("sia"), over(rounds, "avg_jct")
    points = published_curve(published, "round-length figure", "Sia")
    _curve(right, grid, (style.label, style.colour, style.marker), points)
    right.set(xlabel="length of a round (s)", ylabel="average JCT (h)", xticks=grid.index)
    from_zero(right)
    _legend(figure, [left, right], files=_several(rounds))
    return figure


def shares(frames: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> Figure:
    """Average JCT and makespan relative to adaptive jobs only, over the share of jobs that adapt less.

    Args:
        frames: published name of the figure -> tidy rows; a panel each.
        published: the published numbers.
    """
    titles = {
        "strong-scaling share": "Batch fixed, GPUs adapted (strong scaling)",
        "rigid share": "Batch and GPUs fixed (rigid)",
    }
    figure, axes = plt.subplots(1, len(frames), figsize=(5 * len(frames), 4.2))
    for ax, (where, frame) in zip(axes, frames.items(), strict=True):
        for metric in ("avg_jct", "makespan"):
            series, label, colour, marker = RELATIVE[metric]
            grid = over(frame, f"{metric}_relative")
            _curve(ax, grid, (label, colour, marker), published_curve(published, where, series))
        ax.axhline(1, color=MUTED, lw=0.8)
        ax.set(xlabel="share of such jobs (%)", ylabel="relative to adaptive jobs only")
        ax.set_title(titles[where])
    _legend(figure, list(axes), files=any(_several(frame) for frame in frames.values()))
    return figure


def by_reading(frame: pd.DataFrame, labels: Mapping[str, str], printed: Mapping[str, float]) -> Figure:
    """Average JCT of Sia in several readings, as bars with workload files and published values.

    Args:
        frame: tidy rows; the reading is what differs.
        labels: reading -> label, in the order of the bars.
        printed: reading -> published value.
    """
    figure, ax = plt.subplots(figsize=(6.6, 4.0))
    colour = look("sia").colour
    for i, reading in enumerate(labels):
        rows = pick(frame, reading=reading, metric="avg_jct")
        values = rows.loc[rows["seed"] > 0, "value"]
        ax.bar(i, values.mean(), 0.5, color=colour, alpha=0.85)
        ax.plot([i] * len(values), values, "o", ms=3.5, color=INK, alpha=0.45, mew=0)
        ax.plot(i, printed.get(reading, float("nan")), **PUBLISHED)
    ax.set_xticks(range(len(labels)), list(labels.values()))
    ax.set_ylabel("average JCT (h)")
    from_zero(ax)
    ax.grid(axis="x", visible=False)
    note(ax, "bars: mean over workload files (dots); hollow: published")
    return figure
