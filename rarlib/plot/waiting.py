"""Why jobs wait: turnaround split into its parts, and the history of one job."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from rarlib.plot.run_folder import legend_below, time_unit
from rarlib.plot.style import GRID, INK, MUTED, literal

COLOURS = {
    "wait_gpus_s": "#cc6677",
    "wait_fragmentation_s": "#882255",
    "wait_round_s": "#ddcc77",
    "wait_order_s": "#e69f00",
    "restart_s": "#222222",
    "server_overhead_s": "#999933",
    "contention_s": "#44aa99",
    "running_s": "#88ccee",
    "holding": "#88ccee",
}
"""Warm colours for time in the queue, cold ones for time with GPUs; Tol's muted scheme."""


def breakdown(ax: Axes, tables: Mapping[str, pd.DataFrame], labels: Mapping[str, str]) -> None:
    """Mean turnaround of each group of jobs as a stacked bar.

    Args:
        ax: axes to draw on.
        tables: jobs of each bar by its name, columns as in waiting.csv.
        labels: parts in the order of stacking, and their names; parts that are zero in every bar are left out.
    """
    means = pd.DataFrame({name: table[list(labels)].mean() for name, table in tables.items()})
    unit, seconds = time_unit(float(means.sum().max()))
    left = pd.Series(0.0, index=means.columns)
    for part, row in (means / seconds).iterrows():
        if row.max() > 1e-9:
            ax.barh(
                means.columns, row, left=left, color=COLOURS[str(part)], label=labels[str(part)], ec="white", lw=0.6
            )
            left += row
    for y, total in enumerate(left):
        ax.text(total, y, f" {total:,.3g}", va="center", color=INK)
    ax.invert_yaxis()
    ax.set(xlabel=f"mean per job ({unit})")
    ax.margins(x=0.1)
    ax.grid(axis="y", visible=False)
    legend_below(ax, ncols=4)


def queue(ax: Axes, waiting: pd.DataFrame, labels: Mapping[str, str]) -> None:
    """The queue at one moment, longest wait on top: GPUs each job requests, coloured by what it waits for.

    Args:
        ax: axes to draw on.
        waiting: columns job_id, gpus, part.
        labels: names of the parts, in order.
    """
    for part in labels:
        mine = waiting["part"] == part
        if mine.any():
            rows = np.flatnonzero(mine)
            ax.barh(rows, waiting["gpus"][mine], color=COLOURS[part], label=labels[part], height=0.8)
    ax.set_yticks(range(len(waiting)), [f"job {literal(job)}" for job in waiting["job_id"]])
    ax.set(xlabel="GPUs it wants", title=f"{len(waiting)} waiting", ylim=(max(len(waiting), 8) - 0.5, -0.5))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", visible=False)
    if len(waiting):
        legend_below(ax, ncols=2)


def job_card(
    job_id: str,
    gang: int,
    history: pd.DataFrame,
    levels: pd.DataFrame,
    holders: pd.DataFrame,
    labels: Mapping[str, str],
) -> Figure:
    """History of one job, with the free GPUs over time and the jobs that held the others while it waited.

    Args:
        job_id: name of the job.
        gang: GPUs it needs to start.
        history: columns start_s, end_s, part, servers, by time.
        levels: columns time_s, free_gpus; each row is valid until the next.
        holders: columns job_id, share, later; largest first.
        labels: names of the parts.
    """
    figure, (top, middle, bottom) = plt.subplots(
        3, 1, figsize=(9, 5.4), height_ratios=[0.7, 2.2, 0.5 + 0.3 * min(len(holders), 6)]
    )
    begin, end = float(history["start_s"].min()), float(history["end_s"].max())
    unit, seconds = time_unit(end - begin)
    for start, stop, part in zip(history["start_s"], history["end_s"], history["part"], strict=True):
        top.axvspan(start / seconds, stop / seconds, color=COLOURS[part], lw=0)
    named = {**labels, "holding": "holding GPUs"}
    parts = [part for part in named if part in set(history["part"])]
    top.legend(
        handles=[Patch(color=COLOURS[part], label=named[part]) for part in parts],
        loc="lower right", bbox_to_anchor=(1, 1), ncols=len(parts), borderaxespad=0.1,
    )  # fmt: skip
    top.set(title=f"Job {literal(job_id)}", yticks=[])
    top.tick_params(axis="x", labelbottom=False)
    _free_gpus(
        middle, levels[~(levels["time_s"].shift(-1) <= begin) & ~(levels["time_s"].shift(1) >= end)], gang, seconds
    )
    middle.set(xlabel=f"time ({unit})")
    for ax in (top, middle):
        ax.set_xlim(begin / seconds, end / seconds)
    _holders(bottom, holders.head(6))
    return figure


def _free_gpus(ax: Axes, levels: pd.DataFrame, gang: int, seconds: float) -> None:
    time = levels["time_s"] / seconds
    ax.step(time, levels["free_gpus"], where="post", color=MUTED, lw=1.0)
    ax.fill_between(time, levels["free_gpus"], step="post", color=GRID)
    ax.axhline(gang, color=COLOURS["wait_gpus_s"], lw=1.2, ls="--")
    ax.annotate(
        f"its gang: {gang}", (1, gang), (-4, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
        ha="right", color=COLOURS["wait_gpus_s"],
    )  # fmt: skip
    ax.set(ylabel="free GPUs", ylim=(0, 1.15 * max(gang, float(levels["free_gpus"].max()))))


def _holders(ax: Axes, holders: pd.DataFrame) -> None:
    if holders.empty:
        ax.set_axis_off()
        return
    jobs = zip(holders["job_id"], holders["later"], strict=True)
    names = [f"job {literal(job)}{' (submitted later)' if later else ''}" for job, later in jobs]
    ax.barh(range(len(names)), holders["share"] * 100.0, color=MUTED, height=0.7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel="share of the cluster's GPU time while it waited (%)", xlim=(0, None))
    ax.grid(axis="y", visible=False)
