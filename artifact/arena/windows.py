"""Windows of traces: which consecutive jobs the arena runs, by one rule for all schedulers.

Workload files of Sia and Pollux whose names differ in a last number only (`sia-philly-2`, `sia-philly-4`) are one
family: each file is one window, cut to its first jobs. They name applications and record no durations. Any other source
is one recorded trace. It is cleaned as Sia's authors clean theirs before they sample (SOSP 2023, artifact): jobs below
60 s and those of 1,000 GPU hours or more are dropped. So are jobs that ran for more than 24 h: among 80 jobs, a single
one that lasts a month would dominate mean and makespan. The authors' own requests end within 12 h on an RTX 2080 Ti,
about 21 h on T4.

Windows start with the first job after the fractions 1/2, 1/4, 3/4, 1/8, ... (van der Corput) of the recorded time.
These are spread evenly and do not depend on the number of windows. They are fractions of time, not of jobs, because
most jobs of Philly belong to sweeps: hours in which hundreds of jobs request one GPU each. A start whose window would
overlap an earlier one is skipped, so a short trace has fewer windows; none is skipped for its bursts or its mix.

AITurbo's study (`aiturbo`) has no arrivals: its jobs, drawn without replacement, arrive at the submission times of a
recorded trace.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.cost.goodput.by_gpu_time import by_gpu_time
from rarlib.cost.parameter_server.dataset import SOURCE as STUDY
from rarlib.cost.parameter_server.dataset import profile_set as study_set
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.load import load_trace
from rarlib.traces.sources import read_sources

SHORTEST_S, LONGEST_S, LARGEST_GPU_H = 60.0, 24 * 3600.0, 1000.0
"""Recorded jobs are kept if they last from the first to the second and request less GPU time than the third."""

ARRIVALS = "philly-pollux"
"""The recorded trace whose submission times the jobs of AITurbo's study get."""

REASONS = ("no_gpu", "short", "huge", "long")
"""Why a recorded job is dropped; the first reason that applies counts."""

_PLACES = 255
"""Number of starts that are tried."""

_COLUMNS = ("job_id", "submit_s", "gpus", "duration_s", "application", "batch_size")


class Windows(NamedTuple):
    """Windows of one family: data for the file of the pipeline, their provenance, and their origin on this machine."""

    data: dict[str, Any]
    facts: dict[str, Any]
    origins: set[str]


def families(sources: list[str]) -> dict[str, list[str]]:
    """Family -> its sources, in the order given."""
    out: dict[str, list[str]] = {}
    for source in sources:
        stem, _, last = source.rpartition("-")
        out.setdefault(stem if _is_workload(source) and last.isdigit() else source, []).append(source)
    return out


def _is_workload(source: str) -> bool:
    listed = read_sources().get(source)
    return listed is not None and listed[0].format in ("sia", "pollux")


def read_family(family: str, sources: list[str], seeds: int, jobs: int) -> Windows:
    """Windows of one family: at most `seeds`, of at most `jobs` jobs each; fewer if the trace is short.

    Raises:
        InputError: an unknown source, a damaged file, a trace without jobs that are kept.
    """
    if family == STUDY:
        return _study(seeds, jobs)
    if _is_workload(sources[0]):
        return _files(sources[:seeds], jobs)
    trace = load_trace(family)
    kept, dropped = cleaned(trace.jobs, family)
    windows = []
    for seed, first in enumerate(starts_of(seeds, kept.submit_s, jobs), 1):
        part = kept.take(slice(first, first + jobs))
        names = by_gpu_time(part.gpus * part.duration_s / 3600, stream(seed, "arena", family, "applications"))
        table = _plain(part) | {"application": names.tolist()}
        windows.append(_window(table, first, len(trace.jobs), dropped))
    data = {"named": False, "standin": trace.provenance["standin"], "windows": windows}
    return Windows(data, {family: trace.provenance}, {trace.origin})


def starts_of(seeds: int, submit_s: NDArray[np.float64], jobs: int) -> list[int]:
    """Rows at which windows of `jobs` jobs start, at most `seeds`; `submit_s` ascends from 0, shape (kept,)."""
    found: list[int] = []
    for number in range(1, _PLACES + 1):
        place, step, rest = 0.0, 0.5, number
        while rest:
            rest, bit = divmod(rest, 2)
            place, step = place + bit * step, step / 2
        start = max(0, min(int(np.searchsorted(submit_s, place * submit_s[-1])), len(submit_s) - jobs))
        if len(found) < seeds and all(abs(start - other) >= jobs for other in found):
            found.append(start)
    return found


