"""Stand-in traces: drawn from a profile, for a machine where the real trace is not available.

What is kept of the real trace: the number of jobs of each hour by class of GPU counts (so bursts survive), how
submissions crowd within an hour, the joint counts of tenant, application and GPUs, and the distribution of durations
given the GPU count. What is lost: any link between the time of a submission and its tenant or length.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.formats.workload import drawn_duration_s
from rarlib.traces.profile import TraceStatistics, profile_path, read_profile
from rarlib.traces.table import ParsedTrace, iso


def draw(name: str, *, seed: int, jobs: int | None = None) -> tuple[ParsedTrace, str, Path]:
    """A trace drawn from a profile.

    Args:
        name: the profile, data/standin/<name>.json.
        seed: master seed; the same seed gives the same trace.
        jobs: how many; None: as many as the real trace has.

    Returns:
        The reading, its format name `stand-in`, and the profile's path.
    """
    path = profile_path(name)
    profile = read_profile(path)
    table, starts = sample_jobs(profile, jobs or profile.jobs, stream(seed, "standin", name))
    note = f"STAND-IN drawn from data/standin/{path.name} with seed {seed}: not a record of real jobs"
    return ParsedTrace(table, len(table), {}, starts=starts, note=note), "stand-in", path


def sample_jobs(profile: TraceStatistics, n: int, rng: np.random.Generator) -> tuple[Jobs, str]:
    """Draw `n` jobs; also returns the calendar time of the first submission (empty without a calendar)."""
    submit, floor = _submissions(profile, n, rng)
    vc, application, gpus = _kinds(profile, floor, rng)
    columns: dict[str, Any] = {"submit_s": submit, "gpus": gpus, "vc": vc, "application": application}
    if profile.statuses:
        columns["status"] = rng.choice(
            np.array(list(profile.statuses), dtype=object), size=n, p=_shares(list(profile.statuses.values()))
        )
    columns["duration_s"] = _durations(profile, gpus, application, rng)
    starts = ""
    if profile.starts:
        starts = iso(np.datetime64(profile.starts, "s").astype(np.int64) + submit.min())
    return Jobs.build(file="stand-in", **columns), starts


def _shares(counts: Any) -> NDArray[np.float64]:
    weights = np.asarray(counts, dtype=np.float64)
    return weights / weights.sum()


def _submissions(
    profile: TraceStatistics, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Times, whole seconds since the first bin starts, ascending, and the GPU class of each job, both shape (n,)."""
    if not profile.arrivals:
        return np.zeros(n), np.ones(n, dtype=np.int64)
    expected = np.array(list(profile.arrivals.values()))
    counts = rng.multinomial(n, _shares(expected.ravel())).reshape(expected.shape)
    total = counts.sum(axis=0)
    busy = np.flatnonzero(total)
    within = _crowded(profile, total[busy], rng) if profile.gaps else rng.random(n)
    submit = np.sort(np.floor((np.repeat(busy, total[busy]) + within) * profile.bin_s))
    floors = np.array([int(key) for key in profile.arrivals])
    # Classes are listed bin by bin, then shuffled within each bin.
    floor = np.repeat(np.tile(floors, expected.shape[1]), counts.T.ravel())
    shuffled = np.argsort(np.repeat(busy, total[busy]) + rng.random(n), kind="stable")
    return submit, floor[shuffled]


def _kinds(
    profile: TraceStatistics, floor: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Any, Any, NDArray[np.int64]]:
    """Virtual cluster, application and GPUs of each job, drawn within its GPU class, each shape (jobs,)."""
    vc, application, gpus, jobs = (np.array(column, dtype=object) for column in zip(*profile.kinds, strict=True))
    gpus, floors = gpus.astype(np.int64), np.unique(floor)
    kind = np.empty(len(floor), dtype=np.int64)
    for low, high in zip(floors, [*floors[1:], np.inf], strict=True):
        members = np.flatnonzero((gpus >= low) & (gpus < high))
        mine = floor == low
        kind[mine] = rng.choice(members, size=mine.sum(), p=_shares(jobs[members]))
    return vc[kind], application[kind], gpus[kind]


def _crowded(profile: TraceStatistics, counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Place in [0, 1) of each job within its bin, gaps drawn by how busy the bin is, shape (sum of counts,)."""
    row = np.searchsorted(profile.gap_from, counts, side="right") - 1
    # One gap before each job and one after the last; together they fill the bin.
    edges = np.concatenate([[0], np.cumsum(counts + 1)])
    table = np.asarray(profile.gaps)
    place = rng.random(edges[-1]) * (table.shape[1] - 1)
    low = np.minimum(place.astype(np.int64), table.shape[1] - 2)
    of_gap = np.repeat(row, counts + 1)
    gaps = table[of_gap, low] + (place - low) * (table[of_gap, low + 1] - table[of_gap, low]) + 1e-9
    running = np.concatenate([[0.0], np.cumsum(gaps)])
    total = np.repeat(running[edges[1:]] - running[edges[:-1]], counts + 1)
    share = (running[1:] - np.repeat(running[edges[:-1]], counts + 1)) / total
    last = np.zeros(edges[-1], dtype=bool)
    last[edges[1:] - 1] = True
    return np.minimum(share[~last], np.nextafter(1.0, 0.0))


def _durations(profile: TraceStatistics, gpus: NDArray[np.int64], application: Any, rng: np.random.Generator) -> Any:
    """Running times, whole seconds, shape (jobs,): log-linear between the quantiles of the job's GPU class."""
    if not profile.durations:
        return [drawn_duration_s(name, count) for name, count in zip(application, gpus, strict=True)]
    place = rng.random(len(gpus))
    floors = np.array([int(key) for key in profile.durations])
    row = np.searchsorted(floors, gpus, side="right") - 1
    found = np.empty(len(gpus))
    for index, (levels, quantiles) in enumerate(profile.durations.values()):
        mine = row == index
        found[mine] = np.expm1(np.interp(place[mine], levels, np.log1p(quantiles)))
    return np.round(found)
