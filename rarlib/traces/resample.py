"""New traces from a recorded one: resampled by days or by jobs, and stretched in time.

By days (a block bootstrap): whole days of submissions are drawn with replacement and put one after another, so that
hours, bursts within a day, and the sizes, lengths and users of neighbouring jobs stay together. With a calendar, a day
is drawn among those of the same weekday. By jobs: submissions stay as they are, and each gets the other columns of a
job that is drawn with replacement; the order of sizes and lengths is lost, and their joint distribution kept.
"""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.describe import week_s
from rarlib.traces.load import Trace

RESAMPLINGS = ("days", "jobs")
_DAY_S = 86_400.0


def resampled(trace: Trace, by: str, seed: int) -> Trace:
    """A trace drawn from the jobs of another one; ids are positions.

    Args:
        trace: the recorded trace.
        by: `days` or `jobs`, see the module's docstring.
        seed: the same seed gives the same trace.

    Raises:
        InputError: for another way, or days of a trace of less than two days.
    """
    if by not in RESAMPLINGS:
        raise InputError(f"must be one of {', '.join(RESAMPLINGS)}, found {by!r}", file="--by")
    times, rng = week_s(trace), stream(seed, "resample", by)
    if by == "jobs":
        return _traced(trace, rng.integers(len(times), size=len(times)), times, f"jobs drawn with seed {seed}")
    day = np.floor(times / _DAY_S).astype(np.int64)
    first, last = int(day[0]), int(day[-1])
    if last == first:
        raise InputError("all jobs are of one day; resample them by jobs", file="--by")
    days = np.arange(first, last + 1)
    # With a calendar, Mondays stand for Mondays.
    apart = 7 if trace.provenance["starts"] and last - first >= 13 else 1
    earliest = first + (days - first) % apart
    alike = (last - earliest) // apart + 1
    drawn = earliest + apart * np.array([int(rng.integers(number)) for number in alike.tolist()])
    begin, end = np.searchsorted(day, drawn), np.searchsorted(day, drawn + 1)
    chosen = [np.arange(*span) for span in zip(begin.tolist(), end.tolist(), strict=True)]
    shifts = np.repeat((days - drawn) * _DAY_S, end - begin)
    rows = np.concatenate(chosen)
    if not len(rows):
        raise InputError("the days that were drawn hold no job; take another seed", file="--seed")
    return _traced(trace, rows, times[rows] + shifts, f"days drawn with seed {seed}")


def stretched(trace: Trace, factor: float) -> Trace:
    """The same jobs with all gaps between submissions multiplied by a factor above 0; lengths stay.

    Raises:
        InputError: for a factor that is no number above 0.
    """
    if not 0 < factor < np.inf:
        raise InputError(f"must be a number above 0, found {factor}", file="--stretch")
    with np.errstate(over="ignore"):  # what is too late is refused when it is written
        jobs = replace(trace.jobs, submit_s=trace.jobs.submit_s * factor)
    return replace(trace, jobs=jobs, provenance=_noted(trace, f"gaps times {factor:.6g}"))


def at_load(trace: Trace, load: float, cluster: Cluster) -> Trace:
    """The same jobs, stretched so that they offer this load to a cluster.

    Raises:
        InputError: for a load that is no number above 0, jobs that all arrive at once, or jobs without GPU time.
    """
    if not 0 < load < np.inf:
        raise InputError(f"must be a number above 0, found {load}", file="--load")
    jobs = trace.jobs
    available = float(jobs.submit_s[-1]) * cluster.total_gpus
    asked = float((jobs.gpus * jobs.duration_s).sum())
    if not (available > 0 and asked > 0):
        raise InputError("jobs arrive at once or request no GPU time, so no load can be set", file="--load")
    factor = asked / available / load
    if not 0 < factor < np.inf:
        raise InputError(f"no stretch of the trace gives a load of {load:g}", file="--load")
    return stretched(trace, factor)


def _traced(trace: Trace, rows: NDArray[np.int64], submit_s: NDArray[np.float64], what: str) -> Trace:
    names = [field.name for field in fields(Jobs) if field.name not in ("job_id", "submit_s", "origin_s")]
    columns: dict[str, Any] = {name: getattr(trace.jobs, name)[rows] for name in names}
    made = Jobs.build(file=trace.provenance["name"], submit_s=submit_s, **columns)
    # Times count from a Monday, 0:00, and no longer from a calendar.
    return replace(trace, jobs=made, provenance={**_noted(trace, what), "starts": ""})


def _noted(trace: Trace, what: str) -> dict[str, Any]:
    note = trace.provenance["note"]
    return {**trace.provenance, "note": f"{note}; {what}" if note else what}
