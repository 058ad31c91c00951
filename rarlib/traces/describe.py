"""What a reader asks about a workload: load, sizes, durations, arrivals by hour and weekday, burstiness, users."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.foreign import as_fields
from rarlib.traces.audit import audit
from rarlib.traces.load import Trace

_HOUR_S, _DAY_S, _WEEK_S = 3600.0, 86_400.0, 604_800.0
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DURATION_LEVELS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Quantiles of durations that are told."""
SIZE_FLOORS = (1, 2, 8)
"""Classes of GPU counts: 1, 2 to 7, 8 and more."""

_WINDOWS_S = (("10 minutes", 600.0), ("an hour", _HOUR_S), ("a day", _DAY_S))
_FEWEST_WINDOWS = 10
"""A variance of fewer counts says nothing."""
_EPOCH_TO_MONDAY_S = 4 * _DAY_S
"""From 1970-01-01, a Thursday, to the first Monday."""


def describe_trace(trace: Trace, cluster: Cluster | None = None) -> dict[str, pd.DataFrame]:
    """Tidy tables that describe the jobs of a trace, by name.

    Args:
        trace: the trace.
        cluster: on which the offered load is told; None: no load.

    Returns:
        facts: trace, quantity, value, unit: those of `audit`, then rates, burstiness and users.
        sizes: a row for each GPU count: jobs, GPU hours, shares of both, median duration in seconds.
        durations: a row for each quantile: seconds for all jobs, by GPU time, and for each class of GPU counts.
        arrivals: a row for each hour of the day and each weekday: jobs, the hours observed, jobs per hour.
        users, statuses: jobs, GPU hours and shares of both, largest first.
    """
    facts = audit(trace, cluster)
    facts = facts[~facts["quantity"].str.startswith("share of")]
    more = pd.DataFrame([*_burstiness(trace), *_of_users(trace)], columns=["quantity", "value", "unit"])
    more.insert(0, "trace", trace.provenance["name"])
    return {
        "facts": pd.concat([facts, more], ignore_index=True),
        "sizes": _sizes(trace),
        "durations": _durations(trace),
        "arrivals": arrivals_table(trace),
        "users": _grouped(trace, "user"),
        "statuses": _grouped(trace, "status"),
    }


def week_s(trace: Trace) -> NDArray[np.float64]:
    """Submissions in seconds since Monday, 0:00, of the week of the first one, shape (jobs,).

    A trace without a calendar counts from the zero of its own clock, which then stands for such a Monday.
    """
    starts = trace.provenance["starts"]
    first = trace.jobs.origin_s
    if starts:
        since_1970 = float(np.datetime64(starts, "s").astype(np.int64))
        first = (since_1970 - _EPOCH_TO_MONDAY_S) % _WEEK_S + trace.jobs.origin_s % 1.0
    return trace.jobs.submit_s + first


def arrivals_table(trace: Trace) -> pd.DataFrame:
    """Jobs by hour of the day and by weekday, with the time for which each was observed.

    Returns:
        columns cycle (hour or weekday), position (0 is midnight; 0 is Monday), jobs, observed_h (hours of the
        trace that fall on it), jobs_per_h (0 where none do).
    """
    times = week_s(trace)
    parts = [_by_position(times, "hour", _HOUR_S, 24), _by_position(times, "weekday", _DAY_S, 7)]
    return pd.concat(parts, ignore_index=True)


def covered_s(first: float, last: float, width: float, positions: int) -> NDArray[np.float64]:
    """Seconds between two times that fall on each position of a cycle, shape (positions,)."""
    cycle = width * positions
    begins = np.arange(positions) * width

    def until(time: float) -> NDArray[np.float64]:
        return np.floor(time / cycle) * width + np.clip(time % cycle - begins, 0.0, width)

    return until(last) - until(first)


def _by_position(times: NDArray[np.float64], cycle: str, width: float, positions: int) -> pd.DataFrame:
    position = np.floor(times / width).astype(np.int64) % positions
    counts = np.bincount(position, minlength=positions)
    observed = covered_s(times[0], times[-1], width, positions) / _HOUR_S
    rate = np.divide(counts, observed, out=np.zeros(positions), where=observed > 0)
    return pd.DataFrame({
        "cycle": cycle, "position": np.arange(positions), "jobs": counts, "observed_h": observed, "jobs_per_h": rate
    })  # fmt: skip


