"""Jobs that share a link: their progress, and whether waiting for a whole server would have paid off."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from artifact.plot.learn.lines import name_end
from rarlib.plot.style import ALARM, GRID, INK, MUTED

_WAITING = "#0072b2"


def progress(
    ax: Axes, rows: pd.DataFrame, colours: Mapping[Any, Any], *, together: Sequence[float] = (), until_s: float
) -> None:
    """Iterations done over time, a line per job from its start to its end.

    `rows`: columns job_id, time_s, done. `together`: start and end of an interval in which links are shared; it is
    shaded. `until_s`: right end of the axis.
    """
    if together:
        ax.axvspan(*together, color=GRID, alpha=0.7, lw=0, zorder=0)
        middle = (sum(together) / 2, 1.0)
        ax.annotate("shared link", middle, xycoords=("data", "axes fraction"), ha="center", va="bottom", color=MUTED)
    for row, (job, own) in enumerate(rows.groupby("job_id", sort=False)):
        times, done = own["time_s"].tolist(), own["done"].tolist()
        ax.plot(times, done, color=INK, lw=3.4, solid_capstyle="round")
        ax.plot(times, done, color=colours[job], lw=2.2, solid_capstyle="round")
        above = (0, 3 + 12 * row)  # labels of ends close to each other would overlap
        ax.annotate(f"{job}: {times[-1]:.0f} s", (times[-1], done[-1]), above, textcoords="offset points", ha="center")
    ax.set(xlim=(0, until_s), ylim=(0, 1.28 * float(rows["done"].max())), xlabel="time (s)", ylabel="iterations done")


def wait_or_spread(ax: Axes, rows: pd.DataFrame, *, waiting: str, spreading: str, xlabel: str) -> None:
    """Completion time under both choices; the range of x in which waiting pays off is shaded.

    `rows`: columns x, choice, value (s); the same `x` for both choices. `waiting`: the choice whose time grows with
    `x`. `spreading`: the other choice.
    """
    for choice, colour in ((waiting, _WAITING), (spreading, ALARM)):
        own = rows[rows["choice"] == choice].sort_values("x")
        ax.plot(own["x"], own["value"], color=colour, marker="o", ms=3)
        name_end(ax, own["x"], own["value"], choice, colour)
    table = rows.pivot(index="x", columns="choice", values="value").sort_index()
    gain = (table[spreading] - table[waiting]).to_numpy()
    if (gain[:-1] > 0).any() and gain[-1] < 0:
        # Gains fall along x, but np.interp needs ascending values.
        even = float(np.interp(0.0, gain[::-1], table.index.to_numpy(float)[::-1]))
        ax.axvspan(float(table.index[0]), even, color=_WAITING, alpha=0.08, lw=0)
    ax.set(xlabel=xlabel, ylabel="completion time (s)", ylim=(0, 1.1 * float(rows["value"].max())))
