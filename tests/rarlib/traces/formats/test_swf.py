"""The Standard Workload Format: lines as the archive's page defines them."""

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import swf

HEAD = """; Version: 2.2
; Computer: IBM SP2
; UnixStartTime: 870000000
; MaxProcs: 128
; Queue: 1 night
; a remark that is no label
"""


def line(job=1, submit=0, run=10, held=4, asked=4, status=1, user=-1, program=-1, queue=-1, partition=-1):  # noqa: PLR0917
    return f"{job} {submit} 5 {run} {held} -1 -1 {asked} -1 -1 {status} {user} -1 {program} {queue} {partition} -1 -1\n"


def read(*lines: str, head: str = HEAD) -> swf.ParsedTrace:
    return swf.read((head + "".join(lines)).encode(), "log.swf")


def test_a_log_by_hand() -> None:
    reading = read(
        line(1, 20, 10, 4, 8, 1, 3, 7, 1),
        "  " + line(2, 50, 30, 2, -1, 0, 3, 7, 2),  # unknown request: what it got; leading blanks are usual
        line(3, 60, 5, 1, 1, 5, -1, -1, -1, 4),
        line(4, 70, -1),
        line(5, 80, 9, -1, -1),
    )
    jobs = reading.jobs
    assert jobs.job_id.tolist() == ["1", "2", "3"]
    assert jobs.submit_s.tolist() == [0, 30, 40]
    assert jobs.gpus.tolist() == [8, 2, 1]
    assert jobs.duration_s.tolist() == [10, 30, 5]
    assert jobs.status.tolist() == ["completed", "failed", "cancelled"]
    assert jobs.user.tolist() == ["3", "3", ""]
    assert jobs.vc.tolist() == ["night", "2", "4"]
    assert (reading.read, reading.dropped) == (5, {"unknown run time": 1, "unknown number of processors": 1})
    assert reading.starts == "1997-07-27T10:40:20"  # 870000000 is 10:40:00 UTC
    assert "MaxProcs 128" in reading.note


def test_intervals_of_a_stopped_job_are_no_jobs() -> None:
    """Counted twice, they would double its GPU time."""
    reading = read(line(1, 0, 30), line(1, 0, 10, status=2), line(1, -1, 20, status=3))
    assert reading.jobs.duration_s.tolist() == [30]
    assert reading.dropped == {"interval of a stopped job": 2}


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["1 2 3\n"], "row 2: has 3 fields where 18 are expected"),
        ([line(), line()], "row 3, field job: duplicate id 1"),
        ([line(submit=-1)], "row 2, field submit: must not be negative"),
        ([line(run=-5)], "row 2, field run_time: must not be negative"),
        ([line(status=9)], "row 2, field status: must be a status from -1 to 5"),
        ([line(run="ten")], "row 2, field run_time: must be a number, found 'ten'"),
        ([line(asked=1.5)], "row 2, field requested_processors"),
        ([line(asked=10**12)], "row 2, field requested_processors: must be at most"),
        ([line(run=-1)], "holds no job of known run time and size"),
        ([], "holds no job"),
        (["; UnixStartTime: soon\n", line()], "row 2, field UnixStartTime: must be a number of at least 0"),
        (["; GPUsPerProcessor: 0\n", line()], "row 2, field GPUsPerProcessor: must be a number above 0"),
        (["\0\n"], "holds a NUL"),
    ],
)
def test_bad_lines_are_named(lines: list[str], complaint: str) -> None:
    if complaint.endswith("field requested_processors"):
        assert read(*lines, head="; x\n").jobs.gpus.tolist() == [2], "sums are rounded up"
        return
    with pytest.raises(InputError, match=f"log.swf.*{complaint}"):
        read(*lines, head="; x\n")
