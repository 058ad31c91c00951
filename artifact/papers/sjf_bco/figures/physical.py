"""Eq. 8 with real models and links, in one figure."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.plot.axes import plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.style import ALARM, INK, MUTED

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")


def shown_workers(frame: pd.DataFrame) -> int:
    """Ring size whose shares are shown: 16, or the middle one of the table if it has none of 16."""
    sizes = sorted(frame["x"].astype(int).unique())
    return 16 if 16 in sizes else int(sizes[len(sizes) // 2])


def eq8_panels(frame: pd.DataFrame, limit: float) -> Figure:
    """Iteration time over ring size, and share of communication over the number of sharing jobs.

    `limit`: stated limit of the share of contention and overhead.
    """
    models, links = list(frame["setup"].unique()), list(frame["reading"].unique())
    metrics = [m for m in frame["metric"].unique() if m.startswith("iteration:")]
    sharers = [int(metric.split(":")[1]) for metric in metrics]
    workers = shown_workers(frame)
    size: dict[str, Any] = {"figsize": (10.5, 6.2), "sharey": "row", "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(2, len(links), **size)
    for column, link in enumerate(links):
        top, bottom = axes[0][column], axes[1][column]
        for model, colour in zip(models, _COLOURS, strict=False):
            rows = pick(frame, setup=model, reading=link)
            for metric, dash in ((metrics[0], "-"), (metrics[-1], "--")):
                curve = pick(rows, metric=metric).sort_values("x")
                top.plot(curve["x"], curve["value"], dash, marker="o", ms=3.5, color=colour)
            lost = [float(pick(rows, metric=f"lost:{p}", x=workers)["value"].iloc[0]) for p in sharers]
            bottom.plot(sharers, [100 * share for share in lost], marker="o", ms=3.5, color=colour)
        bottom.axhline(100 * limit, color=ALARM, lw=1.0, ls=":")
        top.set(title=link, xlabel="workers in the ring", xscale="log", yscale="log")
        bottom.set(xlabel=f"jobs on the link, {workers} workers", xscale="log", ylim=(0, 100))
        plain_ticks(top.xaxis, sorted(frame["x"].astype(int).unique()))
        plain_ticks(bottom.xaxis, sharers)
    axes[0][0].set_ylabel("iteration (s, logarithmic)")
    axes[1][0].set_ylabel("communication and overhead\n(% of the iteration)")
    plain_ticks(axes[0][0].yaxis, (0.1, 0.3, 1, 3, 10, 30, 100))
    handles = [Line2D([], [], color=colour, label=model) for model, colour in zip(models, _COLOURS, strict=False)]
    handles += [
        Line2D([], [], color=INK, ls="-", label=f"{sharers[0]} job{'s' * (sharers[0] > 1)} on the link"),
        Line2D([], [], color=MUTED, ls="--", label=f"{sharers[-1]} jobs on the link"),
        Line2D([], [], color=ALARM, ls=":", label=f"stated limit, {100 * limit:.0f} %"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def lost_percent(frame: pd.DataFrame) -> pd.DataFrame:
    """Communication and overhead in percent of the iteration, by model, link and jobs on it, for `shown_workers`."""
    lost = frame[frame["metric"].str.startswith("lost:") & (frame["x"] == shown_workers(frame))]
    wide = lost.pivot_table(index="setup", columns=["reading", "metric"], values="value", sort=False)
    return wide.mul(100).round(0)
