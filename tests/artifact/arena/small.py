"""Small frames of the arena whose standings can be seen by eye."""

import pandas as pd

from rarlib.records.tidy import TIDY_COLUMNS

BASE = "three-types/k+0.3/profile/0.3/known"


def rows(values, setup="philly-pollux", reading=BASE, x="0.9", metric="mean_jct", unit="h"):
    """Tidy rows from scheduler -> values by window; None: that window was not run."""
    listed = [
        (name, seed, value)
        for name, given in values.items()
        for seed, value in enumerate(given, 1)
        if value is not None
    ]
    table = [("arena-runs", setup, reading, name, "load", x, seed, metric, value, unit) for name, seed, value in listed]
    return pd.DataFrame(table, columns=TIDY_COLUMNS)


def small_runs():
    """Sia is best, `mine` too near to tell apart, SRTF far behind; Pollux ran one window; SRTF is best on Saturn."""
    first = {"srtf": [2.0, 6.0], "sia": [1.0, 3.0], "mine": [1.05, 3.1], "pollux": [1.5]}
    return pd.concat([rows(first), rows({"srtf": [1.0, 1.0], "sia": [2.0, 2.0], "mine": [3.0, 3.0]}, "sia-saturn")])


def varied_runs():
    """Sia wins without contention, `mine` with it on the homogeneous cluster; on three types they are as good."""
    values = {
        BASE: {"sia": [1.0, 1.0], "mine": [2.0, 2.0]},
        "three-types/off/profile/0.3/known": {"sia": [1.0, 1.0], "mine": [1.05, 1.05]},
        "homogeneous/off/profile/0.3/known": {"sia": [1.0, 1.0], "mine": [2.0, 2.0]},
        "homogeneous/k+0.3/profile/0.3/known": {"sia": [2.0, 2.0], "mine": [1.0, 1.0]},
    }
    return pd.concat([rows(given, reading=reading) for reading, given in values.items()])
