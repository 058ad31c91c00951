"""A tidy table in brief: mean, interval over seeds and number of seeds of each metric."""

import math
from functools import cache
from typing import NamedTuple

import pandas as pd
from scipy import stats

from artifact.ledger.settled import half_width

SUMMARY_GROUPS = ["setup", "reading", "scheduler", "x_name", "x"]
_LEVEL = 0.95
MANY = 12
"""A parameter with more values than this enumerates points of a curve, jobs or events, which are no paper's table."""

_DRAW = "draw"
"""Parameter that numbers draws: each of them is an instance."""
_PARAMETER = "param:"
"""Beginning of metrics that hold what was drawn."""
_EXACT = 4
"""Significant digits of a number without an interval."""
_LARGE = 1e7


class Shown(NamedTuple):
    """A number as a reader sees it, rounded to two digits of its uncertainty; the interval may be empty."""

    value: str
    interval: str


def summary_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of every metric of a tidy table.

    Returns:
        A row per group and metric, in the order of the table: columns as in `SUMMARY_GROUPS`, metric, unit, mean, low
        and high (ends of the interval; NaN: none), n (seeds with a value). Points of curves, jobs and events are left
        out.
    """
    pooled = table["x_name"] == _DRAW
    rows = table.assign(x_name=table["x_name"].mask(pooled, ""), x=table["x"].astype(str).mask(pooled, ""))
    distinct = rows.groupby("x_name")["x"].transform("nunique")
    rows = rows[(distinct <= MANY) & ~rows["metric"].str.startswith(_PARAMETER)]
    by = rows.assign(share=rows["value"].isin((0.0, 1.0, math.nan))).groupby(
        [*SUMMARY_GROUPS, "metric", "unit"], sort=False
    )
    found = by["value"].agg(["mean", "std", "count"]).rename(columns={"count": "n"}).assign(share=by["share"].all())
    found = found[found["n"] > 0].reset_index()
    counted = zip(found["mean"], found["std"], found["n"], found["share"], strict=True)
    ends = [share_interval(mean, n) if share else mean_interval(mean, std, n) for mean, std, n, share in counted]
    low, high = ([end[at] for end in ends] for at in (0, 1))
    return found.assign(low=low, high=high).drop(columns=["std", "share"])


def mean_interval(mean: float, spread: float, n: int) -> tuple[float, float]:
    """Interval of a mean (Student's t); NaN without a spread."""
    half = half_width(spread, n, _LEVEL)
    return (mean - half, mean + half) if half > 0 else (math.nan, math.nan)


@cache
def share_interval(share: float, n: int) -> tuple[float, float]:
    """Interval of a share of seeds (Clopper and Pearson); NaN if all seeds agree."""
    if share in (0.0, 1.0):
        return math.nan, math.nan
    found = stats.binomtest(round(share * n), n).proportion_ci(_LEVEL)
    return float(found.low), float(found.high)


def shown_value(value: float, low: float = math.nan, high: float = math.nan) -> Shown:
    """A number with its interval, as text."""
    wide = high - low
    if not wide > 0 or math.isinf(wide):
        return Shown(f"{value:.{_EXACT}g}", "")
    digits = max(0, 1 - math.floor(math.log10(wide / 2)))
    form = f".{_EXACT}g" if abs(value) >= _LARGE else f".{digits}f"
    return Shown(f"{value:{form}}", f"[{low:{form}}, {high:{form}}]")
