"""Profiles: the small statistics a stand-in trace is drawn from, one JSON file each in data/standin."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.traces.places import data_folder

BINS_A_ROW = 24


@dataclass(frozen=True)
class TraceStatistics:
    """Statistics of one trace, or of a family of them.

    Attributes:
        about: what it describes and how it was made, in words.
        made_by: the command that makes the file.
        made_from: digest by name of the files it was computed from; empty: from published numbers alone.
        jobs: jobs of the trace described.
        starts: calendar time at which the first bin starts, ISO; empty when the trace has no calendar.
        bin_s: length of an arrival bin, s.
        arrivals: smallest GPU count of a class -> its jobs submitted in each bin, shape (bins,), the same bins for all;
            empty: all jobs come at once.
        gap_from: job counts at which the next row of `gaps` begins to apply.
        gaps: quantiles at even steps of the time between two submissions in one bin, in units of bin_s / count;
            one row per entry of gap_from; empty: submissions are independent within a bin.
        kinds: [virtual cluster, application, GPUs, jobs] for each combination that occurs.
        statuses: how jobs end -> share; empty when the trace does not say.
        durations: smallest GPU count of a class -> [probabilities, duration quantiles in s]; empty: the format's rule.
    """

    about: str
    made_by: str
    jobs: int
    kinds: list[list[Any]]
    made_from: dict[str, str] = field(default_factory=dict)
    starts: str = ""
    bin_s: int = 3600
    arrivals: dict[str, list[float]] = field(default_factory=dict)
    gap_from: list[int] = field(default_factory=list)
    gaps: list[list[float]] = field(default_factory=list)
    statuses: dict[str, float] = field(default_factory=dict)
    durations: dict[str, list[list[float]]] = field(default_factory=dict)


def profile_path(name: str) -> Path:
    """Where the profile of that name is kept."""
    return data_folder() / "standin" / f"{name}.json"


def read_profile(path: Path) -> TraceStatistics:
    """Read a profile.

    Raises:
        InputError: no such file, or other keys than those of a profile.
    """
    found = read_json(path, "no such stand-in profile")
    try:
        return TraceStatistics(**found)
    except TypeError as error:
        raise InputError(f"not a stand-in profile: {error}", file=path) from None


def write_profile(profile: TraceStatistics, path: Path) -> None:
    """Write a profile, one key or one row of numbers a line."""
    parts = [f"{json.dumps(key)}: {_block(key, value)}" for key, value in asdict(profile).items()]
    write_text(path, "{\n" + ",\n".join(parts) + "\n}\n")


def _block(key: str, value: Any) -> str:
    if key == "arrivals":
        return "{\n" + ",\n".join(f"{json.dumps(k)}: [{_by_day(v)}]" for k, v in value.items()) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]"
    if key == "durations":
        return "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n}"
    return json.dumps(value)


def _by_day(counts: list[float]) -> str:
    days = (counts[i : i + BINS_A_ROW] for i in range(0, len(counts), BINS_A_ROW))
    return ",\n".join(", ".join(f"{v:g}" for v in day) for day in days)
