"""Pipelines at a glance: order of the passes, idle time, and where a model is cut."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from artifact.plot.learn.lines import named_lines
from rarlib.plot.style import INK, MUTED, TAG
from rarlib.plot.timeline import draw_operations, workers

STAGES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#5c6b73")
"""Colours of stages, used in turn."""


def schedule_lanes(schedules: Mapping[str, pd.DataFrame], *, until_s: float) -> Figure:
    """Schedules below each other on the same axis, a lane per worker.

    `schedules`: title -> operations of a pipeline (stage, replica, minibatch, kind, start_s, end_s); `until_s`: end of
    the time axis.
    """
    heights = [0.27 * len(workers(operations)) + 0.45 for operations in schedules.values()]
    size = (9.5, sum(heights) + 0.5)
    figure, axes = plt.subplots(len(schedules), 1, figsize=size, sharex=True, squeeze=False, height_ratios=heights)
    for ax, (title, operations) in zip(axes[:, 0], schedules.items(), strict=True):
        draw_operations(ax, operations, until_s)
        done = operations[(operations["stage"] == 0) & (operations["kind"] == "backward")]
        ax.set_title(f"{title}  ({(done['end_s'] <= until_s).sum()} minibatches done)")
    axes[-1, 0].set(xlabel="time (s)", xlim=(0, until_s))
    return figure


def idle_shares(rows: pd.DataFrame) -> Figure:
    """Share of the workers' time spent idle, over the number of stages.

    `rows`: columns line, stages, idle (0 to 1).
    """
    figure, ax = plt.subplots(figsize=(6.4, 3.3))
    named_lines(ax, rows.assign(idle=100 * rows["idle"]), "stages", "idle")
    ax.set(xlabel="stages", ylabel="time idle (%)", ylim=(-3, 100))
    return figure


def draw_cuts(plans: Mapping[str, pd.DataFrame]) -> Figure:
    """Where plans cut the same model: each layer's share of time and weights, coloured by stage.

    `plans`: title -> layers in order, columns layer, compute_s, parameter_bytes, stage.
    """
    figure, axes = plt.subplots(len(plans), 1, figsize=(9.5, 1.55 * len(plans) + 0.4), squeeze=False, sharex=True)
    for ax, (title, rows) in zip(axes[:, 0], plans.items(), strict=True):
        for lane, column in enumerate(("compute_s", "parameter_bytes")):
            share = 100 * rows[column] / rows[column].sum()
            lefts = share.cumsum() - share
            colours = [STAGES[stage % len(STAGES)] for stage in rows["stage"]]
            ax.barh(lane, share, left=lefts, height=0.7, color=colours, edgecolor="white", lw=0.6)
            for stage, part in share.groupby(rows["stage"]):
                if part.sum() > 6:
                    middle = float(lefts[part.index[0]] + part.sum() / 2)
                    text = f"stage {stage}: {part.sum():.0f} %"
                    ax.text(middle, lane, text, ha="center", va="center", fontsize=8.5, color=INK, bbox=TAG)
        ax.set_yticks([0, 1], ["time", "weights"])
        ax.set(title=title, ylim=(1.5, -0.5), xlim=(0, 100))
        ax.tick_params(axis="y", length=0, labelcolor=MUTED)
        ax.grid(axis="y", visible=False)
    axes[-1, 0].set_xlabel("share of the model, first layer left (%)")
    return figure
