"""A pipeline-parallel job under Sia (SOSP 2023): its throughput over the number of GPUs, and its GPUs over time."""

import pandas as pd
from matplotlib.axes import Axes

from rarlib.plot.frames import pick
from rarlib.plot.style import MUTED, note

GPU_TYPES = {"a100": ("A100", "#cc6677", "o"), "rtx": ("RTX 2080 Ti", "#4477aa", "s")}
"""GPU type -> label, colour, marker."""


def hybrid_scaling(left: Axes, right: Axes, frame: pd.DataFrame) -> None:
    """Left: samples per second over the number of GPUs, beside ideal growth. Right: GPUs held over time, by type."""
    for kind, (label, colour, marker) in GPU_TYPES.items():
        speed = _series(pick(frame, setup=kind, metric="throughput"))
        left.plot(speed.index, speed, marker, ms=4, color=colour, label=label)
        left.plot([0, speed.index[-1]], [0, speed.iloc[0] / speed.index[0] * speed.index[-1]], color=colour, lw=0.9)
        _held(right, _series(pick(frame, setup="over-time", metric=f"gpus_{kind}")), label, colour)
    left.set(xlabel="GPUs", ylabel="samples per second", xlim=(0, None), ylim=(0, None))
    left.set_title("A job of many pipelines: throughput", pad=19)
    note(left, "lines: one pipeline's throughput times their number")
    right.set_title("GPUs that Sia gives it", pad=19)
    right.set(xlabel="time since submission (h)", ylabel="GPUs held", xlim=(0, None), ylim=(0, None))
    left.legend()
    right.legend()


def _series(rows: pd.DataFrame) -> "pd.Series[float]":
    return pd.Series(rows["value"].to_numpy(), rows["x"].astype(float).to_numpy(), dtype=float).sort_index()


def _held(ax: Axes, gpus: "pd.Series[float]", label: str, colour: str) -> None:
    ax.step(gpus.index, gpus, where="post", color=colour, label=label)
    ax.fill_between(gpus.index, gpus, step="post", color=colour, alpha=0.2, lw=0)
    ax.axhline(0, color=MUTED, lw=0.5)
