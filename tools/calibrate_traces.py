"""Make the trace statistics of data/standin: `python -m tools.calibrate_traces [NAME...]` (all without a name).

Statistics of available traces are counted from them; a stand-in is never accepted as input. Those of the big logs come
from published numbers (`tools.published`). The same input gives the same bytes.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.traces.load import Trace, load_trace
from rarlib.traces.profile import TraceStatistics, profile_path, write_profile
from rarlib.traces.sources import read_sources
from tools import published

_HOUR = 3600
_FIVE_MINUTES = 300
_FINE = (
    0.0, 0.0005, 0.002, 0.005, *(round(0.01 * i, 2) for i in range(1, 99)),
    0.985, 0.99, 0.9925, 0.995, 0.9965, 0.998, 0.999, 0.9995, 1.0,
)  # fmt: skip
_COARSE = tuple(round(0.05 * i, 2) for i in range(21))
_FEW = tuple(round(0.1 * i, 1) for i in range(11))
_ARRIVAL_FROM = (1, 2, 8)
_MANY = 10_000
"""Number of jobs from which on arrivals are counted by class of GPU counts."""
_GAP_FROM = (0, 10, 30, 100, 300)
_GAP_STEPS = 40
_CLASS_MIN = 60
"""Fewest jobs of a class of GPU counts; smaller ones join the class below."""


def from_traces(traces: Sequence[Trace], about: str, made_by: str, *, rule_durations: bool = False) -> TraceStatistics:
    """Statistics of one trace, or of several of a family pooled (number of jobs: their mean).

    Args:
        traces: recorded traces.
        about: text for the reader.
        made_by: the command, for the record.
        rule_durations: leave durations to the format's rule (workload files).

    Raises:
        InputError: when a trace is a stand-in.
    """
    for trace in traces:
        if trace.provenance["standin"]:
            raise InputError("a profile must come from the real trace", file=trace.provenance["name"])
    tables = [trace.jobs for trace in traces]
    starts = traces[0].provenance["starts"]
    bin_s = _HOUR if max(t.submit_s[-1] for t in tables) > 6 * _HOUR else _FIVE_MINUTES
    offset = int(np.datetime64(starts, "s").astype(np.int64)) % _HOUR if starts else 0
    gaps = [] if rule_durations else _gaps(tables, offset)
    return TraceStatistics(
        about=about,
        made_by=made_by,
        made_from={t.provenance["name"]: "sha256:" + t.provenance["sha256"] for t in traces},
        jobs=round(np.mean([len(t) for t in tables])),
        starts=str(np.datetime64(starts, "h").astype("datetime64[s]")) if starts else "",
        bin_s=bin_s,
        arrivals=_arrivals(tables, offset, bin_s),
        gap_from=list(_GAP_FROM) if gaps else [],
        gaps=gaps,
        kinds=_kinds(tables),
        durations={} if rule_durations else _durations(tables),
    )


def _arrivals(tables: Sequence[Jobs], offset: int, bin_s: int) -> dict[str, list[float]]:
    """Jobs of each bin by class of GPU counts, summed over the tables; empty when all are submitted at once."""
    at, gpus = (np.concatenate([getattr(t, name) for t in tables]) for name in ("submit_s", "gpus"))
    if at.max() == 0:
        return {}
    where = ((at + offset) // bin_s).astype(np.int64)
    floors = _ARRIVAL_FROM if len(at) > _MANY else (1,)
    row = np.searchsorted(floors, gpus, side="right") - 1
    return {str(f): np.bincount(where[row == i], minlength=where.max() + 1).tolist() for i, f in enumerate(floors)}


def _gaps(tables: Sequence[Jobs], offset: int) -> list[list[float]]:
    """Quantiles of scaled gaps within an hour, by how busy the hour is; see `TraceStatistics.gaps`."""
    scaled, busy = [], []
    for table in tables:
        at = table.submit_s + offset
        hour = (at // _HOUR).astype(np.int64)
        count = np.bincount(hour)[hour]
        same = hour[1:] == hour[:-1]
        scaled.append(np.diff(at)[same] * count[1:][same] / _HOUR)
        busy.append(count[1:][same])
    gaps, row = np.concatenate(scaled), np.searchsorted(_GAP_FROM, np.concatenate(busy), side="right") - 1
    if np.count_nonzero(gaps) < 1000:
        return []
    even = np.linspace(0, 1, _GAP_STEPS + 1)
    # A class of bins that is empty in the trace uses all gaps.
    classes = [gaps[row == i] if (row == i).any() else gaps for i in range(len(_GAP_FROM))]
    return [np.round(np.quantile(each, even), 4).tolist() for each in classes]


def _kinds(tables: Sequence[Jobs]) -> list[list[object]]:
    counts: Counter[tuple[str, str, int]] = Counter()
    for table in tables:
        counts.update(zip(table.vc.tolist(), table.application.tolist(), table.gpus.tolist(), strict=True))
    return [[*kind, count] for kind, count in sorted(counts.items())]


def _durations(tables: Sequence[Jobs]) -> dict[str, list[list[float]]]:
    """Quantiles by class of GPU counts; a class begins at a GPU count and holds `_CLASS_MIN` jobs or more."""
    gpus, lasted = (np.concatenate([getattr(t, name) for t in tables]) for name in ("gpus", "duration_s"))
    floors: list[int] = []
    for count in sorted(set(gpus.tolist()), reverse=True):
        above = (gpus >= count) & (gpus < (floors[-1] if floors else np.inf))
        if above.sum() >= _CLASS_MIN:
            floors.append(count)
    floors = [1, *sorted(floors)[1:]]
    row = np.searchsorted(floors, gpus, side="right") - 1
    return {str(floor): _quantiles(lasted[row == i]) for i, floor in enumerate(floors)}


def _quantiles(lasted: NDArray[np.float64]) -> list[list[float]]:
    """Levels and quantiles; fewer jobs have fewer levels, so that no file discloses single jobs."""
    levels = _FINE if len(lasted) > 1000 else _COARSE if len(lasted) > 100 else _FEW
    return [list(levels), np.round(np.quantile(lasted, levels), 1).tolist()]


_POOLS = {
    "philly-pollux": ("philly-pollux", "Philly, as published with the Pollux simulator"),
    "aiturbo": ("aiturbo", "AITurbo's workload study, jobs on GPUs; no arrivals"),
    "pai-sample": ("pai-sample", "PAI jobs on one GPU, as sampled by Hydra"),
    "tiresias-60": ("tiresias-60", "Tiresias' 60-job testbed mix"),
    "sia-philly": ("sia-philly-", "Sia's workloads sampled from Philly"),
    "sia-saturn": ("sia-saturn-", "Sia's workloads sampled from Helios Saturn"),
    "sia-newtrace": ("sia-newtrace-", "Sia's 48-hour workloads"),
    "sia-rate": ("sia-rate-", "Sia's workloads by arrival rate"),
    "sia-physical": ("sia-physical", "Sia's testbed run"),
    "pollux": ("pollux-", "Pollux's workloads, sizes as tuned by users"),
    "pollux-realistic": ("pollux-realistic-", "Pollux's workloads, sizes as in production"),
}
"""Statistics -> (source, or prefix of the sources to pool; text)."""


def _counted(name: str) -> TraceStatistics:
    start, text = _POOLS[name]
    members = [
        s for s in read_sources()
        if s == start or (start.endswith("-") and s.startswith(start) and (name != "pollux" or "realistic" not in s))
    ]  # fmt: skip
    about = f"{text}: counts and quantiles over {len(members)} file(s)"
    return from_traces(
        [load_trace(s) for s in members], about, _command(name), rule_durations=name[:3] in ("sia", "pol")
    )


def _command(name: str) -> str:
    return f"python -m tools.calibrate_traces {name}"


MAKERS: dict[str, Callable[[str], TraceStatistics]] = {
    **dict.fromkeys(_POOLS, _counted),
    **{name: lambda n: replace(published.profile(n), made_by=_command(n)) for name in published.NAMES},
}
"""Name of the statistics -> function that makes them."""


def main(names: Sequence[str]) -> int:
    """Write the named statistics; return 2 when one cannot be made."""
    for name in names or MAKERS:
        try:
            if name not in MAKERS:
                raise InputError(f"unknown profile; known: {', '.join(MAKERS)}", file=name)
            write_profile(MAKERS[name](name), profile_path(name))
        except InputError as error:
            sys.stderr.write(f"error: {error}\n")
            return 2
        sys.stderr.write(f"wrote data/standin/{name}.json\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
