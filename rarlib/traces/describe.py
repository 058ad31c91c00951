"""What a reader asks about a workload: load, burstiness, sizes, durations."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.traces.audit import audit
from rarlib.traces.load import Trace

_HOUR_S, _DAY_S, _WEEK_S = 3600.0, 86_400.0, 604_800.0
_LEVELS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Quantiles of durations that are told."""
_WINDOWS_S = (("10 minutes", 600.0), ("an hour", _HOUR_S), ("a day", _DAY_S))
_FEWEST_WINDOWS = 10
"""A variance of fewer counts says nothing."""
_EPOCH_TO_MONDAY_S = 4 * _DAY_S
"""From 1970-01-01, a Thursday, to the first Monday."""


def describe_trace(trace: Trace, cluster: Cluster | None = None) -> dict[str, pd.DataFrame]:
    """Tables that describe the jobs of a trace, by name.

    Args:
        trace: the trace.
        cluster: on which the offered load is told; None: no load.

    Returns:
        facts: trace, quantity, value, unit: those of `audit`, then rates and burstiness.
        sizes: a row for each GPU count: jobs, GPU hours, shares of both, median duration in seconds.
        durations: a row for each quantile: seconds.
    """
    facts = audit(trace, cluster)
    facts = facts[~facts["quantity"].str.startswith("share of")]
    more = pd.DataFrame(_burstiness(trace.jobs.submit_s), columns=["quantity", "value", "unit"])
    more.insert(0, "trace", trace.provenance["name"])
    durations = {"quantile": _LEVELS, "duration_s": np.quantile(trace.jobs.duration_s, _LEVELS)}
    return {
        "facts": pd.concat([facts, more], ignore_index=True) if len(more) else facts,
        "sizes": _sizes(trace),
        "durations": pd.DataFrame(durations),
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


def _sizes(trace: Trace) -> pd.DataFrame:
    jobs = trace.jobs
    frame = pd.DataFrame(
        {"gpus": jobs.gpus, "gpu_h": jobs.gpus * jobs.duration_s / _HOUR_S, "duration_s": jobs.duration_s}
    )
    groups = frame.groupby("gpus")
    table = pd.DataFrame({"jobs": groups.size(), "gpu_h": groups["gpu_h"].sum()})
    total_h = table["gpu_h"].sum()
    table["share_jobs"] = table["jobs"] / len(jobs)
    table["share_gpu_time"] = table["gpu_h"] / total_h if total_h > 0 else 0.0
    table["median_duration_s"] = groups["duration_s"].median()
    return table.reset_index()


def _burstiness(times: NDArray[np.float64]) -> list[tuple[str, float, str]]:
    rows: list[tuple[str, float, str]] = []
    gaps = np.diff(times)
    if len(gaps) and times[-1] > 0:
        rows.append(("jobs per hour", len(gaps) / times[-1] * _HOUR_S, "1/h"))
        rows.append(("coefficient of variation of gaps", float(gaps.std() / gaps.mean()), ""))
    for name, width in _WINDOWS_S:
        counts = _window_counts(times, width)
        if len(counts) >= _FEWEST_WINDOWS:
            rows.append((f"index of dispersion of counts in {name}", float(counts.var() / counts.mean()), ""))
            rows.append((f"most jobs in {name}", float(counts.max()), "jobs"))
    return rows


def _window_counts(times: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Jobs in each of the consecutive whole windows from the first submission on; none if no window is whole."""
    windows = int(times[-1] // width)
    return np.bincount((times[times < windows * width] // width).astype(np.int64), minlength=windows)
