"""The record of a run, read from its folder or taken from memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.cluster import CPU, Cluster
from rarlib.model.errors import InputError, shown
from rarlib.model.files import read_json
from rarlib.model.foreign import from_fields
from rarlib.records.columns import read_columns
from rarlib.records.tidy import sha256
from rarlib.simulator.run import Run

_KINDS: Mapping[str, Mapping[str, type]] = {
    "jobs.csv": {
        "job_id": str, "submit_s": float, "start_s": float, "finish_s": float, "gpus": int, "gpu_seconds": float,
        "restarts": int, "queue_s": float, "contention_s": float, "overhead_s": float, "status": str,
    },
    "details.csv": {"job_id": str, "min_gpus": int, "moves": int, "restart_s": float},
    "allocations.csv": {
        "job_id": str, "start_s": float, "end_s": float, "node": int, "gpus": int, "gpu_type": str,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Record:
    """The record of a run. `Record.of` keeps every digit, `Record.read` has the six decimals of the files.

    Attributes:
        jobs: columns and order of jobs.csv, then those of details.csv.
        allocations: columns and order of allocations.csv.
        gpus: GPUs of each node (task slots of a CPU node), shape (nodes,).
        gpu_type: type of each node's GPUs.
        facts: content of run.json.
    """

    jobs: pd.DataFrame
    allocations: pd.DataFrame
    gpus: NDArray[np.int64]
    gpu_type: tuple[str, ...]
    facts: Mapping[str, Any]

    @classmethod
    def of(cls, run: Run, facts: Mapping[str, Any] | None = None) -> "Record":
        """Take a run from memory; of `facts`, only `quantum_s`, `origin_s` and `parameters` are used."""
        jobs = _joined(run.jobs_frame(), run.details_frame())
        return cls(jobs, run.allocations_frame(), run.cluster.gpus, run.cluster.gpu_type, facts or {})

    @classmethod
    def read(cls, folder: Path) -> "Record":
        """Read a run folder.

        Raises:
            InputError: for a file that is missing or was changed after it was written, and for an unfinished run.
        """
        facts = _facts(folder / "run.json")
        gpus, gpu_type = _nodes(facts["node_groups"])
        jobs, details, rows = (_table(folder / name, facts["digests"].get(name)) for name in _KINDS)
        jobs = _joined(jobs, details)
        if (jobs["status"] != "finished").any():
            raise InputError("the run did not finish", file=folder / "jobs.csv", field="status")
        rows = rows[rows["end_s"] > rows["start_s"]].reset_index(drop=True)  # a microsecond may be rounded away
        return cls(jobs, rows, gpus, gpu_type, facts)

    @property
    def quantum_s(self) -> float:
        """Seconds between scheduling passes; 0: a pass at every event."""
        return float(self.facts.get("quantum_s", 0.0))

    @property
    def origin_s(self) -> float:
        """Time of the first submission on the clock by which passes are scheduled."""
        return float(self.facts.get("origin_s", 0.0))

    @property
    def consolidates(self) -> bool:
        """Whether the scheduler makes a gang wait for the fewest servers it could have."""
        parameters = self.facts.get("parameters", {})
        return isinstance(parameters, Mapping) and parameters.get("placement") == "consolidate"

    @cached_property
    def gangs(self) -> NDArray[np.int64]:
        """GPUs each job waits for, shape (jobs,).

        If every job of the run always holds the GPUs that it requests, the scheduler is taken to grant whole requests,
        and a job waits for its request. Otherwise a job waits for the fewest GPUs with which it can start.
        """
        asked = self.jobs["gpus"].to_numpy()
        rigid = bool((self.holds["gpus"].to_numpy() == asked[self.holds["job"].to_numpy()]).all())
        return asked if rigid else cast(NDArray[np.int64], self.jobs["min_gpus"].to_numpy())

    @cached_property
    def type_of(self) -> NDArray[np.int64]:
        """Group of each node, shape (nodes,); a gang may combine nodes of one group; -1: no GPUs.

        If no gang of the run has GPUs of two types, each GPU type is a group; otherwise all nodes form one group.
        """
        kinds = list(dict.fromkeys(self.gpu_type))
        of_node = np.array([kinds.index(kind) for kind in self.gpu_type], np.int64)
        rows = self.allocations.assign(job=self.alloc_job, kind=of_node[self.allocations["node"].to_numpy()])
        rows = rows[self.is_gpu[rows["node"].to_numpy()]]
        mixed = bool((rows.groupby(["job", "start_s"])["kind"].nunique() > 1).any())
        return np.where(self.is_gpu, 0 if mixed else of_node, -1)

    @cached_property
    def is_gpu(self) -> NDArray[np.bool_]:
        """Whether a node has GPUs, shape (nodes,)."""
        return np.array([kind != CPU for kind in self.gpu_type], np.bool_)

    @cached_property
    def total_gpus(self) -> int:
        """GPUs of the cluster."""
        return int(self.gpus[self.is_gpu].sum())

    @cached_property
    def alloc_job(self) -> NDArray[np.int64]:
        """Position in `jobs` of each allocation row's job, shape (rows,)."""
        return cast(NDArray[np.int64], pd.Index(self.jobs["job_id"]).get_indexer(self.allocations["job_id"]))

    @cached_property
    def holds(self) -> pd.DataFrame:
        """Intervals in which a job holds a gang: job (position in `jobs`), start_s, end_s, servers, gpus; sorted so."""
        rows = self.allocations.assign(job=self.alloc_job)
        rows["gpus"] *= self.is_gpu[rows["node"].to_numpy()]
        gangs = rows.groupby(["job", "start_s", "end_s"])
        return gangs.agg(servers=("node", "nunique"), gpus=("gpus", "sum")).reset_index()

    def position(self, job_id: str) -> int:
        """Position of a job in `jobs`.

        Raises:
            InputError: when there is no such job.
        """
        found = np.flatnonzero(self.jobs["job_id"] == job_id)
        if not len(found):
            raise InputError(f"no job {shown(job_id)} in this run", file="--job")
        return int(found[0])


