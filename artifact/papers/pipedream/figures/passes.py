"""The timelines of all schedules, and how fast they are."""

import pandas as pd
from matplotlib.figure import Figure

from rarlib.plot import timeline

_TITLES = {
    "1f1b": "1F1B",
    "1f1b-full": "1F1B, longer warm-up",
    "gpipe": "GPipe",
    "model-parallel": "no pipelining",
}


def all_schedules(rows: pd.DataFrame) -> Figure:
    """A column per model with its schedules below each other, over the first half of the run."""
    titles = {name: title for name, title in _TITLES.items() if (rows["scheduler"] == name).any()}
    columns = [timeline.schedule_panels(own, titles) for _, own in rows.groupby("setup", sort=False)]
    return timeline.timelines(columns, [0.5 * column[0].operations["end_s"].max() for column in columns])


def paces(rows: pd.DataFrame) -> pd.DataFrame:
    """Seconds per minibatch and idle share by set-up and schedule, and the pace relative to the fastest one."""
    summary = rows[rows["reading"] == "summary"].pivot(index=["setup", "scheduler"], columns="metric", values="value")
    slowdown = summary["period_s"] / summary["period_s"].groupby("setup").transform("min")
    return summary.assign(slowdown=slowdown).reindex(list(_TITLES), level="scheduler")