def cleaned(jobs: Jobs, name: str) -> tuple[Jobs, dict[str, int]]:
    """The jobs that are kept, and the number dropped for each reason.

    Raises:
        InputError: no job is kept.
    """
    gpu_h = jobs.gpus * jobs.duration_s / 3600
    reasons = {
        "no_gpu": jobs.gpus < 1,
        "short": jobs.duration_s < SHORTEST_S,
        "huge": gpu_h >= LARGEST_GPU_H,
        "long": jobs.duration_s > LONGEST_S,
    }
    left, dropped = np.ones(len(jobs), np.bool_), {}
    for reason, mine in reasons.items():
        dropped[reason] = int((left & mine).sum())
        left &= ~mine
    if not left.any():
        raise InputError(
            f"no job lasts {SHORTEST_S:g} to {LONGEST_S:g} s on less than {LARGEST_GPU_H:g} GPU h", file=name
        )
    return jobs.take(left), dropped


def _files(sources: list[str], jobs: int) -> Windows:
    windows, facts, origins = [], {}, set()
    for source in sources:
        last = source.rpartition("-")[2]
        trace = load_trace(source, seed=int(last) if last.isdigit() else 0)
        part = trace.jobs.take(slice(0, jobs))
        windows.append(_window(_plain(part), 0, len(trace.jobs), dict.fromkeys(REASONS, 0)))
        facts[source] = trace.provenance
        origins.add(trace.origin)
    standin = any(each["standin"] for each in facts.values())
    return Windows({"named": True, "standin": standin, "windows": windows}, facts, origins)


def _study(seeds: int, jobs: int) -> Windows:
    """Jobs of AITurbo's study at recorded arrivals, with their own predictability."""
    made, trace = study_set(STUDY, {"seed": 0}), load_trace(ARRIVALS)
    table = pd.DataFrame(made.data)
    on_gpu = table["gpus"] > 0
    # The job id is the row number, by which each job's predictability is found below.
    rows = np.flatnonzero(on_gpu)
    recorded = Jobs.build(
        submit_s=np.zeros(len(rows)), job_id=rows, gpus=table["gpus"][on_gpu], duration_s=table["running_s"][on_gpu]
    )
    kept, dropped = cleaned(recorded, STUDY)
    dropped["no_gpu"] += int((~on_gpu).sum())
    arrivals, _ = cleaned(trace.jobs, ARRIVALS)
    order = stream(0, "arena", STUDY, "order").permutation(len(kept))
    windows = []
    for seed, first in enumerate(starts_of(min(seeds, len(kept) // jobs), arrivals.submit_s, jobs), 1):
        part = kept.take(order[(seed - 1) * jobs : seed * jobs])
        submit_s = arrivals.submit_s[first : first + len(part)] - arrivals.submit_s[first]
        names = by_gpu_time(part.gpus * part.duration_s / 3600, stream(seed, "arena", STUDY, "applications"))
        unpredictable = table["unpredictable"].to_numpy()[part.job_id.astype(np.int64)]
        own = {"predictable": (unpredictable == 0).tolist()}
        plain = _plain(part) | {"submit_s": submit_s.tolist(), "application": names.tolist()} | own
        windows.append(_window(plain, first, len(table), dropped))
    standin = bool(made.provenance["standin"] or trace.provenance["standin"])
    facts = {STUDY: made.provenance, f"{STUDY} arrivals": trace.provenance}
    return Windows({"named": False, "standin": standin, "windows": windows}, facts, {made.origin, trace.origin})


def _plain(jobs: Jobs) -> dict[str, list[Any]]:
    return {name: getattr(jobs, name).tolist() for name in _COLUMNS}


def _window(table: dict[str, list[Any]], first: int, read: int, dropped: Mapping[str, int]) -> dict[str, Any]:
    return {"jobs": table, "first": first, "read": read, "dropped": dict(dropped)}


def as_arrays(table: Mapping[str, list[Any]]) -> dict[str, NDArray[Any]]:
    """The columns of a window as arrays."""
    texts = ("job_id", "application")
    return {name: np.array(values, dtype=object if name in texts else None) for name, values in table.items()}
