"""Whether the tables of a run folder can be those of a run, whatever their digests say.

What the simulator guarantees of a run in memory (`rarlib.simulator.identities`) is tested here on six decimals, without
prices and jobs. A folder that passes can be split, explained and exported; one that fails was not written by a run.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.cluster import CPU
from rarlib.model.errors import InputError

JOB_KINDS: Mapping[str, type] = {
    "job_id": str, "submit_s": float, "start_s": float, "finish_s": float, "gpus": int, "gpu_seconds": float,
    "restarts": int, "queue_s": float, "contention_s": float, "overhead_s": float, "status": str,
}  # fmt: skip
DETAIL_KINDS: Mapping[str, type] = {"job_id": str, "min_gpus": int, "moves": int, "restart_s": float}
ALLOCATION_KINDS: Mapping[str, type] = {
    "job_id": str, "start_s": float, "end_s": float, "node": int, "gpus": int, "gpu_type": str,
}  # fmt: skip

MOST_SECONDS = 1e15
"""A later time is refused: sums over jobs would lose whole seconds."""
_ROUNDED_S = 1e-6
"""By how much the difference of two times may be off after rounding to six decimals."""
_RELATIVE = 1e-9


class _Tables(NamedTuple):
    """Tables of a run; `job` is the position in `jobs` of each row's job, `gpus` the GPUs of each node."""

    folder: Path
    jobs: pd.DataFrame
    rows: pd.DataFrame
    job: NDArray[np.int64]
    gpus: NDArray[np.int64]
    is_gpu: NDArray[np.bool_]


def check_run(
    folder: Path,
    jobs: pd.DataFrame,
    rows: pd.DataFrame,
    gpus: NDArray[np.int64],
    gpu_type: tuple[str, ...],
    tick_s: float,
) -> None:
    """Refuse tables that contradict each other or the cluster.

    Args:
        folder: named in errors.
        jobs: columns of jobs.csv and details.csv.
        rows: columns of allocations.csv.
        gpus: GPUs of each node, shape (nodes,).
        gpu_type: type of each node's GPUs.
        tick_s: as in run.json; jobs end up to half of it away from their work.

    Raises:
        InputError: naming file, row and field of the first contradiction.
    """
    _check_jobs(folder, jobs, int(gpus[[kind != CPU for kind in gpu_type]].sum()))
    job = pd.Index(jobs["job_id"]).get_indexer(rows["job_id"])
    is_gpu = np.array([kind != CPU for kind in gpu_type], np.bool_)
    tables = _Tables(folder, jobs, rows, np.asarray(job, np.int64), gpus, is_gpu)
    _check_rows(tables, gpu_type)
    _check_capacity(tables)
    _check_sums(tables, tick_s)


def _check_jobs(folder: Path, jobs: pd.DataFrame, total_gpus: int) -> None:
    path = folder / "jobs.csv"
    _refuse(jobs["job_id"] == "", path, "job_id", "must not be empty")
    _refuse(jobs["job_id"].duplicated(), path, "job_id", "is there twice")
    _refuse(jobs["status"] != "finished", path, "status", "the run did not finish")
    for name in (
        "submit_s",
        "start_s",
        "finish_s",
        "gpu_seconds",
        "queue_s",
        "contention_s",
        "overhead_s",
        "restart_s",
    ):
        file = folder / "details.csv" if name == "restart_s" else path
        _refuse(jobs[name] < -_ROUNDED_S, file, name, "must not be negative")
        _refuse(jobs[name] > MOST_SECONDS * (total_gpus if name == "gpu_seconds" else 1), file, name, "is too large")
    _refuse(np.diff(jobs["submit_s"], prepend=0.0) < 0.0, path, "submit_s", "jobs must be in order of submission")
    _refuse(jobs["start_s"] < jobs["submit_s"], path, "start_s", "starts before its submission")
    _refuse(jobs["finish_s"] < jobs["start_s"], path, "finish_s", "ends before it starts")
    for name, file in (("gpus", path), ("min_gpus", folder / "details.csv")):
        _refuse(jobs[name] < 0, file, name, "must not be negative")
        _refuse(jobs[name] > total_gpus, file, name, f"is more than the {total_gpus} GPUs of the cluster")
    for name, file in (("restarts", path), ("moves", folder / "details.csv")):
        _refuse((jobs[name] < 0) | (jobs[name] > 2**31), file, name, "must be a number of starts")