def _sizes(trace: Trace) -> pd.DataFrame:
    jobs = trace.jobs
    frame = pd.DataFrame(
        {"gpus": jobs.gpus, "gpu_h": jobs.gpus * jobs.duration_s / 3600, "duration_s": jobs.duration_s}
    )
    groups = frame.groupby("gpus")
    table = pd.DataFrame({"jobs": groups.size(), "gpu_h": groups["gpu_h"].sum()}).reset_index()
    table = _with_shares(table)
    return table.assign(median_duration_s=groups["duration_s"].median().to_numpy())


def _durations(trace: Trace) -> pd.DataFrame:
    jobs = trace.jobs
    table: dict[str, Any] = {"quantile": DURATION_LEVELS, "all_jobs_s": np.quantile(jobs.duration_s, DURATION_LEVELS)}
    table["by_gpu_time_s"] = _weighted_quantiles(jobs.duration_s, jobs.gpus * jobs.duration_s)
    for low, high in zip(SIZE_FLOORS, (*SIZE_FLOORS[1:], np.inf), strict=True):
        mine = jobs.duration_s[(jobs.gpus >= low) & (jobs.gpus < high)]
        if len(mine):
            table[f"{size_class(low)}_s"] = np.quantile(mine, DURATION_LEVELS)
    return pd.DataFrame(table)


def size_class(floor: int) -> str:
    """Name of the class of GPU counts that begins at one of `SIZE_FLOORS`, as columns have it."""
    after = dict(pairwise(SIZE_FLOORS)).get(floor)
    last = f"_to_{after - 1}" if after else "_and_more"
    return f"gpus_{floor}{'' if after == floor + 1 else last}"


def _weighted_quantiles(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest values up to which each level of the weight lies; without any weight, those of the values."""
    if not weights.sum() > 0:
        return np.quantile(values, DURATION_LEVELS)
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weights[order]) / weights.sum()
    return values[order][np.minimum(np.searchsorted(running, DURATION_LEVELS), len(values) - 1)]


def _burstiness(trace: Trace) -> list[tuple[str, float, str]]:
    times = trace.jobs.submit_s
    rows: list[tuple[str, float, str]] = []
    gaps = np.diff(times)
    if len(gaps) and times[-1] > 0:
        rows.append(("jobs per hour", len(gaps) / times[-1] * _HOUR_S, "1/h"))
        rows.append(("jobs submitted in the same second as another", _crowded(times), "jobs"))
        rows.append(("coefficient of variation of gaps", float(gaps.std() / gaps.mean()), ""))
    for name, width in _WINDOWS_S:
        counts = window_counts(times, width)
        if len(counts) >= _FEWEST_WINDOWS:
            rows.append((f"index of dispersion of counts in {name}", float(counts.var() / counts.mean()), ""))
            rows.append((f"most jobs in {name}", float(counts.max()), "jobs"))
    return rows


def window_counts(times: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Jobs in each of the consecutive whole windows from the first submission on; none if no window is whole."""
    windows = int(times[-1] // width)
    return np.bincount((times[times < windows * width] // width).astype(np.int64), minlength=windows)


def _crowded(times: NDArray[np.float64]) -> int:
    counts = np.unique(np.floor(times), return_counts=True)[1]
    return int(counts[counts > 1].sum())


def _of_users(trace: Trace) -> list[tuple[str, float, str]]:
    table = _grouped(trace, "user")
    known = table[table["user"] != ""]
    if not len(known):
        return [("users", 0, "")]
    busiest = known.nlargest(max(1, round(0.1 * len(known))), "gpu_h", keep="first")
    return [
        ("users", len(known), ""),
        ("share of GPU time of the busiest tenth of users", float(busiest["share_gpu_time"].sum()), ""),
        ("share of jobs of the user with most jobs", float(known["share_jobs"].max()), ""),
    ]


def _grouped(trace: Trace, column: str) -> pd.DataFrame:
    jobs = trace.jobs
    frame = pd.DataFrame({column: as_fields(getattr(jobs, column)), "gpu_h": jobs.gpus * jobs.duration_s / 3600})
    groups = frame.groupby(column, sort=True)
    table = pd.DataFrame({"jobs": groups.size(), "gpu_h": groups["gpu_h"].sum()}).reset_index()
    table = table.sort_values(["gpu_h", "jobs", column], ascending=[False, False, True], ignore_index=True)
    return _with_shares(table)


def _with_shares(table: pd.DataFrame) -> pd.DataFrame:
    total = table["gpu_h"].sum()
    of_time = table["gpu_h"] / total if total > 0 else 0.0
    return table.assign(share_jobs=table["jobs"] / table["jobs"].sum(), share_gpu_time=of_time)
