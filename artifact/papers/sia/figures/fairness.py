"""Finish-time fairness of Sia (SOSP 2023): distributions of rho, the JCT over the JCT on a fair share."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.papers.sia.figures.comparison import POLICY_ORDER
from artifact.plot.published import draw_published, published_value
from rarlib.plot.frames import in_order, pick
from rarlib.plot.style import INK, MUTED, look, note

_STROKES = ("-", ":")


def distributions(frame: pd.DataFrame, published: pd.DataFrame, readings: Mapping[str, str]) -> Figure:
    """Cumulative distribution of rho on a logarithmic axis, and its upper end at a larger scale.

    `readings`: reading -> label, at most two; the first is drawn solid.
    """
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.3), sharex=True)
    for name in in_order(frame, POLICY_ORDER):
        style = look(name)
        for reading, stroke in zip(readings, _STROKES, strict=False):
            rho = pick(frame, metric="rho", scheduler=name, reading=reading)
            for ax in axes if len(rho) else ():
                sns.ecdfplot(rho, x="value", stat="percent", color=style.colour, ls=stroke, lw=1.7, ax=ax)
        worst = published_value(published, "sia", "fairness text", style.label.removesuffix("-style"), "worst rho")
        draw_published(axes[1], worst, 100.0, style.colour, clip_on=False, zorder=5)
    for ax in axes:
        ax.axvline(1, color=INK, lw=0.9, ls=(0, (4, 2)))
        ax.set(xlabel="ρ: completion time over that on a fair share (logarithmic)", ylabel="jobs (%)", xscale="log")
        ax.xaxis.set_major_formatter("{x:g}")
    axes[0].set_ylim(0, 100)
    axes[1].set_ylim(70, 100)
    note(axes[0], "right of the dashed line: worse than fair")
    note(axes[1], "diamonds: published worst case")
    handles = [
        Line2D([], [], color=look(name).colour, label=look(name).label) for name in in_order(frame, POLICY_ORDER)
    ]
    strokes = zip(readings.values(), _STROKES, strict=False)
    handles += [Line2D([], [], color=MUTED, ls=stroke, label=label) for label, stroke in strokes]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def rho_summary(frame: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Worst rho and percentage of jobs above 1 by scheduler, in every reading and as published."""
    names = {"worst_rho_pooled": "worst rho", "unfair_share_pooled": "unfair share"}
    rows = {}
    for policy in in_order(frame, POLICY_ORDER):
        label, own = look(policy).label, pick(frame, scheduler=policy)
        said = own[own["metric"].isin(list(names))]
        rows[label] = {(names[str(row.metric)], row.reading): row.value for row in said.itertuples()} | {
            (printed, "published"): published_value(
                published, "sia", "fairness text", label.removesuffix("-style"), printed
            )
            for printed in names.values()
        }
    return pd.DataFrame.from_dict(rows, orient="index").sort_index(axis=1, level=0, sort_remaining=False)
