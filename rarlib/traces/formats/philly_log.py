"""Philly's raw `cluster_job_log`: a JSON array of jobs, each with its scheduling attempts.

Source: msr-fiddle/philly-traces README (Jeon et al., ATC'19). Reading rules:

- GPUs of an attempt are counted over its `detail` list; a job's gang is its largest attempt.
- The duration is the sum over attempts that have both times: how long the job held GPUs in all its attempts.
- A job without attempts never ran; a job whose last attempt has no end was still running at the snapshot; both
  are dropped and counted, as is a job without an attempt that has both times, or without one that names a GPU.
- Times have no zone and are taken as they stand. Across the clock change of autumn 2017 an attempt may seem to end
  before it starts; such a job is dropped and counted.
- In errors `row` is the 1-based position in the array.
"""

from collections import Counter
from datetime import datetime
from typing import Any

import numpy as np

from rarlib.model.errors import InputError, shown
from rarlib.model.inputs import json_entries
from rarlib.model.jobs import Jobs
from rarlib.traces.table import ParsedTrace, iso

FORMAT = "philly"
_STATUS = {"Pass": "completed", "Killed": "cancelled", "Failed": "failed"}
_EPOCH = datetime(1970, 1, 1)
_ABSENT = (None, "", "None")


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the log; the module's docstring says what is dropped."""
    dropped: Counter[str] = Counter()
    kept: dict[str, list[Any]] = {
        name: [] for name in ("job_id", "submit_s", "gpus", "duration_s", "user", "vc", "status")
    }
    positions: list[int] = []
    position = 0
    for position, entry in enumerate(json_entries(data, file), 1):
        job = _job(entry, file, position)
        if isinstance(job, str):
            dropped[job] += 1
            continue
        positions.append(position)
        for name, value in job.items():
            kept[name].append(value)
    jobs = Jobs.build(file=file, rows=np.array(positions), **kept)
    return ParsedTrace(jobs, position, dict(sorted(dropped.items())), starts=iso(min(kept["submit_s"])))


def _job(entry: Any, file: str, row: int) -> dict[str, Any] | str:
    """The job's columns, or the reason why it is dropped."""
    for field in ("jobid", "submitted_time", "status", "vc", "user", "attempts"):
        if not isinstance(entry, dict) or field not in entry:
            raise InputError("missing field", file=file, row=row, field=field)
    if not isinstance(entry["status"], str) or entry["status"] not in _STATUS:
        raise InputError(f"unknown status {shown(entry['status'])}", file=file, row=row, field="status")
    attempts = _list(entry, "attempts", file, row)
    submit = _time(entry, "submitted_time", file, row)
    if submit is None:
        raise InputError("must not be empty", file=file, row=row, field="submitted_time")
    held = _held(attempts, file, row)
    if isinstance(held, str):
        return held
    gpus, duration = held
    return {
        "job_id": _text(entry, "jobid", file, row),
        "submit_s": submit,
        "gpus": gpus,
        "duration_s": duration,
        "user": _text(entry, "user", file, row),
        "vc": _text(entry, "vc", file, row),
        "status": _STATUS[entry["status"]],
    }


def _held(attempts: list[Any], file: str, row: int) -> tuple[int, float] | str:
    if not attempts:
        return "no attempt: never ran"
    spans, gpus = [], 0
    for attempt in attempts:
        start, end = (_time(attempt, key, file, row) for key in ("start_time", "end_time"))
        gpus = max(gpus, sum(len(_list(node, "gpus", file, row)) for node in _list(attempt, "detail", file, row)))
        if start is not None and end is not None:
            spans.append(end - start)
    if end is None and start is not None:
        return "still running at the snapshot"
    if not spans:
        return "no attempt with both times"
    if min(spans) < 0:
        return "attempt ends before it starts"
    return (gpus, sum(spans)) if gpus else "no GPU named"


def _list(entry: Any, field: str, file: str, row: int) -> list[Any]:
    value = entry.get(field) if isinstance(entry, dict) else None
    if not isinstance(value, list):
        raise InputError(f"must hold a list, found {type(value).__name__}", file=file, row=row, field=field)
    return value


def _text(entry: dict[str, Any], field: str, file: str, row: int) -> str:
    value = entry[field] if entry[field] is not None else ""
    if not isinstance(value, str):
        raise InputError(f"must be text, found {shown(value)}", file=file, row=row, field=field)
    return value


def _time(entry: Any, field: str, file: str, row: int) -> float | None:
    text = entry.get(field) if isinstance(entry, dict) else None
    if text in _ABSENT:
        return None
    try:
        if len(text) != len("2017-08-07 00:10:00"):
            raise ValueError
        return (datetime.fromisoformat(text) - _EPOCH).total_seconds()
    except (TypeError, ValueError):
        rule = f"must be a time such as 2017-08-07 00:10:00, found {shown(text)}"
        raise InputError(rule, file=file, row=row, field=field) from None
