"""One instance of GADGET's evaluation beside the published points, for a reader who moves controls."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.papers.gadget.figures.evaluation import SERIES
from artifact.plot.published import draw_published, published_curve, published_key
from rarlib.plot.style import GRID, INK, MUTED, look


def utility_over_slots(runs: pd.DataFrame, ceiling: float, jobs: int, published: pd.DataFrame) -> Figure:
    """Total utility and share of the GPUs in use over the slots, a curve per policy, with the published totals.

    Args:
        runs: a row per policy and slot with `policy`, `slot`, `utility` and `gpus`.
        ceiling: the sum of lambda1.
        jobs: number of jobs; published totals of this number are drawn at the right end.
        published: the published numbers.
    """
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 3.6), width_ratios=[3, 2])
    end = int(runs["slot"].max())
    for name, rows in runs.groupby("policy", sort=False):
        style, line = look(str(name)), {"zorder": 3 if name == "gadget" else 2}
        text = f"{SERIES[str(name)]}: {rows['utility'].iloc[-1]:.0f}"
        axes[0].plot(rows["slot"], rows["utility"], color=style.colour, label=text, **line)
        axes[1].plot(rows["slot"], 100 * rows["gpus"], color=style.colour, **line)
        printed = published_curve(published, "gadget", "Fig. 4", SERIES.get(str(name), ""))
        if jobs in printed.index:
            draw_published(axes[0], end, printed[jobs], style.colour, clip_on=False)
    axes[0].axhline(ceiling, color=GRID, lw=7, zorder=1, label="the sum of λ1")
    axes[0].set(xlabel="slot", ylabel="total utility", title="One instance: total utility", ylim=(0, None))
    axes[1].set(xlabel="slot", ylabel="GPUs in use (%)", title="GPUs in use", ylim=(0, 102))
    handles = [*axes[0].get_legend_handles_labels()[0], published_key("published, at the end", MUTED)]
    figure.legend(handles=handles, loc="outside right upper", title="at the end")
    return figure


def embedded_over_slots(run: pd.DataFrame, published: pd.DataFrame, where: str, jobs: int, factor: str) -> Figure:
    """Share of the active jobs that have workers over the slots, its mean, and the published value if there is one.

    Args:
        run: a row per slot with `slot` and `embedded`.
        published: the published numbers.
        where: `Fig. 5` or `Fig. 6`.
        jobs: number of jobs.
        factor: as the published series write it.
    """
    figure, ax = plt.subplots(figsize=(7.5, 3.2))
    colour, mean = look("gadget").colour, 100 * float(run["embedded"].mean())
    ax.step(run["slot"], 100 * run["embedded"], where="mid", color=colour, lw=1, label="in each slot")
    ax.axhline(mean, color=colour, ls="--", label=f"mean: {mean:.1f} %")
    handles, _ = ax.get_legend_handles_labels()
    printed = published_curve(published, "gadget", where, f"factor={factor}")
    if jobs in printed.index:
        draw_published(ax, run["slot"].max(), printed[jobs], INK, clip_on=False)
        handles.append(published_key(f"published: {printed[jobs]:.1f} %"))
    ax.set(xlabel="slot", ylabel="embedded / active jobs (%)", ylim=(0, 102), title="One instance: embedded ratio")
    figure.legend(handles=handles, loc="outside right upper")
    return figure


def rounded(values: NDArray[np.float64], target: float, jobs: int, published: pd.DataFrame) -> Figure:
    """How often roundings of one slot reach which share of its optimum, and what those are worth that Alg. 2 accepts.

    Args:
        values: of the roundings, over the optimum.
        target: value at which Alg. 2 stops, over the optimum.
        jobs: that compete; the published ratio of this number is drawn on the upper edge.
        published: the published numbers.
    """
    figure, ax = plt.subplots(figsize=(7.5, 3.2))
    colour, accepted = look("gadget").colour, values >= target
    kept = float(values[accepted].mean()) if accepted.any() else float(values.max())
    bins = np.linspace(0, 1, 41).tolist()
    for part, shade, label in ((values[~accepted], GRID, "drawn again"), (values[accepted], colour, "accepted")):
        ax.hist(np.minimum(part, 1.0), bins, color=shade, alpha=0.8, label=f"{label}: {len(part)} of {len(values)}")
    ax.axvline(target, color=MUTED, ls=":", label=f"α of the linear program: {target:.2f}")
    ax.axvline(kept, color=INK, ls="--", label=f"mean value reached: {kept:.2f}")
    handles, _ = ax.get_legend_handles_labels()
    printed = published_curve(published, "gadget", "Fig. 7", "approximation ratio")
    if jobs in printed.index:
        draw_published(ax, printed[jobs], ax.get_ylim()[1], INK, clip_on=False)
        handles.append(published_key(f"published: {printed[jobs]:.2f}"))
    ax.set(xlabel="rounded value / optimum of the slot", ylabel="roundings", xlim=(0, 1.02), title="One slot, rounded")
    figure.legend(handles=handles, loc="outside right upper")
    return figure
