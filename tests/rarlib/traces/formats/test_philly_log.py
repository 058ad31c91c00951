import json
from typing import Any

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import philly_log


def _attempt(start: str | None, end: str | None, *nodes: int) -> dict[str, Any]:
    detail = [{"ip": f"m{i}", "gpus": [f"gpu{g}" for g in range(n)]} for i, n in enumerate(nodes)]
    return {"start_time": start, "end_time": end, "detail": detail}


def _job(name: str, *attempts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    job = {
        "status": "Pass", "vc": "6214e9", "jobid": name, "attempts": list(attempts),
        "submitted_time": "2017-10-09 07:00:00", "user": "u1",
    }  # fmt: skip
    return {**job, **changes}


def _read(*jobs: dict[str, Any]) -> philly_log.ParsedTrace:
    return philly_log.read(json.dumps(jobs).encode(), "cluster_job_log")


GOOD = _job("a", _attempt("2017-10-09 07:00:10", "2017-10-09 07:01:10", 8, 4))


def test_gang_over_nodes_and_duration_over_attempts() -> None:
    # A gang is counted over its machines; a retried job held GPUs in each attempt.
    first = _attempt("2017-10-09 08:00:00", "2017-10-09 08:00:30", 1)
    second = _attempt("2017-10-09 09:00:00", "2017-10-09 09:00:12", 1)
    retried = _job("b", first, second, status="Killed", submitted_time="2017-10-09 06:00:00")
    reading = _read(GOOD, retried)
    assert reading.jobs.job_id.tolist() == ["b", "a"]
    assert reading.jobs.gpus.tolist() == [1, 12]
    assert reading.jobs.duration_s.tolist() == [42, 60]
    assert reading.jobs.submit_s.tolist() == [0, 3600]
    assert reading.jobs.status.tolist() == ["cancelled", "completed"]
    assert reading.starts == "2017-10-09T06:00:00"


def test_every_stated_quirk_is_dropped_and_counted() -> None:
    # The log's own documentation says such entries exist; each must be counted under its reason.
    reading = _read(
        GOOD,
        _job("never"),
        _job("running", _attempt("2017-10-09 07:00:10", None, 1)),
        _job("running, absent as text", _attempt("2017-10-09 07:00:10", "None", 1)),
        _job("no start", _attempt(None, "2017-10-09 07:00:10", 1)),
        _job("neither", _attempt(None, None, 1)),
        _job("clock change", _attempt("2017-11-05 01:50:00", "2017-11-05 01:10:00", 1)),
        _job("no gpu", _attempt("2017-10-09 07:00:10", "2017-10-09 07:00:20")),
    )
    assert reading.read == 8
    assert len(reading.jobs) == 1
    assert reading.dropped == {
        "no attempt: never ran": 1,
        "still running at the snapshot": 2,
        "no attempt with both times": 2,
        "attempt ends before it starts": 1,
        "no GPU named": 1,
    }


@pytest.mark.parametrize(
    ("job", "complaint"),
    [
        ({**GOOD, "submitted_time": "yesterday"}, "row 2, field submitted_time: must be a time"),
        ({**GOOD, "submitted_time": None}, "row 2, field submitted_time: must not be empty"),
        ({**GOOD, "status": "Gone"}, "row 2, field status: unknown status 'Gone'"),
        ({**GOOD, "attempts": "none"}, "row 2, field attempts: must hold a list"),
        ({k: v for k, v in GOOD.items() if k != "jobid"}, "row 2, field jobid: missing field"),
        (GOOD, "row 2, field job_id: duplicate id a"),
        ({**GOOD, "status": []}, "row 2, field status: unknown status a list of 0"),
        ({**GOOD, "jobid": ["b"]}, "row 2, field jobid: must be text, found a list of 1"),
        ({**GOOD, "jobid": None}, "row 2, field job_id: must not be empty"),
        ({**GOOD, "jobid": "b" * 5_000}, "row 2, field job_id: more than 256 characters"),
        ({**GOOD, "jobid": "\ud800"}, "row 2: not valid JSON: half of a surrogate pair"),
        ({**GOOD, "user": {}}, "row 2, field user: must be text, found a mapping of 0"),
        ({**GOOD, "submitted_time": "9999-12-31 23:59:59"}, "row 2, field submit_s: must be at most"),
        ({**GOOD, "attempts": [5]}, "row 2, field detail: must hold a list"),
    ],
)
def test_bad_entries_are_named(job: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=f"cluster_job_log, {complaint}"):
        _read(GOOD, job)


def test_truncated_json_and_other_json() -> None:
    whole = json.dumps([GOOD]).encode()
    with pytest.raises(InputError, match="not valid JSON"):
        philly_log.read(whole[:-10], "cluster_job_log")
    with pytest.raises(InputError, match="must be a JSON array"):
        philly_log.read(b"{}", "cluster_job_log")
    with pytest.raises(InputError, match="holds no job"):
        philly_log.read(b"[]", "cluster_job_log")
