"""Ring all-reduce: partial sums step by step, the ring over servers, and the cost of an iteration."""

from collections.abc import Sequence
from math import cos, pi, sin

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from artifact.plot.learn.lines import name_end, named_lines
from artifact.plot.learn.split import legend, split_bars
from rarlib.plot.style import INK, MUTED

_SERVERS = ("#0072b2", "#009e73", "#8c6d31", "#332288", "#cc6677", "#5c6b73", "#999933", "#88ccee")
"""Colours of servers, used in turn."""

BETWEEN, WITHIN = "#e69f00", "#767676"
"""Colours of links that leave a server, and of links inside one."""


def sums(rows: pd.DataFrame) -> Figure:
    """A panel per step: how many workers' gradients each worker's copy of each chunk contains; darker means more.

    `rows`: columns step, worker, chunk, summed, sent; the first step is the state before anything is sent, and `sent`
    says whether the copy goes to the next worker of the ring in the following step.
    """
    steps, workers = sorted(rows["step"].unique()), int(rows["worker"].max()) + 1
    figure, axes = plt.subplots(1, len(steps), figsize=(1.62 * len(steps), 2.35), squeeze=False, sharey=True)
    for ax, step in zip(axes[0], steps, strict=True):
        own = rows[rows["step"] == step]
        table = own.pivot(index="worker", columns="chunk", values="summed").to_numpy()
        ax.imshow(table, cmap="Blues", vmin=0, vmax=1.25 * workers)
        for row in own.itertuples(index=False):
            look = {"color": "white", "fontweight": "bold"} if row.summed == workers else {"color": INK}
            ax.text(row.chunk, row.worker, str(row.summed), ha="center", va="center", **look)
            if row.sent:
                ax.plot(row.chunk, row.worker, marker="s", ms=19, mfc="none", mec=BETWEEN, mew=2.2)
        title = "start" if step == 0 else f"step {step}"
        ax.set_title(title, loc="center", fontsize=9.5)
        ax.set_xticks(range(workers), [chr(ord("a") + chunk) for chunk in range(workers)])
        ax.set_yticks(range(workers), [f"worker {worker}" for worker in range(workers)])
        ax.tick_params(length=0, labelcolor=MUTED)
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    label = "chunk passed on next, to the worker below (from the last to the first)"
    handle = Patch(facecolor="none", edgecolor=BETWEEN, lw=2.0, label=label)
    figure.legend(handles=[handle], loc="outside lower center")
    return figure


def draw_ring(ax: Axes, workers: int, per_server: int) -> None:
    """Workers on a circle, coloured by server; thick links connect servers."""
    points = [(sin(2 * pi * w / workers), cos(2 * pi * w / workers)) for w in range(workers)]
    servers = [w // per_server for w in range(workers)]
    for w in range(workers if workers > 1 else 0):
        to = (w + 1) % workers
        leaves = servers[w] != servers[to]
        (x, y), (next_x, next_y) = points[w], points[to]
        ax.plot((x, next_x), (y, next_y), color=BETWEEN if leaves else WITHIN, lw=3.2 if leaves else 1.2, zorder=1)
    colours = [_SERVERS[server % len(_SERVERS)] for server in servers]
    xs, ys = zip(*points, strict=True)
    ax.scatter(xs, ys, c=colours, s=700 / (workers + 6), zorder=2, edgecolors="white", lw=0.8)
    count = servers[-1] + 1
    text = f"{workers} worker{'s' * (workers > 1)}\n{count} server{'s' * (count > 1)}"
    ax.text(0, 0, text, ha="center", va="center", fontsize=8.5, color=INK, bbox={"fc": "white", "ec": "none"})
    ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
    ax.axis("off")


def rings(rows: pd.DataFrame, per_server: int, *, until_s: float | None = None) -> Figure:
    """A row of panels per number of workers: the ring, and the time of an iteration on each network.

    `rows`: columns workers, network, part, seconds; one or several numbers of workers. `per_server`: GPUs of a server.
    `until_s`: right end of the axis, to make successive figures comparable; None: the longest bar.
    """
    counts = rows["workers"].unique().tolist()
    size = (9.5, 1.55 * len(counts) + 1.0)
    figure, axes = plt.subplots(len(counts), 2, figsize=size, squeeze=False, width_ratios=[1, 4.2], sharex="col")
    for (left, right), workers in zip(axes, counts, strict=True):
        draw_ring(left, workers, per_server)
        own = rows[rows["workers"] == workers].rename(columns={"network": "bar", "seconds": "value"})
        split_bars(right, own)
    longest = until_s or float(rows.groupby(["workers", "network"])["seconds"].sum().max())
    axes[-1, 1].set(xlabel="seconds per iteration", xlim=(0, 1.18 * longest))
    legend(figure, rows.rename(columns={"seconds": "value"}))
    return figure


def scaling(ax: Axes, rows: pd.DataFrame, xlabel: str, ylabel: str, *, ideal: Sequence[float] | None = None) -> None:
    """Lines over the number of workers, labelled at their ends; both axes are logarithmic to base 2.

    `rows`: columns workers, line, value; `ylabel`: label of the values, with unit; `ideal`: best possible value at each
    number of workers, if there is one.
    """
    counts = np.sort(rows["workers"].unique())
    if ideal is not None:
        ax.plot(counts, ideal, color=INK, ls="--", lw=1.2)
        name_end(ax, pd.Series(counts), pd.Series(ideal), "ideal", INK)
    named_lines(ax, rows, "workers", "value")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.set_xticks(counts)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.margins(x=0.06)
