"""What Sia's evaluation reads: workload files and the applications' profiles, as one file of the pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rarlib.cost.goodput.measured import PREFIX
from rarlib.cost.goodput.measured import profile_set as measured_set
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.load import Trace, load_trace
from rarlib.traces.profile_sets import ProfileSet, read_profile_set

_COLUMNS = ("job_id", "submit_s", "gpus", "duration_s", "application", "batch_size", "adaptivity")
"""Columns of the job table that workload files fill; `submit_s` is on the file's own clock, which rounds follow."""

_FAMILIES = {"helios": "saturn", "testbed": "physical"}
"""Names in the paper's tables that differ from those of the files."""


def workload_source(family: str, file: int) -> str:
    """Source of a workload file, such as `sia-saturn-6`; the testbed's workload is one file."""
    name = _FAMILIES.get(family, family)
    return f"sia-{name}" if family == "testbed" else f"sia-{name}-{file}"


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """Profiles and workloads.

    `settings`: `sources`: those of profiles (`sia-profile-*`) and of workloads (`sia-*`).

    Raises:
        InputError: an unknown source, a damaged file.
    """
    profiles = [source for source in settings["sources"] if source.startswith(PREFIX)]
    measured = measured_set(name, {"sources": profiles})
    workloads, facts, origins = {}, {}, set()
    for source in settings["sources"]:
        if source not in profiles:
            trace = load_workload(source)
            workloads[source] = _plain(trace.jobs)
            facts[source] = trace.provenance
            origins.add(trace.origin)
    return measured.beside("workloads", workloads, facts, origins)


def load_workload(source: str, network: bool | None = None) -> Trace:
    """A workload file, or its stand-in, which the number of the file seeds; `network` as in `load_trace`."""
    last = source.rpartition("-")[2]
    return load_trace(source, seed=int(last) if last.isdigit() else 0, network=network)


def _plain(jobs: Jobs) -> dict[str, list[Any]]:
    columns = {name: getattr(jobs, name).tolist() for name in _COLUMNS}
    return columns | {"submit_s": (jobs.submit_s + jobs.origin_s).tolist()}


@dataclass(frozen=True)
class Inputs:
    """Profiles, and workloads by source."""

    profiles: Profiles
    workloads: Mapping[str, Mapping[str, list[Any]]]

    @classmethod
    def read(cls, path: Path) -> "Inputs":
        """Read a file that `profile_set` made.

        Raises:
            InputError: no such file, or a file of another kind.
        """
        data = read_profile_set(path, "profiles", "workloads")
        return cls(Profiles.from_json(data["profiles"]), data["workloads"])

    @classmethod
    def at_hand(cls, profiles: Profiles, source: str) -> "Inputs":
        """Profiles and one workload, not from the pipeline; without a recorded file a stand-in is drawn."""
        return cls(profiles, {source: _plain(load_workload(source, network=False).jobs)})

    def jobs(self, family: str, file: int, limit: int | None = None) -> Jobs:
        """Jobs of a workload file; with `limit`, the first so many by submission.

        Raises:
            InputError: the set does not have it.
        """
        source = workload_source(family, file)
        if source not in self.workloads:
            raise InputError(f"workload {source} is not among the sources of the profile set", field="files")
        columns = {name: np.array(values) for name, values in self.workloads[source].items()}
        jobs = Jobs.build(file=source, **columns)
        return jobs if limit is None else jobs.take(slice(0, limit))


def mixed(jobs: Jobs, kind: str, share: int, file: int) -> Jobs:
    """The jobs, about `share` percent of them of a kind (`scale-gpus`, `rigid`), the rest adaptive.

    Each job is drawn independently, as in the authors' script; jobs drawn at a smaller share are drawn at a larger one.

    `file`: number of the workload file, which seeds the draw.
    """
    drawn = stream(file, "sia", "mixes").uniform(0.0, 100.0, len(jobs)) < share
    return replace(jobs, adaptivity=np.where(drawn, kind, "adaptive").astype(object))
