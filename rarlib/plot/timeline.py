"""Timelines of pipelines: which worker runs which minibatch at what time, with the memory in use underneath.

A forward pass is a light plain bar, a backward pass a dark hatched bar of the same hue; the number is the minibatch.
Transfers are thin lines from sender to receiver, gradient exchanges black strips below their stage.
"""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from rarlib.plot.style import GRID, INK, MUTED

HUES = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d31", "#5c6b73")
"""Colours of minibatches, used in turn."""

_HALF = 0.4


class Phase(NamedTuple):
    """A named phase of a schedule.

    Attributes:
        label: text above the phase.
        end_s: end of the phase, which begins where the previous one ends.
    """

    label: str
    end_s: float


class _Operation(NamedTuple):
    """A row of the operations."""

    stage: int
    replica: int
    minibatch: int
    kind: str
    start_s: float
    end_s: float


def _rows(operations: pd.DataFrame, *kinds: str) -> list[_Operation]:
    chosen = operations.loc[operations["kind"].isin(kinds), list(_Operation._fields)]
    return [_Operation(*row) for row in chosen.itertuples(index=False, name=None)]


def start_up(operations: pd.DataFrame) -> list[Phase]:
    """Phases of 1F1B: start-up ends with the input stage's first backward pass, drain begins after its last forward."""
    entry = operations[operations["stage"] == 0]
    full = float(entry.loc[entry["kind"] == "backward", "start_s"].min())
    last = float(entry.loc[entry["kind"] == "forward", "end_s"].max())
    phases = [Phase("start-up", full), Phase("steady state", last)] if last > full else [Phase("start-up", full)]
    return [*phases, Phase("drain", float(operations["end_s"].max()))]


class Panel(NamedTuple):
    """A schedule to draw.

    Attributes:
        title: title of the panel.
        operations: rows of `PipelineRun.operations`.
        memory: rows of `PipelineRun.memory`.
        phases: phases to label.
    """

    title: str
    operations: pd.DataFrame
    memory: pd.DataFrame
    phases: Sequence[Phase] = ()


def timelines(columns: Sequence[Sequence[Panel]], until_s: Sequence[float]) -> Figure:
    """A column per pipeline with its schedules below each other on the same time axis.

    Args:
        columns: schedules of each pipeline; the same number for all of them.
        until_s: end of the time axis of each pipeline.
    """
    count, wide = len(columns[0]), len(columns)
    lanes = [max(len(workers(column[at].operations)) for column in columns) for at in range(count)]
    heights = [height for lane in lanes for height in (0.26 * lane + 0.2, 0.9)]
    size = (11 if wide == 1 else 7.5 * wide, sum(heights) + 0.5 * len(heights) + 0.6)
    figure, axes = plt.subplots(2 * count, wide, figsize=size, sharex="col", height_ratios=heights, squeeze=False)
    for ax_column, column, until in zip(axes.T, columns, until_s, strict=True):
        for upper, lower, panel in zip(ax_column[::2], ax_column[1::2], column, strict=True):
            draw_operations(upper, panel.operations, until)
            draw_phases(upper, panel.phases, until)
            upper.set_title(panel.title, pad=18)
            draw_memory(lower, panel.memory, until)
        ax_column[-1].set(xlabel="time (s)", xlim=(0, until))
        highest = max(ax.get_ylim()[1] for ax in ax_column[1::2])
        for ax in ax_column[1::2]:
            ax.set_ylim(0, highest)
    shown = pd.concat([panel.operations for column in columns for panel in column])
    figure.legend(handles=_legend(shown), loc="outside lower center", ncols=5)
    return figure


def workers(operations: pd.DataFrame) -> list[tuple[int, int]]:
    """Stage and replica of all workers, in order."""
    compute = operations[operations["replica"] >= 0]
    return sorted({(int(s), int(r)) for s, r in zip(compute["stage"], compute["replica"], strict=True)})


