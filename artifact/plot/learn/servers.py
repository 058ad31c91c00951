"""Servers, their GPUs and their links, and the jobs that share them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from rarlib.plot.gantt import HATCH
from rarlib.plot.style import GRID, INK, MUTED, TAG


def draw_servers(ax: Axes, held: pd.DataFrame, sizes: Sequence[int], colours: Mapping[Any, Any], title: str) -> None:
    """GPUs by server below a network; a gang that spans servers is hatched and has a lane on each of its links.

    `held`: columns job_id, node, gpus: how many GPUs of which node a job holds; `sizes`: GPUs of each server.
    """
    nodes = held.groupby("job_id")["node"].nunique()
    spanning = {job for job in colours if nodes.get(job, 0) > 1}
    lefts = [sum(sizes[:server]) + 0.8 * server for server in range(len(sizes))]
    right = lefts[-1] + sizes[-1]
    ax.add_patch(FancyBboxPatch((0.3, 2.6), right - 0.6, 0.42, boxstyle="round,pad=0.06", fc=GRID, ec=MUTED, lw=0.8))
    ax.text(right / 2, 2.81, "network", ha="center", va="center", fontsize=8.5, color=INK)
    for server, (left, size) in enumerate(zip(lefts, sizes, strict=True)):
        middle = left + size / 2
        ax.add_patch(Rectangle((left - 0.1, -0.1), size + 0.2, 1.2, fc="none", ec=MUTED, lw=0.8))
        ax.text(middle, -0.3, f"server {server}", ha="center", va="top", fontsize=8.5, color=MUTED)
        own = held[held["node"] == server]
        _gpus(ax, own, left, size, colours, spanning)
        ax.plot([middle] * 2, [1.1, 2.54], color=GRID, lw=16, solid_capstyle="butt", zorder=0)
        lanes = [job for job in own["job_id"] if job in spanning]
        for lane, job in enumerate(lanes):
            x = middle + 0.34 * (lane - (len(lanes) - 1) / 2)
            ax.plot([x, x], [1.1, 2.54], color=colours[job], lw=5, solid_capstyle="butt")
    ax.set(xlim=(-0.4, right + 0.4), ylim=(-0.75, 3.2), aspect="equal")
    ax.set_title(title, loc="center")
    ax.axis("off")


def _gpus(ax: Axes, held: pd.DataFrame, left: float, size: int, colours: Mapping[Any, Any], spanning: set[Any]) -> None:
    """The GPUs of one server: first those of each job, then the free ones."""
    at = left
    for job, count in zip(held["job_id"], held["gpus"].astype(int), strict=True):
        for gpu in range(count):
            hatch = HATCH if job in spanning else None
            ax.add_patch(Rectangle((at + gpu + 0.06, 0.06), 0.88, 0.88, fc=colours[job], ec="white", hatch=hatch))
        ax.text(at + count / 2, 0.5, str(job), ha="center", va="center", bbox=TAG, color=INK)
        at += count
    while at < left + size:
        ax.add_patch(Rectangle((at + 0.06, 0.06), 0.88, 0.88, fc="none", ec=MUTED, lw=0.8, ls=":"))
        at += 1
