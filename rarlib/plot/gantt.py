"""Gantt charts: which job holds which GPUs at what time, server by server."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rarlib.plot.lanes import gpu_lanes, side_by_side
from rarlib.plot.style import GRID, INK, MUTED, TAG

HATCH = "////"
"""Hatch of gangs that span servers and so may share links."""

_PALETTE = colormaps["Set3"].colors[:10]  # type: ignore[attr-defined]
_DARKER = 0.8


def gantt(
    ax: Axes,
    intervals: pd.DataFrame,
    sizes: Sequence[int],
    *,
    colours: Mapping[Any, Any] | None = None,
    title: str = "",
    unit: str = "slots",
    end: float | None = None,
) -> None:
    """Draw a schedule, one lane per GPU. Spanning gangs are hatched; the widest bar of each job carries its name.

    Args:
        ax: axes to draw on.
        intervals: columns job_id, start_s, end_s, node, gpus.
        sizes: GPUs of each server.
        colours: colour of each job; None: see `job_colours`.
        title: title of the chart.
        unit: unit of time.
        end: right end of the axis, to make charts side by side comparable; None: the makespan.
    """
    colours = colours or job_colours(intervals["job_id"].unique().tolist(), [intervals], sizes)
    nodes = intervals.groupby("job_id")["node"].nunique()
    tops = [sum(sizes[:s]) + s * 0.5 for s in range(len(sizes))]
    seen: dict[Any, tuple[float, float, float, float]] = {}
    for job, node, gpu, start, stop in gpu_lanes(intervals, sizes):
        hatch = HATCH if nodes[job] > 1 else None
        box = Rectangle((start, tops[node] + gpu), stop - start, 1, fc=colours[job], ec="white", lw=0.7, hatch=hatch)
        ax.add_patch(box)
        x, y, width, height = seen.get(job, (start, tops[node] + gpu, stop - start, 0.0))
        seen[job] = (x, y, width, height + 1) if (x, y + height) == (start, tops[node] + gpu) else (x, y, width, height)
    for job, (x, y, width, height) in seen.items():
        ax.text(x + width / 2, y + height / 2, str(job), ha="center", va="center", fontsize=9, color=INK, bbox=TAG)
    makespan = float(intervals["end_s"].max())
    ax.axvline(makespan, color=INK, lw=1.2, ls="--")
    bottom = tops[-1] + sizes[-1]
    ax.annotate(f"{makespan:g}", (makespan, bottom), (3, -2), textcoords="offset points", va="bottom", color=INK)
    ax.set(title=title, xlabel=unit, xlim=(0, (end or makespan) * 1.08), ylim=(bottom + 0.3, -0.3))
    ax.set_yticks([t + n / 2 for t, n in zip(tops, sizes, strict=True)], [f"server {s}" for s in range(len(sizes))])
    for top, size in zip(tops, sizes, strict=True):
        ax.axhspan(top, top + size, color=GRID, alpha=0.5, zorder=0, lw=0)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0, labelcolor=MUTED)


def job_colours(jobs: Sequence[Any], charts: Iterable[pd.DataFrame] = (), sizes: Sequence[int] = ()) -> dict[Any, Any]:
    """A colour for every job; two that are side by side in any of the charts never have the same.

    Colours repeat after ten jobs, so bars carry names as well.

    Args:
        jobs: all jobs of the charts, in the order in which they get colours.
        charts: intervals of each chart, as for `gantt`; jobs of different charts keep their colours.
        sizes: GPUs of each server.
    """
    beside: dict[Any, set[Any]] = {job: set() for job in jobs}
    for chart in charts:
        for one, other in side_by_side(chart, sizes):
            beside[one].add(other)
    own = {job: at % len(_PALETTE) for at, job in enumerate(jobs)}
    chosen: dict[Any, int] = {}
    for job in sorted(jobs, key=lambda job: -len(beside[job])):
        taken = {chosen[other] for other in beside[job] if other in chosen}
        turned = ((own[job] + step) % len(_PALETTE) for step in range(len(_PALETTE)))
        chosen[job] = next(colour for colour in chain(turned, count(len(_PALETTE))) if colour not in taken)
    return {job: _shade(chosen[job]) for job in jobs}


def _shade(number: int) -> tuple[float, float, float]:
    """Colours of the palette, then darker ones."""
    red, green, blue = _PALETTE[number % len(_PALETTE)]
    dim = _DARKER ** (number // len(_PALETTE))
    return red * dim, green * dim, blue * dim
