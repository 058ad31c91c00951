"""Elastic jobs: throughput against efficiency, how GPUs are divided over time, and curves over the batch."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from artifact.plot.learn.lines import name_end, named_lines
from rarlib.plot.style import INK, MUTED, TAG


def tug_of_war(rows: pd.DataFrame, *, top: float | None = None) -> Figure:
    """Throughput, efficiency and their product over the batch: a line per number of GPUs with a dot at its maximum.

    `rows`: columns gpus, batch (ascending), throughput (samples/s), efficiency (0 to 1). `top`: upper end of both
    throughput axes, to make successive figures comparable; None: from the data.
    """
    counts = sorted(rows["gpus"].unique().tolist())
    shades = colormaps["viridis"](np.linspace(0.05, 0.8, len(counts)))
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.3))
    for count, colour in zip(counts, shades, strict=True):
        own = rows[rows["gpus"] == count]
        goodput = (own["throughput"] * own["efficiency"]).to_numpy()
        for ax, values in zip(axes, (own["throughput"], 100 * own["efficiency"], goodput), strict=True):
            ax.plot(own["batch"], values, color=colour)
        best = int(goodput.argmax())
        axes[2].plot(own["batch"].iloc[best], goodput[best], marker="o", ms=6, color=colour, mec="white")
        name = f"{count} GPU{'s' * (count > 1)}"
        for ax, value in ((axes[0], float(own["throughput"].iloc[-1])), (axes[2], float(goodput[-1]))):
            name_end(ax, own["batch"], pd.Series([value]), name, colour, fontsize=8.5)
    titles = "throughput", "statistical efficiency", "goodput = product of both"
    units = "samples per second", "worth of a sample (%)", "useful samples per second"
    for ax, title, unit in zip(axes, titles, units, strict=True):
        ax.set(title=title, ylabel=unit, xlabel="batch (samples per iteration)", ylim=(0, None))
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.margins(x=0.03)
    axes[1].set_ylim(0, 104)
    for ax in (axes[0], axes[2]):
        low, high = ax.get_xlim()
        ax.set(xlim=(low, high * 2.2), ylim=(0, top))
    return figure


def gpu_shares(ax: Axes, rows: pd.DataFrame, colours: Mapping[str, str], title: str) -> None:
    """GPUs of each job, slot by slot, as stacked steps labelled with the jobs.

    `rows`: columns slot, job, gpus; `colours`: colours of the jobs, from the bottom up.
    """
    table = rows.pivot(index="slot", columns="job", values="gpus")[list(colours)]
    below = np.zeros(len(table))
    for job, colour in colours.items():
        height = table[job].to_numpy(dtype=float)
        ax.bar(table.index + 0.5, height, width=1.0, bottom=below, color=colour, edgecolor="white", lw=0.5)
        middle = len(height) // 2
        if height[middle] > 0:
            at = (float(table.index[middle]) + 0.5, float(below[middle] + height[middle] / 2))
            ax.text(*at, job, ha="center", va="center", fontsize=9, color=INK, bbox=TAG)
        below += height
    ax.set(title=title, xlabel="slot", ylabel="GPUs", xlim=(0, float(table.index[-1]) + 1), ylim=(0, None))
    ax.grid(axis="x", visible=False)


def worth(ax: Axes, rows: pd.DataFrame, *, xlabel: str, ylabel: str) -> None:
    """Curves labelled at their ends.

    `rows`: columns line, x (ascending), value.
    """
    named_lines(ax, rows, "x", "value")
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
    ax.tick_params(labelcolor=MUTED)