def node_groups(cluster: Cluster) -> list[list[Any]]:
    """A cluster's nodes in order as in run.json: [type, nodes, GPUs of each] for consecutive equal nodes."""
    nodes = zip(cluster.gpu_type, cluster.gpus.tolist(), strict=True)
    return [[kind, len(list(same)), gpus] for (kind, gpus), same in groupby(nodes)]


def _nodes(groups: list[list[Any]]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """GPUs and type of each node: the inverse of `node_groups`."""
    nodes = [(kind, gpus) for kind, count, gpus in groups for _ in range(count)]
    return np.array([gpus for _, gpus in nodes], np.int64), tuple(kind for kind, _ in nodes)


def _joined(jobs: pd.DataFrame, details: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([jobs, details.drop(columns="job_id")], axis=1)


def _table(path: Path, digest: Any) -> pd.DataFrame:
    if not path.is_file():
        raise InputError("no such file", file=path)
    limits.FILE_BYTES.check(path.stat().st_size, file=path)
    if sha256(path) != digest:
        raise InputError("does not match its digest in run.json", file=path)
    kinds = _KINDS[path.name]
    table = read_columns(path, kinds).astype({name: kind for name, kind in kinds.items() if kind is not str})
    for name in ("job_id", "gpu_type"):
        if name in table:
            table[name] = pd.Series(from_fields(table[name]), table.index, dtype=table[name].dtype)
    return table


def _facts(path: Path) -> dict[str, Any]:
    facts = read_json(path, "no such file; name the folder of a run")
    for key, kind in (("digests", dict), ("node_groups", list)):
        if not isinstance(facts.get(key), kind):
            raise InputError("missing; simulate again", file=path, field=key)
    return facts
