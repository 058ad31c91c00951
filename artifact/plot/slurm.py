"""Starts of jobs in a Slurm and in the simulator, one panel per regime."""

import pandas as pd
from matplotlib.figure import Figure

from rarlib.plot.axes import key
from rarlib.plot.style import ALARM, GRID, INK, look

_SIDE = 3.4


def draw_starts(frame: pd.DataFrame) -> Figure:
    """A dot per job: its start in Slurm and in a run of our counterpart on the same jobs, and whether it was agreed.

    `frame`: columns regime, slurm_start_s, start_s, backfilled, agrees.
    """
    regimes = list(dict.fromkeys(frame["regime"]))
    figure = Figure(figsize=(_SIDE * len(regimes), _SIDE + 0.6), layout="constrained")
    blue, last = look("backfill").colour, float(frame[["slurm_start_s", "start_s"]].max().max())
    for ax, regime in zip(figure.subplots(1, len(regimes), squeeze=False)[0], regimes, strict=True):
        mine = frame[frame["regime"] == regime]
        ax.plot([0, last], [0, last], color=GRID, zorder=0)
        for backfilled, marker in ((False, "o"), (True, "^")):
            for agrees, colour in ((True, blue), (False, ALARM)):
                part = mine[(mine["backfilled"] == backfilled) & (mine["agrees"] == agrees)]
                ax.scatter(part["slurm_start_s"], part["start_s"], s=14, marker=marker, color=colour, alpha=0.6, lw=0)
        ax.set(title=f"{regime}\n{mine['agrees'].mean():.1%} of starts agree", xlabel="start in Slurm (s)")
        ax.set_aspect("equal")
    figure.axes[0].set_ylabel("start in the simulator (s)")
    keys = [
        key("started in order", "o", color=INK),
        key("backfilled by Slurm", "^", color=INK),
        key("simulator agrees in Slurm's place", "s", color=blue),
        key("does not agree", "s", color=ALARM),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=4, frameon=False)
    return figure