def _check_rows(tables: _Tables, gpu_type: tuple[str, ...]) -> None:
    """Each row by itself: a job of the run, on GPUs that its node has, while it is in the system."""
    path, rows, jobs, job = tables.folder / "allocations.csv", tables.rows, tables.jobs, tables.job
    _refuse(job < 0, path, "job_id", "names a job that is not in jobs.csv")
    node = rows["node"].to_numpy()
    _refuse((node < 0) | (node >= len(tables.gpus)), path, "node", "names a node that is not in run.json")
    types = np.array(gpu_type, object)[node]
    _refuse(rows["gpu_type"].to_numpy() != types, path, "gpu_type", "is not the type of the node in run.json")
    held = rows["gpus"].to_numpy()
    _refuse(held < 1, path, "gpus", "must be at least 1")
    _refuse(held > tables.gpus[node], path, "gpus", "is more than the node has")
    start, end = rows["start_s"].to_numpy(), rows["end_s"].to_numpy()
    _refuse(end < start, path, "end_s", "ends before it starts")
    _refuse(start < jobs["start_s"].to_numpy()[job], path, "start_s", "is before the start of the job in jobs.csv")
    _refuse(end > jobs["finish_s"].to_numpy()[job], path, "end_s", "is after the finish of the job in jobs.csv")


def _check_capacity(tables: _Tables) -> None:
    """At any time the rows of a node hold no more GPUs than it has, and a job has one gang."""
    path, rows = tables.folder / "allocations.csv", tables.rows
    count = len(rows)
    start, end, node, held = (rows[name].to_numpy() for name in ("start_s", "end_s", "node", "gpus"))
    where, time = np.concatenate([node, node]), np.concatenate([end, start])
    change = np.concatenate([-held, held])
    order = np.lexsort((change, time, where))  # at the same time, GPUs are freed before they are taken
    used = np.cumsum(change[order])  # every node ends at 0, so the sum can run on over all nodes
    over = np.zeros(2 * count, np.bool_)
    over[order] = used > tables.gpus[where[order]]
    _refuse(over[count:], path, "gpus", "jobs hold more GPUs than the node has at that time")

    order = np.lexsort((node, end, start, tables.job))
    job, start, end, node = tables.job[order], start[order], end[order], node[order]
    same_job = job[1:] == job[:-1]
    same_gang = same_job & (start[1:] == start[:-1]) & (end[1:] == end[:-1]) & (node[1:] != node[:-1])
    apart = ~same_job | same_gang | (start[1:] >= end[:-1])
    bad = np.zeros(count, np.bool_)
    bad[order[1:]] = ~apart
    _refuse(bad, path, "start_s", "the job still holds other GPUs at that time")


def _check_sums(tables: _Tables, tick_s: float) -> None:
    """What jobs.csv says of each job is what its rows add up to."""
    path, jobs, rows = tables.folder / "jobs.csv", tables.jobs, tables.rows
    length = (rows["end_s"] - rows["start_s"]).to_numpy()
    first = ~pd.DataFrame({"job": tables.job, "start": rows["start_s"], "end": rows["end_s"]}).duplicated().to_numpy()
    count = len(jobs)
    intervals = np.bincount(tables.job[first & (length > 0.0)], minlength=count)
    held_s = np.bincount(tables.job[first], length[first], count)
    used = rows["gpus"].to_numpy() * tables.is_gpu[rows["node"].to_numpy()]
    gpu_seconds = np.bincount(tables.job, used * length, count)
    off = _ROUNDED_S * (np.bincount(tables.job, used, count) + 1.0)
    _differ(path, "gpu_seconds", jobs["gpu_seconds"].to_numpy(), gpu_seconds, off)
    turnaround = (jobs["finish_s"] - jobs["submit_s"]).to_numpy()
    off = _ROUNDED_S * (np.bincount(tables.job[first], minlength=count) + 3.0)
    _differ(path, "queue_s", jobs["queue_s"].to_numpy(), turnaround - held_s, off)
    starts = jobs["restarts"] + jobs["moves"] + 1
    _refuse(intervals > starts, path, "restarts", "is less than allocations.csv has intervals after the first")
    spent = jobs["contention_s"] + jobs["overhead_s"]
    _refuse(spent > held_s + off + tick_s + _RELATIVE * held_s, path, "overhead_s",
            "with contention_s, exceeds the time in which the job holds GPUs")  # fmt: skip
    _refuse(jobs["restart_s"] > jobs["overhead_s"] + _ROUNDED_S, tables.folder / "details.csv", "restart_s",
            "exceeds overhead_s of jobs.csv")  # fmt: skip


def _differ(path: Path, field: str, said: NDArray[Any], found: NDArray[Any], off: NDArray[Any]) -> None:
    _refuse(
        np.abs(said - found) > off + _RELATIVE * np.abs(found), path, field, "is not what allocations.csv adds up to"
    )


def _refuse(bad: Any, path: Path, field: str, rule: str) -> None:
    found = np.flatnonzero(np.asarray(bad))
    if len(found):
        raise InputError(rule, file=path, row=int(found[0]) + 2, field=field)
