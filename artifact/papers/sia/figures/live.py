"""A few jobs of Sia's evaluation, for a reader who moves controls: completion times, and GPUs in use over time."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from artifact.papers.sia.figures.hybrid import GPU_TYPES
from artifact.plot.published import draw_published, published_key
from rarlib.plot.style import log_axis, look

_COLOURS = {kind: colour for kind, (_, colour, _) in GPU_TYPES.items()} | {"t4": "#ddcc77", "quad": "#88ccee"}
_OTHER = "#bbbbbb"


def completion_curves(jobs: pd.DataFrame, held: pd.DataFrame, printed: Mapping[str, float]) -> Figure:
    """Left: jobs done within some time after submission, by scheduler. Then: GPUs in use over time, by scheduler.

    Args:
        jobs: a row per job and scheduler with `scheduler`, `jct` (h) and `restarts`.
        held: a row per change with `scheduler`, `type`, `time` (h) and `gpus` in use from then on.
        printed: scheduler -> published average completion time (h), if there is one.
    """
    names = list(dict.fromkeys(jobs["scheduler"]))
    figure, axes = plt.subplots(1, 1 + len(names), figsize=(11, 3.3), width_ratios=[1.5, *[1] * len(names)])
    for name in names:
        own, style = jobs[jobs["scheduler"] == name], look(name)
        said = f"{style.label}: {own['jct'].mean():.2f} h, {own['restarts'].mean():.1f} restarts"
        sns.ecdfplot(own, x="jct", stat="percent", color=style.colour, label=said, ax=axes[0])
        draw_published(axes[0], printed.get(name, np.nan), 0, style.colour, clip_on=False, zorder=5)
    axes[0].set(xlabel="completion time (h, logarithmic)", ylabel="jobs (%)", ylim=(0, 101))
    log_axis(axes[0])
    handles, _ = axes[0].get_legend_handles_labels()
    handles += [published_key("published average")] if printed else []
    axes[0].legend(handles=handles, loc="lower right", fontsize=8, title_fontsize=8, title="average, per job")
    top, end = held.groupby(["scheduler", "time"])["gpus"].sum().max(), held["time"].max()
    for ax, name in zip(axes[1:], names, strict=True):
        _in_use(ax, held[held["scheduler"] == name])
        ax.set(xlabel="time (h)", xlim=(0, end), ylim=(0, 1.05 * top), title=look(name).label)
    axes[1].set_ylabel("GPUs in use")
    axes[1].legend(loc="upper right")
    return figure


def _in_use(ax: Axes, held: pd.DataFrame) -> None:
    """Stacked by type."""
    wide = held.pivot_table(index="time", columns="type", values="gpus")
    colours = [_COLOURS.get(str(kind), _OTHER) for kind in wide]
    ax.stackplot(wide.index, wide.to_numpy().T, step="post", labels=wide.columns, colors=colours, lw=0)
