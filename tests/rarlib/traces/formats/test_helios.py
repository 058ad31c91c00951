import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import helios

HEAD = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"


def _row(name: str, gpus: int, state: str, submit: str = "2020-04-01 00:00:10", duration: str = "50") -> str:
    return f"{name},u1,vc1,{gpus},8,1,{state},{submit},2020-04-01 00:00:20,2020-04-01 00:01:10,{duration},10\n"


def _read(*rows: str) -> helios.ParsedTrace:
    return helios.read((HEAD + "".join(rows)).encode(), "cluster_log.csv")


def test_cpu_jobs_are_dropped_and_states_translated() -> None:
    # More than half of Helios' jobs use no GPU; keeping them would invent one-GPU jobs.
    states = ["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "SUSPENDED"]
    reading = _read(_row("c1", 0, "COMPLETED", duration=""), *(_row(f"g{i}", 8, s) for i, s in enumerate(states)))
    assert (reading.read, reading.dropped) == (7, {"CPU only (gpu_num 0)": 1})
    assert reading.jobs.status.tolist() == ["completed", "cancelled", "failed", "failed", "failed", ""]
    assert reading.jobs.job_id.tolist() == ["g0", "g1", "g2", "g3", "g4", "g5"]
    assert reading.jobs.duration_s.tolist() == [50] * 6
    assert reading.starts == "2020-04-01T00:00:10"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (_row("b", 1, "LOST"), "row 4, field state: unknown state 'LOST'"),
        (_row("b", 1, "FAILED", duration="-3"), "row 4, field duration: must not be negative"),
        (_row("b", 1, "FAILED", duration=""), "row 4, field duration: must not be empty"),
        (_row("b", 1, "FAILED", submit="2020-13-01 00:00:00"), "row 4, field submit_time: must be a time"),
        (_row("a", 1, "FAILED"), "row 4, field job_id: duplicate id a"),
    ],
)
def test_bad_rows_are_named_by_their_line(row: str, complaint: str) -> None:
    # The dropped CPU row above must not shift the line that is named.
    with pytest.raises(InputError, match=f"cluster_log.csv, {complaint}"):
        _read(_row("a", 1, "COMPLETED"), _row("cpu", 0, "COMPLETED"), row)
