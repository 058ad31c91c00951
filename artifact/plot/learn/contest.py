"""Schedulers on the same random instances: a thin line per instance, with the means on top."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from rarlib.plot.style import GRID, INK, MUTED, look


def contest(rows: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A panel per metric, a column per scheduler; the bars are means over instances.

    `rows`: columns scheduler, seed, metric, value; all schedulers on the same seeds. `labels`: scheduler -> label, from
    left to right.
    """
    metrics = rows["metric"].unique()
    figure, axes = plt.subplots(1, len(metrics), figsize=(4.8 * len(metrics), 3.6), squeeze=False)
    for ax, metric in zip(axes[0], metrics, strict=True):
        table = rows[rows["metric"] == metric].pivot(index="seed", columns="scheduler", values="value")[list(labels)]
        ax.plot(range(len(labels)), table.to_numpy().T, color=GRID, lw=0.8, zorder=1)
        for at, scheduler in enumerate(labels):
            values = table[scheduler]
            style = look(scheduler)
            ax.plot([at] * len(values), values, ls="", marker=style.marker, ms=4, color=style.colour, alpha=0.55)
            mean = float(values.mean())
            ax.plot([at - 0.22, at + 0.22], [mean, mean], color=INK, lw=2.2)
            ax.annotate(f"{mean:.1f}", (at + 0.24, mean), (2, 0), textcoords="offset points", va="center", color=INK)
        ax.set_xticks(range(len(labels)), list(labels.values()))
        ax.set(title=metric, ylim=(0, None), xlim=(-0.5, len(labels) - 0.3))
        ax.grid(axis="x", visible=False)
    return figure


def trade_off(rows: pd.DataFrame, metrics: Mapping[str, str]) -> Figure:
    """Choices as points in the plane of two metrics, joined in order; bars are standard errors of the means.

    `rows`: columns choice, seed, and the two metrics; `metrics`: the two columns, horizontal first -> axis label.
    """
    figure, ax = plt.subplots(figsize=(6.0, 3.8))
    groups = rows.groupby("choice", sort=False)[list(metrics)]
    means, errors = groups.mean(), groups.sem()
    (x, xlabel), (y, ylabel) = metrics.items()
    ax.errorbar(means[x], means[y], xerr=errors[x], yerr=errors[y], color=MUTED, marker="o", mfc=INK, mec=INK, lw=1.2)
    for choice, point in means.iterrows():
        ax.annotate(str(choice), (point[x], point[y]), (7, 7), textcoords="offset points", color=INK)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, None), ylim=(0, None))
    ax.margins(x=0.12, y=0.12)
    return figure
