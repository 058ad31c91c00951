"""A run at a glance: Gantt chart, queue and load, contention by server, completion times."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from rarlib.plot.gantt import job_colours
from rarlib.plot.lanes import boxes
from rarlib.plot.style import GRID, INK, MUTED, literal, look

_UNITS = (("s", 1.0, 600.0), ("min", 60.0, 3.0 * 3600.0), ("h", 3600.0, 4.0 * 86400.0), ("days", 86400.0, np.inf))


def time_unit(span_s: float) -> tuple[str, float]:
    """A readable unit for a span of time, and the seconds in it."""
    return next((name, seconds) for name, seconds, limit in _UNITS if span_s < limit)


def legend_below(ax: Axes, ncols: int) -> None:
    """Put the legend under the label of the time axis, whatever the height of the panel."""
    assert isinstance(ax.figure, Figure)
    below = ax.transAxes + ScaledTranslation(0.0, -0.42, ax.figure.dpi_scale_trans)  # inches
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, ncols=ncols, borderaxespad=0)


def window(
    ax: Axes, intervals: pd.DataFrame, sizes: Sequence[int], start_s: float, end_s: float, first: int = 0
) -> None:
    """Gantt chart of an interval of time, with a lane per GPU; gangs that span servers have a dark edge.

    Args:
        ax: axes to draw on.
        intervals: columns job_id, start_s, end_s, node, gpus, servers (of the gang).
        sizes: GPUs of each server that is shown.
        start_s: left end of the time axis.
        end_s: right end of the time axis.
        first: number of the server at the top.
    """
    unit, seconds = time_unit(end_s - start_s)
    seen = intervals[(intervals["end_s"] > start_s) & (intervals["start_s"] < end_s)]
    seen = seen.assign(node=seen["node"] - first)
    seen = seen[seen["node"].between(0, len(sizes) - 1)]
    seen = seen.assign(start_s=seen["start_s"].clip(lower=start_s), end_s=seen["end_s"].clip(upper=end_s))
    tops = np.cumsum([0, *(size + 0.5 for size in sizes)])
    spanning = dict(zip(zip(seen["job_id"], seen["start_s"], strict=True), seen["servers"] > 1, strict=True))
    colours = job_colours(seen["job_id"].unique().tolist(), [seen], sizes)
    held = boxes(seen, sizes, tops.tolist())
    assert isinstance(ax.figure, Figure)
    lane = 72.0 * ax.get_window_extent().height / ax.figure.dpi / float(tops[-1])  # points
    thin = min(1.0, lane / 8.0)
    for spans in (False, True):
        mine = [box for box in held if spanning[box[:2]] == spans]
        patches = [Rectangle((b.left / seconds, b.top), b.width / seconds, b.height) for b in mine]
        edge, width = (INK, 0.9 * thin) if spans else ("white", 0.4 * thin)
        ax.add_collection(PatchCollection(patches, fc=[colours[box.job] for box in mine], ec=edge, lw=width))
    for job, x, y, width, height in held:
        if width > 0.03 * (end_s - start_s) and height > 0.025 * tops[-1]:
            ax.text((x + width / 2) / seconds, y + height / 2, literal(job), ha="center", va="center", fontsize=8)
    ax.set(xlabel=f"time ({unit})", xlim=(start_s / seconds, end_s / seconds), ylim=(tops[-1], -0.5))
    step = -(-len(sizes) // 20)
    ticks = range(0, len(sizes), step)
    ax.set_yticks([tops[s] + sizes[s] / 2 for s in ticks], [f"server {first + s}" for s in ticks])
    for top, size in zip(tops, sizes, strict=False):
        ax.axhspan(top, top + size, color=GRID, alpha=0.5, zorder=0, lw=0)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0, labelcolor=MUTED)


def cluster_load(axes: Sequence[Axes], levels: pd.DataFrame, total_gpus: int) -> None:
    """Waiting jobs (first panel) and share of busy GPUs (second panel) over time.

    Args:
        axes: two panels.
        levels: columns time_s, waiting, busy_gpus; each row is valid until the next.
        total_gpus: GPUs of the cluster.
    """
    unit, seconds = time_unit(float(levels["time_s"].max()))
    time = levels["time_s"] / seconds
    for ax, values, label, colour in (
        (axes[0], levels["waiting"], "jobs waiting", "#cc6677"),
        (axes[1], levels["busy_gpus"] / total_gpus * 100.0, "GPUs held (%)", "#0072b2"),
    ):
        ax.step(time, values, where="post", color=colour, lw=1.0)
        ax.fill_between(time, values, step="post", color=colour, alpha=0.2, lw=0)
        ax.set(ylabel=label, ylim=(0, None), xlim=(0, time.max()))
    axes[1].set(xlabel=f"time ({unit})", ylim=(0, 105))


def load_of_links(ax: Axes, load: pd.DataFrame, start_s: float, end_s: float) -> None:
    """Load of links over an interval of time, a line for each.

    Args:
        ax: axes to draw on.
        load: start_s of bins of time, in which the values hold until the next; a column for each link: the share of
            its capacity in use.
        start_s: left end of the time axis.
        end_s: right end of the time axis.
    """
    unit, seconds = time_unit(end_s - start_s)
    time = [*(load["start_s"] / seconds), end_s / seconds]
    for name, style in zip(load.columns.drop("start_s"), cycle(("-", "--", "-.", ":")), strict=False):
        ax.step(time, [*(load[name] * 100.0), load[name].iloc[-1] * 100.0], where="post", ls=style, label=literal(name))
    ax.set(xlabel=f"time ({unit})", ylabel="load (%)", xlim=(start_s / seconds, end_s / seconds), ylim=(0, 105))
    legend_below(ax, ncols=8)


def link_sharing(ax: Axes, jobs_on_link: NDArray[np.float64], edges: NDArray[np.float64]) -> None:
    """Heat map of the number of spanning jobs that share each server's link.

    Args:
        ax: axes to draw on.
        jobs_on_link: mean number, shape (nodes, bins).
        edges: boundaries of the time bins in seconds, shape (bins + 1,).
    """
    unit, seconds = time_unit(float(edges[-1] - edges[0]))
    top = max(float(jobs_on_link.max()), 1.0)
    servers = np.arange(len(jobs_on_link) + 1) - 0.5
    mesh = ax.pcolormesh(edges / seconds, servers, jobs_on_link, cmap="Blues", vmin=0.0, vmax=top)
    ax.set(xlabel=f"time ({unit})", ylabel="server", ylim=(servers[-1], servers[0]))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.figure.colorbar(mesh, ax=ax, label="gangs sharing its link")
    ax.grid(visible=False)


def jct_curves(ax: Axes, turnaround_s: Mapping[str, NDArray[np.float64]], scheduler: Mapping[str, str]) -> None:
    """Cumulative distribution of job completion times, a curve per run.

    Args:
        ax: axes to draw on.
        turnaround_s: job completion times of each run, shape (jobs,).
        scheduler: scheduler of each run, which decides the colour.
    """
    unit, seconds = time_unit(max(float(np.max(times)) for times in turnaround_s.values()))
    styles = ("-", "--", "-.", ":")
    for name, style in zip(turnaround_s, cycle(styles)):
        ax.ecdf(turnaround_s[name] / seconds, label=name, color=look(scheduler[name]).colour, ls=style)
    ax.set(xlabel=f"turnaround ({unit}), log scale", ylabel="jobs done", xscale="log", ylim=(0, 1.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    legend_below(ax, ncols=2)
