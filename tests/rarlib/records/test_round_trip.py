"""What a run wrote is read as it was, whatever its jobs are called."""

import csv

import pandas as pd

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.records.read import Record, node_groups
from rarlib.records.sample import sample_run
from rarlib.records.write import write_run

TABLES = ("jobs.csv", "allocations.csv", "details.csv")


def test_what_a_run_wrote_is_read_as_it_was(busy_run, tmp_path):
    """Stops, a gang on two servers, and a job of no length are in this one."""
    write_run(busy_run, tmp_path, {"node_groups": node_groups(Cluster.of([2, 2]))})
    found, run = Record.read(tmp_path), Record.of(busy_run)
    pd.testing.assert_frame_equal(found.jobs, run.jobs, check_dtype=False, rtol=0.0, atol=1e-6)
    assert found.gpus.tolist() == [2, 2]


HOSTILE = ["=1+1", "@SUM(A1)", "-1", "+2", "[/bold] $x^{$", "<script>alert(1)</script>", "'=1"]


def test_ids_that_are_formulas_markup_or_mathematics(tmp_path, run):
    """No table holds a formula, every command answers, and the ids come back as they were."""
    jobs = Jobs.build(job_id=HOSTILE, submit_s=range(7), gpus=[2] * 7, duration_s=[5] * 7)
    folder = sample_run(tmp_path / "run", "fifo", jobs=jobs, cluster="1x4")
    assert Record.read(folder).jobs["job_id"].tolist() == HOSTILE

    for command, out in ("why", "waiting.csv"), ("export", "trace.json"):
        assert run(command, folder, "--out", folder / out)[0] == 0
    for name in (*TABLES, "waiting.csv"):
        with (folder / name).open(newline="") as file:
            fields = [field for row in csv.reader(file) for field in row[:1]]
        assert not [field for field in fields if field[0] in "=+-@"]
    for name in HOSTILE:
        code, told = run("why", folder, "--job", name, "--picture", folder / "job.svg")
        assert code == 0 and f"job {name}: 2 GPUs" in told.out
        assert (folder / "job.svg").read_text().count("<script") == 0
