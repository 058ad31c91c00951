"""Schedulers side by side: completion times and queueing of the same jobs."""

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from rarlib.model.errors import InputError
from rarlib.model.limits import SECONDS
from rarlib.plot.frames import pick
from rarlib.plot.style import look

_METRICS = {"jct_mean_s": "mean JCT (s)", "jct_p99_s": "99th percentile of JCT (s)", "queue_mean_s": "mean queue (s)"}


def completion_times(frame: pd.DataFrame) -> Figure:
    """A row per scheduler, its means over seeds as marks.

    Args:
        frame: tidy rows as `rarlib.comparison.runs.compare` gives them.

    Raises:
        InputError: a scheduler without a value of one of the metrics, or with one that cannot be drawn.
    """
    names = list(dict.fromkeys(frame["scheduler"]))
    if not names:
        raise InputError("needs rows", field="scheduler")
    means = {metric: pick(frame, metric=metric).groupby("scheduler")["value"].mean() for metric in _METRICS}
    for metric, values in means.items():
        for name in names:
            if not 0.0 <= values.get(name, math.nan) <= SECONDS.most:
                raise InputError(f"needs a value of {metric} from 0 to {SECONDS.most:g} for {name!r}", field="value")
    figure, axes = plt.subplots(1, len(_METRICS), figsize=(7.5, 0.9 + 0.32 * len(names)), sharey=True)
    for ax, (metric, label) in zip(axes, _METRICS.items(), strict=True):
        values = means[metric]
        for place, name in enumerate(names):
            style = look(name)
            ax.plot(values[name], place, style.marker, color=style.colour, ms=8)
        ax.set(xlabel=label, ylim=(len(names) - 0.5, -0.5), xlim=(0, 1.1 * max(float(values.max()), 1.0)))
        ax.grid(axis="x", alpha=0.4)
    axes[0].set_yticks(range(len(names)), [look(name).label for name in names])
    return figure
