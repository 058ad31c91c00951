"""Submission times of several traces for AITurbo's jobs, as one file of the pipeline.

The abstract says that jobs are replayed at the arrivals of three production systems [ABS], without naming them; these
are three public ones [RECON].
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.traces.load import load_trace
from rarlib.traces.profile_sets import ProfileSet, read_profile_set

_KEY = "submit_s"


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """Submission times by trace; files of one trace differ by a number at the end of their names.

    `settings`: `sources`: names of traces, or of their files.

    Raises:
        InputError: an unknown source, a damaged file.
    """
    data: dict[str, list[list[float]]] = {}
    facts, origins = {}, set()
    for source in settings["sources"]:
        trace = load_trace(source)
        stem, _, last = source.rpartition("-")
        data.setdefault(stem if last.isdigit() else source, []).append(trace.jobs.submit_s.tolist())
        facts[source] = trace.provenance
        origins.add(trace.origin)
    standin = any(each["standin"] for each in facts.values())
    provenance = {"name": name, "standin": standin, "traces": facts}
    return ProfileSet({_KEY: data}, provenance, "stand-in" if standin else ",".join(sorted(origins)))


def read_arrivals(data: Path) -> dict[str, list[NDArray[np.float64]]]:
    """Submission times by trace and file, each ascending, s.

    Raises:
        InputError: no such file, or one of another kind.
    """
    return {name: [np.array(times) for times in files] for name, files in read_profile_set(data, _KEY)[_KEY].items()}
