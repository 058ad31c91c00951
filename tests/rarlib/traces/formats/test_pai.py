import tarfile
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import pai
from rarlib.traces.load import load_trace

JOB = "j1,i1,u1,Terminated,100.0,900.0\nj2,i2,u2,Failed,50.0,70.0\n"
TASK = (
    "j1,ps,2.0,Terminated,110.0,800.0,600.0,29.3,,MISC\n"
    "j1,worker,3.0,Terminated,120.0,870.0,600.0,29.3,50.0,T4\n"
    "j1,chief,1.0,Terminated,115.0,860.0,600.0,29.3,100.0,T4\n"
    "j2,tensorflow,1.0,Failed,60.0,70.0,600.0,29.3,25.0,P100\n"
)
GROUP = "i1,u1,T4,g1,bert\n"


def _write(folder: Path, job: str = JOB, task: str = TASK, group: str | None = GROUP) -> Path:
    (folder / "pai_job_table.csv").write_text(job)
    (folder / "pai_task_table.csv").write_text(task)
    if group is not None:
        (folder / "pai_group_tag_table.csv").write_text(group)
    return folder


def test_gang_is_the_rounded_up_sum_of_its_tasks(tmp_path: Path) -> None:
    # j1: 3 x 50 % + 100 % = 2.5 -> 3 GPUs (the ps has none), from 115 to 870; j2: a quarter -> 1 GPU.
    trace = load_trace(_write(tmp_path))
    jobs = trace.jobs
    assert jobs.job_id.tolist() == ["j2", "j1"]
    assert jobs.gpus.tolist() == [1, 3]
    assert jobs.duration_s.tolist() == [10, 755]
    assert jobs.submit_s.tolist() == [0, 50]
    assert jobs.application.tolist() == ["", "bert"]
    assert jobs.user.tolist() == ["u2", "u1"]
    assert jobs.status.tolist() == ["failed", "completed"]
    assert trace.provenance["format"] == "pai"


def test_dropped_and_counted(tmp_path: Path) -> None:
    job = JOB + "cpu,i3,u,Terminated,1,2\nrun,i4,u,Running,1,\nopen,i5,u,Terminated,1,2\nnone,i6,u,Terminated,1,2\n"
    task = TASK + (
        "cpu,w,1,Terminated,1,2,600,29,,\nrun,w,1,Running,5,,600,29,100,T4\n"
        "open,w,1,Terminated,5,,600,29,100,T4\nstray,w,1,Terminated,5,6,600,29,100,T4\n"
    )
    trace = load_trace(_write(tmp_path, job, task, None), "pai")
    assert trace.provenance["read"] == 6
    assert trace.provenance["dropped"] == {
        "GPU task without start or end": 1,
        "no GPU task": 2,
        "not ended (neither Terminated nor Failed)": 1,
    }
    assert "1 tasks name no listed job" in trace.provenance["note"]
    assert len(trace.jobs) == 2


def test_published_archives_and_a_single_table_as_path(tmp_path: Path) -> None:
    # The publisher hands out one .tar.gz a table, and a user may point at any of them.
    _write(tmp_path)
    for stem in ("pai_job_table", "pai_task_table"):
        with tarfile.open(tmp_path / f"{stem}.tar.gz", "w:gz") as archive:
            archive.add(tmp_path / f"{stem}.csv", f"{stem}.csv")
        (tmp_path / f"{stem}.csv").unlink()
    assert load_trace(tmp_path / "pai_task_table.tar.gz").jobs.gpus.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("job", "task", "complaint"),
    [
        (JOB + "j1,i9,u,Failed,1,2\n", TASK, "pai_job_table.csv, row 3, field job_name: duplicate id"),
        (JOB, TASK + "j2,w,1,Failed,x,2,1,1,100,T4\n", "pai_task_table.csv, row 5, field start_time: must be a number"),
        (JOB, TASK + "j2,w,1,Failed,9,2,1,1,100,T4\n", "row 5, field end_time: must not be before start_time"),
        (JOB, TASK + "j2,w,0,Failed,1,2,1,1,100,T4\n", "row 5, field inst_num: must be at least 1"),
        (JOB, TASK + "j2,w,1,Failed,1,2,1,1,-5,T4\n", "row 5, field plan_gpu: must not be negative"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, job: str, task: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        pai.read(pai.tables_in(_write(tmp_path, job, task)))


def test_missing_table_is_named(tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "pai_task_table.csv").unlink()
    with pytest.raises(InputError, match=r"should hold pai_task_table.csv"):
        load_trace(tmp_path)
