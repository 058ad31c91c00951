"""Alibaba PAI 2020 (Weng et al., NSDI'22): job, task and (optionally) group-tag tables, all without a header line.

Reading rules:

- A job's gang is ceil(sum over its tasks of inst_num x plan_gpu / 100): shares of a GPU are added up within the
  job, and the sum is rounded up, because this model places whole GPUs. plan_gpu is in percent of a GPU; a task
  without it uses none.
- It is submitted at the job's start_time (when PAI received it) and runs from the first start to the last end of
  its GPU tasks.
- Dropped and counted: jobs without a GPU task, jobs that neither terminated nor failed, jobs one of whose GPU tasks
  lacks a start or an end. Tasks of jobs that the job table does not list are counted in the note.
- application is the group table's `workload` where it is given.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.model.inputs import is_folder, is_regular
from rarlib.traces.archive import member_bytes
from rarlib.traces.table import ParsedTrace, RawTable

FORMAT = "pai"
_JOB = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
_TASK = (
    "job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu",
    "gpu_type",
)  # fmt: skip
_GROUP = ("inst_id", "user", "gpu_type_spec", "group", "workload")
_TEXT = ("job_name", "inst_id", "user", "status", "task_name", "gpu_type", "gpu_type_spec", "group", "workload")
_ENDED = {"Terminated": "completed", "Failed": "failed"}


def tables_in(path: Path) -> dict[str, Path]:
    """The trace's tables beside `path` (a folder or one of the tables): `job`, `task` and, if there, `group`.

    Raises:
        InputError: when the job or the task table is missing.
    """
    folder = path if is_folder(path) else path.parent
    found: dict[str, Path] = {}
    for key, stem in (("job", "pai_job_table"), ("task", "pai_task_table"), ("group", "pai_group_tag_table")):
        for ending in (".csv", ".tar.gz", ".csv.gz"):
            if is_regular(folder / (stem + ending)):
                found[key] = folder / (stem + ending)
                break
        if key not in found and key != "group":
            raise InputError(f"should hold {stem}.csv (or .tar.gz)", file=folder)
    return found


def read(tables: dict[str, Path]) -> ParsedTrace:
    """Join the tables; see the module for the rules."""
    jobs = _parse(tables["job"], _JOB)
    names = pd.Index(jobs.text("job_name"))
    jobs.fail(names.duplicated(), "job_name", "duplicate id")
    tasks = _parse(tables["task"], _TASK)
    gangs, strays = _gangs(tasks, names)
    reasons = _reasons(jobs, gangs)
    kept = jobs.keep(reasons == "")
    if not len(kept):
        raise InputError("holds no ended job that uses a GPU", file=jobs.file)
    gangs = gangs[reasons == ""]
    built = kept.jobs(
        job_id=("job_name", kept.text("job_name")),
        submit_s=("start_time", kept.numbers("start_time")),
        gpus=("plan_gpu", np.ceil(np.round(gangs["gpus"].to_numpy(), 6))),
        duration_s=("end_time", (gangs["end"] - gangs["start"]).to_numpy()),
        application=("workload", _workloads(tables, kept)),
        user=("user", kept.text("user")),
        status=("status", [_ENDED[state] for state in kept.text("status")]),
    )
    dropped = {reason: int((reasons == reason).sum()) for reason in sorted(set(reasons) - {""})}
    note = "gpus is the sum of the tasks' shares, rounded up"
    return ParsedTrace(
        built, len(jobs), dropped, note=note + (f"; {strays} tasks name no listed job" if strays else "")
    )


def _parse(path: Path, names: tuple[str, ...]) -> RawTable:
    data = member_bytes(path)
    headed = data.startswith(f"{names[0]},{names[1]}".encode())
    text = [name for name in names if name in _TEXT]
    table = RawTable.parse(data, str(path), text=text, names=None if headed else names)
    return table.require(*names)


def _gangs(tasks: RawTable, names: pd.Index) -> tuple[pd.DataFrame, int]:
    """GPUs, first start, last end and whether all times are known, by job in the order of `names`."""
    share = tasks.numbers("plan_gpu", empty=0.0)
    tasks.fail(~(share >= 0), "plan_gpu", "must not be negative")
    tasks, share = tasks.keep(share > 0), share[share > 0]
    count = tasks.numbers("inst_num")
    tasks.fail(~(count >= 1), "inst_num", "must be at least 1")
    start, end = (tasks.numbers(column, empty=np.nan) for column in ("start_time", "end_time"))
    tasks.fail(end < start, "end_time", "must not be before start_time")
    parts = pd.DataFrame({
        "name": tasks.text("job_name"), "gpus": count * share / 100, "start": start, "end": end,
        "timed": np.isfinite(start) & np.isfinite(end),
    })  # fmt: skip
    whole = parts.groupby("name").agg(
        gpus=("gpus", "sum"), start=("start", "min"), end=("end", "max"), timed=("timed", "all")
    )
    return whole.reindex(names), int((~parts["name"].isin(names)).sum())


def _reasons(jobs: RawTable, gangs: pd.DataFrame) -> np.ndarray:
    """Why each job is dropped, shape (jobs,); empty where it is kept."""
    reasons = np.full(len(jobs), "", dtype=object)
    ended = np.array([state in _ENDED for state in jobs.text("status")], dtype=bool)
    reasons[~gangs["timed"].eq(True).to_numpy()] = "GPU task without start or end"
    reasons[~ended] = "not ended (neither Terminated nor Failed)"
    reasons[gangs["gpus"].isna().to_numpy()] = "no GPU task"
    return reasons


def _workloads(tables: dict[str, Path], kept: RawTable) -> np.ndarray:
    if "group" not in tables:
        return np.full(len(kept), "", dtype=object)
    group = _parse(tables["group"], _GROUP)
    by_instance = dict(zip(group.text("inst_id"), group.text("workload"), strict=True))
    return np.array([by_instance.get(i, "") for i in kept.text("inst_id")], dtype=object)
