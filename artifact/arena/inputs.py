"""Inputs of the arena: profiles and windows of traces as one file of the pipeline, and workloads made from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from artifact.arena.audit import audit_row
from artifact.arena.load import reference_gpus, rescaled
from artifact.arena.windows import as_arrays, families, read_family
from artifact.arena.workload import SHARE, Fitted, Workload, predictable_jobs
from rarlib.cost.goodput.by_gpu_time import Requests, types_of
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import PREFIX
from rarlib.cost.goodput.measured import profile_set as measured_set
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.traces.profile_sets import ProfileSet, read_profile_set


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """Profiles, and windows of traces by family (`artifact.arena.windows`).

    `settings`: `sources`: those of profiles (`sia-profile-*`) and of traces; `seeds`: windows per family; `jobs`: jobs
    per window.

    Raises:
        InputError: an unknown source, a damaged file.
    """
    profiles = [source for source in settings["sources"] if source.startswith(PREFIX)]
    measured = measured_set(name, {"sources": profiles})
    traces: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    origins: set[str] = set()
    for family, sources in families([s for s in settings["sources"] if s not in profiles]).items():
        made = read_family(family, sources, int(settings["seeds"]), int(settings["jobs"]))
        traces[family] = made.data
        facts |= made.facts
        origins |= made.origins
    return measured.beside("traces", traces, facts, origins)


@dataclass(frozen=True)
class ArenaInputs:
    """Profiles, and windows by family.

    Attributes:
        profiles: measured.
        traces: family -> `named` (whether the trace names applications), `standin`, `windows`.
    """

    profiles: Profiles
    traces: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> "ArenaInputs":
        """Read a file that `profile_set` made."""
        data = read_profile_set(path, "profiles", "traces")
        return cls(Profiles.from_json(data["profiles"]), data["traces"])

    @cached_property
    def cost(self) -> GoodputCost:
        """Cost model of jobs as measured, without contention and nothing else; its tables are shared."""
        return GoodputCost(self.profiles, extended=False)

    @cached_property
    def prices(self) -> Callable[[SpanningNetwork, str], GoodputCost]:
        """Cost model of jobs with recorded durations, cached by network and knowledge; all share their times."""
        return cache(GoodputCost(self.profiles, SpanningNetwork(), recorded=True).under)

    def cut(self, jobs: int | None) -> "ArenaInputs":
        """The same with the first jobs of each window; None: all."""
        traces = {
            name: {
                **family,
                "windows": [{**w, "jobs": {k: v[:jobs] for k, v in w["jobs"].items()}} for w in family["windows"]],
            }
            for name, family in self.traces.items()
        }
        return ArenaInputs(self.profiles, traces)

    @cached_property
    def requests(self) -> Requests:
        """Requests that can run, cached."""
        return Requests(self.cost)

    def window(self, trace: str, seed: int) -> Mapping[str, Any]:
        """A window as it was read: `jobs`, `first`, `read`, `dropped`; `seed` is its number, from 1 on."""
        found: Mapping[str, Any] = self.traces[trace]["windows"][seed - 1]
        return found

    def fitted(self, trace: str, seed: int, cluster: Cluster | str) -> Fitted:
        """A window with requests that can run on a cluster.

        A job that requests more GPUs than the whole cluster has is dropped. Any other gang is reduced to what the
        application can use on the first GPU type; its recorded duration grows in proportion, so it requests as much
        GPU time as before. Where the trace names the application and records no duration, the job lasts as long as
        measured on its request.

        Raises:
            InputError: the set does not have the window; no job of it fits; a GPU type without profile.
        """
        cluster = Cluster.parse(cluster) if isinstance(cluster, str) else cluster
        columns = as_arrays(self.window(trace, seed)["jobs"])
        n = len(columns["gpus"])
        fits = columns["gpus"] <= cluster.total_gpus
        if not fits.any():
            raise InputError(f"window {seed} has no job for {cluster.total_gpus} GPUs", file=trace)
        columns = {name: values[fits] for name, values in columns.items()}
        columns.setdefault("predictable", predictable_jobs(int(fits.sum()), SHARE, trace, seed))
        asked = [columns[name] for name in ("application", "gpus", "batch_size")]
        found = self.requests.on(next(iter(types_of(cluster).values())), zip(*(a.tolist() for a in asked), strict=True))
        gpus, batch = np.array([each.gpus for each in found]), np.array([each.batch_size for each in found])
        if self.traces[trace]["named"]:
            columns["duration_s"] = np.array([each.duration_s for each in found])
        else:
            columns["duration_s"] = columns["duration_s"] * (asked[1] / gpus)
        columns |= {"gpus": gpus, "batch_size": batch}
        jobs = list(zip(asked[0].tolist(), gpus.tolist(), batch.tolist(), strict=True))
        equal = reference_gpus(self.requests, cluster, jobs, gpus * columns["duration_s"])
        return Fitted(columns, asked[1], asked[2], int(n - fits.sum()), equal)

    def workload(
        self, trace: str, seed: int, load: float, cluster: Cluster | str, *, allow_overload: bool = False
    ) -> Workload:
        """Jobs of a window on a cluster, at an offered load (`artifact.arena.load`)."""
        found = self.fitted(trace, seed, cluster)
        total = float(found.gpu_s.sum())
        submit_s = rescaled(found.columns["submit_s"], total, found.reference_gpus, load, allow_overload=allow_overload)
        columns = found.columns | {"submit_s": submit_s}
        predictable = columns.pop("predictable")
        jobs = Jobs.build(file=f"{trace} {seed}", adaptivity=["adaptive"] * len(predictable), **columns)
        return Workload(jobs, predictable)

    def audit(self, load: float, clusters: Mapping[str, Cluster | str]) -> pd.DataFrame:
        """One row per trace, window and cluster: the quantities of `audit.QUANTITIES`."""
        rows = []
        for trace, known in self.traces.items():
            for seed, window in enumerate(known["windows"], 1):
                for name, spec in clusters.items():
                    where = {"trace": trace, "seed": seed, "cluster": name, "standin": known["standin"]}
                    rows.append(where | audit_row(window, self.fitted(trace, seed, spec), load))
        return pd.DataFrame(rows)
