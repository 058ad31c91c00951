"""One busy hour of the arena under every scheduler: which job holds which GPUs at what time."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from rarlib.plot.gantt import job_colours
from rarlib.plot.lanes import boxes
from rarlib.plot.style import GRID, INK, MUTED, look

_COLUMNS = 4
_GAP = 1.0
"""Gap between nodes, in lanes."""

_LABEL_MIN, _LABEL_GPUS = 3.0, 4
"""Boxes of at least this many minutes and GPUs carry the number of their job."""


def allocation_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Allocations of the jobs, from tidy rows: columns scheduler, job_id, node, gpus, start_s, end_s."""
    rows = frame[frame["x_name"] == "job/node/GPUs"]
    # A job may hold the same GPUs twice in the hour; its ends come in the same order as its starts.
    again = rows.groupby(["scheduler", "x", "metric"]).cumcount()
    wide = rows.assign(again=again).pivot(index=["scheduler", "x", "again"], columns="metric", values="value")
    wide = wide.reset_index()
    wide[["job_id", "node", "gpus"]] = wide["x"].str.split("/", expand=True).astype(int)
    return wide[["scheduler", "job_id", "node", "gpus", "start_s", "end_s"]]


def nodes(frame: pd.DataFrame) -> pd.DataFrame:
    """Nodes of a cluster in order, from tidy rows of the audit: columns type, gpus."""
    rows = frame[frame["x_name"] == "node/type"]
    split = rows["x"].str.split("/", n=1, expand=True)
    table = pd.DataFrame({"node": split[0].astype(int), "type": split[1], "gpus": rows["value"].astype(int)})
    return table.sort_values("node")[["type", "gpus"]].reset_index(drop=True)


def nodes_of(audit: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """`nodes` of the cluster of the first setting in the rows of the runs."""
    return nodes(audit[audit["reading"] == runs["reading"].iloc[0].split("/")[0]])


def hour(held: pd.DataFrame, cluster: pd.DataFrame, order: Sequence[str]) -> Figure:
    """A Gantt chart per scheduler, a lane per GPU, nodes of a type together; a job has one colour in all charts."""
    names = [name for name in order if name in set(held["scheduler"])]
    lines = -(-len(names) // _COLUMNS)
    size = (13.0, 0.6 + 2.1 * lines)
    figure, axes = plt.subplots(lines, min(_COLUMNS, len(names)), figsize=size, sharex=True, sharey=True, squeeze=False)
    charts = (held[held["scheduler"] == name] for name in names)
    colours = job_colours(sorted(held["job_id"].unique().tolist()), charts, cluster["gpus"].tolist())
    begin = float(held["start_s"].min())
    tops = _tops(cluster)
    for ax, name in zip(axes.flat, names, strict=False):
        own = held[held["scheduler"] == name]
        own = own.assign(start_s=(own["start_s"] - begin) / 60, end_s=(own["end_s"] - begin) / 60)
        _chart(ax, own, cluster, tops, colours)
        ax.set_title(look(name).label, color=INK)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    _axes(axes, cluster, tops)
    figure.supxlabel("minutes of the busy hour", fontsize=9.5)
    return figure


def _tops(cluster: pd.DataFrame) -> list[float]:
    """First lane of each node: after all GPUs before it, with one gap between nodes and two between types."""
    before = cluster["gpus"].cumsum().shift(fill_value=0)
    other = (cluster["type"] != cluster["type"].shift()).cumsum() - 1
    return (before + _GAP * (np.arange(len(cluster)) + other)).astype(float).tolist()


def _chart(ax: Axes, own: pd.DataFrame, cluster: pd.DataFrame, tops: Sequence[float], colours: Any) -> None:
    held = boxes(own, cluster["gpus"].tolist(), tops)
    shapes = [Rectangle((box.left, box.top), box.width, box.height) for box in held]
    fills = [colours[box.job] for box in held]
    ax.add_collection(PatchCollection(shapes, facecolors=fills, edgecolors="white", linewidths=0.4))
    for box in held:
        if box.width >= _LABEL_MIN and box.height >= _LABEL_GPUS:
            middle = box.left + box.width / 2, box.top + box.height / 2
            ax.text(*middle, str(box.job), ha="center", va="center", fontsize=6.5, color=INK)
    for top, size in zip(tops, cluster["gpus"], strict=True):
        ax.axhspan(top, top + size, color=GRID, alpha=0.5, zorder=0, lw=0)


def _axes(axes: Any, cluster: pd.DataFrame, tops: Sequence[float]) -> None:
    groups = cluster.assign(top=tops).groupby("type", sort=False)
    kinds = groups.agg(top=("top", "min"), last=("top", "max"), gpus=("gpus", "last"))
    centres = (kinds["top"] + kinds["last"] + kinds["gpus"]) / 2
    bottom = float(tops[-1]) + int(cluster["gpus"].iloc[-1])
    axes[0, 0].set(xlim=(0, 60), ylim=(bottom + 0.5, -0.5))
    axes[0, 0].set_xticks(range(0, 61, 15))
    axes[0, 0].set_yticks(centres, list(kinds.index))
    for ax in axes.flat:
        ax.tick_params(labelbottom=True)
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0, labelcolor=MUTED)