def draw_operations(ax: Axes, operations: pd.DataFrame, until_s: float) -> None:
    """Bars of one schedule, a lane per worker."""
    lane = {worker: at for at, worker in enumerate(workers(operations))}
    replicas = pd.Series([stage for stage, _ in lane]).value_counts()
    shown = operations[operations["start_s"] < until_s]
    for op in _rows(shown, "forward", "backward"):
        _bar(ax, lane[op.stage, op.replica], op, until_s)
    for op in _rows(shown, "activation", "gradient"):
        to = op.stage + (1 if op.kind == "activation" else -1)
        if op.end_s > op.start_s and op.end_s <= until_s:
            ends = lane[op.stage, op.replica], lane[to, op.minibatch % replicas[to]]
            ax.plot((op.start_s, op.end_s), ends, color=_hue(op.minibatch), lw=0.8, zorder=0.8)
    for op in _rows(shown, "sync"):
        below = max(at for (stage, _), at in lane.items() if stage == op.stage) + _HALF
        ax.add_patch(Rectangle((op.start_s, below), op.end_s - op.start_s, 0.12, color=INK, lw=0, zorder=3))
    names = [f"stage {s}" if replicas[s] == 1 else f"stage {s}, replica {r}" for s, r in lane]
    ax.set_yticks(range(len(lane)), names, fontsize=8.5 if len(lane) < 12 else 7)
    ax.set_ylim(len(lane) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)


def _bar(ax: Axes, lane: int, op: _Operation, until_s: float) -> None:
    hue, width = _hue(op.minibatch), op.end_s - op.start_s
    back = op.kind == "backward"
    bar = Rectangle((op.start_s, lane - _HALF), width, 2 * _HALF, facecolor=hue if back else _tint(hue), lw=0.6)
    bar.set(edgecolor="white", hatch="///" if back else None, hatch_linewidth=0.5)
    ax.add_patch(bar)
    if width > 0.013 * len(str(op.minibatch)) * until_s and op.start_s + width / 2 < until_s:
        box = {"boxstyle": "round,pad=0.15", "facecolor": hue if back else _tint(hue), "edgecolor": "none"}
        ax.text(
            op.start_s + width / 2,
            lane,
            str(op.minibatch),
            ha="center",
            va="center",
            fontsize=7,
            color="white" if back else INK,
            bbox=box,
            clip_on=True,
        )


def _hue(minibatch: int) -> str:
    return HUES[minibatch % len(HUES)]


def _tint(hue: str) -> tuple[float, float, float]:
    red, green, blue = (1.0 - 0.42 * (1.0 - part) for part in to_rgb(hue))
    return red, green, blue


def draw_phases(ax: Axes, phases: Sequence[Phase], until_s: float) -> None:
    """Names of the phases above the lanes, with dotted lines between the phases."""
    begin = 0.0
    for phase in phases:
        end = min(phase.end_s, until_s)
        if end <= begin:
            break
        if phase.end_s < until_s:
            ax.axvline(end, color=INK, lw=0.9, ls=":", zorder=4)
        if end - begin > 0.05 * until_s:
            ax.annotate(
                phase.label,
                ((begin + end) / 2, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=8.5,
                color=MUTED,
            )
        begin = end


def draw_memory(ax: Axes, memory: pd.DataFrame, until_s: float) -> None:
    """Memory of the first replica of each stage: bytes, or minibatches in flight where sizes are not known."""
    known = bool((memory["bytes"] > 0).any())
    stages = sorted(memory["stage"].unique())
    colours = colormaps["viridis"](np.linspace(0.0, 0.85, len(stages)))
    for stage, colour in zip(stages, colours, strict=True):
        own = memory[(memory["stage"] == stage) & (memory["replica"] == 0)].drop_duplicates("time_s", keep="last")
        kept = own["bytes"] / 1e9 if known else own["in_flight"]
        ax.step([0.0, *own["time_s"]], [float(kept.iloc[0]), *kept], where="post", color=colour, lw=1.3)
    ax.set_ylabel("memory (GB)" if known else "in flight")
    ax.set_ylim(bottom=0)
    ax.grid(color=GRID)
    shown = [stages[0], stages[-1]] if len(stages) > 6 else stages
    handles = [Line2D([], [], color=colours[stages.index(s)], label=f"stage {s}") for s in shown]
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7.5, handlelength=1.2)


def _legend(operations: pd.DataFrame) -> list[Patch | Line2D]:
    hue = HUES[0]
    handles: list[Patch | Line2D] = [
        Patch(facecolor=_tint(hue), edgecolor="white", label="forward pass of a minibatch"),
        Patch(facecolor=hue, edgecolor="white", hatch="///", hatch_linewidth=0.5, label="backward pass"),
    ]
    if any(op.end_s > op.start_s for op in _rows(operations, "activation", "gradient")):
        handles.append(Line2D([], [], color=hue, lw=0.9, label="transfer"))
    if (operations["kind"] == "sync").any():
        handles.append(Line2D([], [], color=INK, lw=3, label="exchange of gradients"))
    return handles
