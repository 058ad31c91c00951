"""Who works on which minibatch when: workers over time, and what they keep underneath.

A forward pass is a light plain bar, a backward pass a dark hatched one of the same hue; the number is the minibatch.
Transfers are thin lines from sender to receiver, exchanges of gradients black strips below their stage.
"""

from collections.abc import Mapping, Sequence
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

from rarlib.figures.style import GRID, INK, MUTED

HUES = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d31", "#5c6b73")
"""Colours of minibatches, in turn."""

_HALF = 0.4


class Phase(NamedTuple):
    """A named stretch of a schedule.

    Attributes:
        label: written above it.
        end_s: where it ends; it begins where the one before ends.
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
    """Start-up until the input stage runs its first backward pass, drain after its last forward pass."""
    entry = operations[operations["stage"] == 0]
    full = float(entry.loc[entry["kind"] == "backward", "start_s"].min())
    last = float(entry.loc[entry["kind"] == "forward", "end_s"].max())
    phases = [Phase("start-up", full), Phase("steady state", last)] if last > full else [Phase("start-up", full)]
    return [*phases, Phase("drain", float(operations["end_s"].max()))]


def flushes(operations: pd.DataFrame) -> list[Phase]:
    """One phase for each set of minibatches that run on the same weights."""
    back = operations[(operations["stage"] == 0) & (operations["kind"] == "backward")]
    ends = back.groupby("version")["end_s"].max().sort_index()
    return [Phase(f"flush {count}", float(end)) for count, end in enumerate(ends, start=1)]


def timelines(
    operations: Mapping[str, pd.DataFrame],
    memory: Mapping[str, pd.DataFrame],
    phases: Mapping[str, Sequence[Phase]],
    until_s: float,
) -> Figure:
    """Schedules of the same pipeline below each other on one axis of time.

    Args:
        operations: title -> rows of `PipelineRun.operations`.
        memory: title -> rows of `PipelineRun.memory`; a schedule that is missing here has no panel underneath.
        phases: title -> stretches to name; may be missing.
        until_s: where to cut.
    """
    rows = [(title, kept) for title in operations for kept in (False, True) if not kept or title in memory]
    lanes = {title: len(workers(frame)) for title, frame in operations.items()}
    heights = [1.1 if kept else 0.26 * lanes[title] + 0.2 for title, kept in rows]
    figure, axes = plt.subplots(
        len(rows),
        1,
        figsize=(11, sum(heights) + 0.5 * len(rows) + 0.6),
        sharex=True,
        height_ratios=heights,
        squeeze=False,
    )
    for ax, (title, kept) in zip(axes[:, 0], rows, strict=True):
        if kept:
            draw_memory(ax, memory[title], until_s)
        else:
            draw_operations(ax, operations[title], until_s)
            draw_phases(ax, phases.get(title, []), until_s)
            ax.set_title(title, pad=18)
    axes[-1, 0].set(xlabel="time (s)", xlim=(0, until_s))
    figure.legend(handles=_legend(operations), loc="outside lower center", ncols=5)
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
    if width > 0.012 * until_s and op.start_s + width / 2 < until_s:
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
    """Names of stretches above the lanes, dotted lines between them."""
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
    """What the first replica of each stage keeps: bytes, or minibatches in flight where sizes are not known."""
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


def _legend(operations: Mapping[str, pd.DataFrame]) -> list[Patch | Line2D]:
    kinds = {kind for frame in operations.values() for kind in frame["kind"].unique()}
    moved = any(op.end_s > op.start_s for frame in operations.values() for op in _rows(frame, "activation", "gradient"))
    hue = HUES[0]
    handles: list[Patch | Line2D] = [
        Patch(facecolor=_tint(hue), edgecolor="white", label="forward pass of a minibatch"),
        Patch(facecolor=hue, edgecolor="white", hatch="///", hatch_linewidth=0.5, label="backward pass"),
    ]
    if moved:
        handles.append(Line2D([], [], color=hue, lw=0.9, label="transfer"))
    if "sync" in kinds:
        handles.append(Line2D([], [], color=INK, lw=3, label="exchange of gradients"))
    return handles
