"""The timelines of schedules, and how fast they are."""

import pandas as pd
from matplotlib.figure import Figure

from rarlib.plot import timeline

_TITLES = {
    "1f1b": "1F1B",
    "1f1b-full": "1F1B, longer warm-up",
    "gpipe": "GPipe",
    "model-parallel": "no pipelining",
}

_DRAWN = ("1f1b", "gpipe", "model-parallel")


def pass_by_pass(rows: pd.DataFrame, setup: str) -> Figure:
    """The schedules of one model below each other, over the first half of the run."""
    own = rows[rows["setup"] == setup]
    titles = {name: title for name, title in _TITLES.items() if name in _DRAWN and (own["scheduler"] == name).any()}
    panels = timeline.schedule_panels(own, titles)
    return timeline.timelines([panels], [0.5 * panels[0].operations["end_s"].max()])


def paces(rows: pd.DataFrame) -> pd.DataFrame:
    """Seconds per minibatch and idle share by set-up and schedule, and the pace relative to the fastest one."""
    summary = rows[rows["reading"] == "summary"].pivot(index=["setup", "scheduler"], columns="metric", values="value")
    slowdown = summary["period_s"] / summary["period_s"].groupby("setup").transform("min")
    return summary.assign(slowdown=slowdown).reindex(list(_TITLES), level="scheduler")
