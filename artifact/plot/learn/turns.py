"""Jobs that compute and send by turns: who does what when, and how long iterations take."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from artifact.plot.learn.lines import named_lines
from rarlib.plot.style import INK, MUTED

COMPUTING = "#d9d9d9"
"""Colour of computing, in every lane."""


def lanes(ax: Axes, rows: pd.DataFrame, colours: Mapping[Any, Any], *, until_s: float) -> None:
    """A lane for each job: grey while it computes, its own colour while it sends.

    `rows`: columns job, iteration, begin_s, sends_s (when it begins to send), end_s; `until_s`: right end of the axis.
    """
    jobs = rows["job"].unique().tolist()
    for lane, job in enumerate(jobs):
        own = rows[rows["job"] == job]
        computing = list(zip(own["begin_s"], own["sends_s"] - own["begin_s"], strict=True))
        sending = list(zip(own["sends_s"], own["end_s"] - own["sends_s"], strict=True))
        ax.broken_barh(computing, (lane - 0.36, 0.72), facecolors=COMPUTING, edgecolor="white", lw=0.6)
        ax.broken_barh(sending, (lane - 0.36, 0.72), facecolors=colours[job], edgecolor="white", lw=0.6)
    ax.set(xlim=(0, until_s), ylim=(len(jobs) - 0.5, -0.5), xlabel="time (s)")
    ax.set_yticks(range(len(jobs)), [f"job {job}" for job in jobs])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")


def lane_legend(ax: Axes, colours: Mapping[Any, Any]) -> None:
    """What the colours of `lanes` mean, below the axes."""
    handles = [Patch(facecolor=COMPUTING, label="computes")]
    handles += [Patch(facecolor=colour, label=f"{job} sends") for job, colour in colours.items()]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.32), ncols=len(handles), frameon=False)


def against_shift(ax: Axes, rows: pd.DataFrame, *, alone_s: float, chosen_s: float | None = None) -> None:
    """Iteration time against the shift between two jobs.

    `rows`: columns x (shift, s), value (s); `alone_s`: iteration time of a job alone, drawn as a line; `chosen_s`: the
    shift that is marked.
    """
    ax.axhline(alone_s, color=MUTED, lw=1.0, ls="--")
    ax.annotate("alone", (float(rows["x"].max()), alone_s), (0, -4), textcoords="offset points", ha="right", va="top")
    ax.plot(rows["x"], rows["value"], color=INK)
    if chosen_s is not None:
        nearest = rows.iloc[(rows["x"] - chosen_s).abs().argmin()]
        ax.plot(nearest["x"], nearest["value"], marker="o", ms=8, color="#0072b2")
    ax.set(
        xlabel="B starts so much later (s)", ylabel="iteration (s)", ylim=(0.9 * alone_s, 1.08 * rows["value"].max())
    )


def iteration_times(ax: Axes, rows: pd.DataFrame, *, alone_s: float, title: str, last: str = "") -> None:
    """How long a job takes for each of its iterations.

    `rows`: columns line, iteration, value (s); `alone_s`: iteration time of the job alone, drawn as a line; `last`:
    what is written at the ends of lines that all end alike, instead of their names.
    """
    ax.axhline(alone_s, color=MUTED, lw=1.0, ls="--")
    named_lines(ax, rows, "iteration", "value", last)
    ax.set(xlabel="iteration", ylabel="iteration of B (s)")
    ax.set_title(title)
