"""Run folders that no run wrote are refused, however well their digests agree."""

import csv
import hashlib
import json

import pandas as pd
import pytest

from rarlib.cli.main import main
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.records.read import Record, node_groups
from rarlib.records.sample import sample_run
from rarlib.records.write import write_run

TABLES = ("jobs.csv", "allocations.csv", "details.csv")


@pytest.fixture
def folder(tmp_path):
    """One node of four GPUs: job `a` holds two from 0 to 10 s, job `b` three from 10 to 14 s."""
    jobs = Jobs.build(job_id=["a", "b"], submit_s=[0, 1], gpus=[2, 3], duration_s=[10, 4])
    return sample_run(tmp_path / "run", "fifo", jobs=jobs, cluster="1x4")


def changed(folder, name, row, **fields):
    """Set fields of a row (the first one after the header is 2) and make the digests agree."""
    with (folder / name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[row - 2] |= {key: str(value) for key, value in fields.items()}
    write_rows(folder, name, rows)


def write_rows(folder, name, rows):
    with (folder / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    sealed(folder)


def sealed(folder):
    facts = json.loads((folder / "run.json").read_text())
    facts["digests"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in TABLES}
    (folder / "run.json").write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("name", "row", "fields", "complaint"),
    [
        ("allocations.csv", 2, {"gpus": 99}, "allocations.csv, row 2, field gpus: is more than the node has"),
        ("allocations.csv", 2, {"gpus": -3}, "field gpus: must be at least 1"),
        ("allocations.csv", 2, {"gpus": 1}, "jobs.csv, row 2, field gpu_seconds: is not what allocations.csv adds"),
        ("allocations.csv", 3, {"end_s": "9.000000"}, "allocations.csv, row 3, field end_s: ends before it starts"),
        ("allocations.csv", 3, {"start_s": "9.000000"}, "is before the start of the job"),
        ("allocations.csv", 3, {"end_s": "20.000000"}, "is after the finish of the job"),
        ("allocations.csv", 2, {"node": 1}, "field node: names a node that is not in run.json"),
        ("allocations.csv", 2, {"node": 0.5}, "must be a whole number, found '0.5'"),
        ("allocations.csv", 2, {"gpu_type": "h100"}, "is not the type of the node"),
        ("allocations.csv", 2, {"job_id": "c"}, "names a job that is not in jobs.csv"),
        ("allocations.csv", 2, {"job_id": "b"}, "is before the start of the job"),
        ("jobs.csv", 2, {"gpus": 99}, "jobs.csv, row 2, field gpus: is more than the 4 GPUs of the cluster"),
        ("jobs.csv", 2, {"gpus": -3}, "must not be negative"),
        ("jobs.csv", 3, {"job_id": "a"}, "jobs.csv, row 3, field job_id: is there twice"),
        ("jobs.csv", 3, {"job_id": ""}, "must not be empty"),
        ("jobs.csv", 3, {"finish_s": "9.000000"}, "row 3, field finish_s: ends before it starts"),
        ("jobs.csv", 3, {"start_s": "0.500000"}, "starts before its submission"),
        ("jobs.csv", 2, {"submit_s": "-5.000000"}, "must not be negative"),
        ("jobs.csv", 2, {"submit_s": "nan"}, "must be a number, found 'nan'"),
        ("jobs.csv", 2, {"finish_s": "1e300"}, "is too large"),
        ("jobs.csv", 3, {"queue_s": "0.000000"}, "field queue_s: is not what allocations.csv adds up to"),
        ("jobs.csv", 3, {"overhead_s": "5.000000"}, "exceeds the time in which the job holds GPUs"),
        ("jobs.csv", 2, {"status": "unfinished"}, "the run did not finish"),
        ("details.csv", 2, {"restart_s": "7.000000"}, "exceeds overhead_s"),
        ("details.csv", 2, {"min_gpus": 5}, "is more than the 4 GPUs"),
        ("details.csv", 2, {"moves": -1}, "must be a number of starts"),
    ],
)  # fmt: skip
def test_a_contradiction_is_named_with_file_row_and_field(folder, name, row, fields, complaint):
    Record.read(folder)
    changed(folder, name, row, **fields)
    if "job_id" in fields and name == "jobs.csv":
        changed(folder, "details.csv", row, **fields)
    with pytest.raises(InputError) as refused:
        Record.read(folder)
    assert complaint in str(refused.value)


def test_a_job_has_one_gang_at_a_time(busy_run, tmp_path):
    """The same GPUs listed twice, on a node with room for both."""
    write_run(busy_run, tmp_path, {"node_groups": [["gpu", 2, 4]]})
    text = (tmp_path / "allocations.csv").read_text().replace(",default,", ",gpu,")
    head, first, *rest = text.splitlines(keepends=True)
    kind = first.split(",")[4]
    facts = json.loads((tmp_path / "run.json").read_text()) | {"node_groups": [[kind, 2, 4]]}
    (tmp_path / "run.json").write_text(json.dumps(facts))
    (tmp_path / "allocations.csv").write_text("".join([head, first, first, *rest]))
    sealed(tmp_path)
    with pytest.raises(InputError, match="still holds other GPUs"):
        Record.read(tmp_path)


def test_what_a_run_wrote_is_read_as_it_was(busy_run, tmp_path):
    """The checks may refuse no run: stops, a gang on two servers, and a job of no length are in this one."""
    write_run(busy_run, tmp_path, {"node_groups": node_groups(Cluster.of([2, 2]))})
    found, run = Record.read(tmp_path), Record.of(busy_run)
    pd.testing.assert_frame_equal(found.jobs, run.jobs, check_dtype=False, rtol=0.0, atol=1e-6)
    assert found.gpus.tolist() == [2, 2]


HOSTILE = ["=1+1", "@SUM(A1)", "-1", "+2", "[/bold] $x^{$", "<script>alert(1)</script>", "'=1"]


def test_ids_that_are_formulas_markup_or_mathematics(tmp_path, capsys):
    """No table holds a formula, every command answers, and the ids come back as they were."""
    jobs = Jobs.build(job_id=HOSTILE, submit_s=range(7), gpus=[2] * 7, duration_s=[5] * 7)
    folder = sample_run(tmp_path / "run", "fifo", jobs=jobs, cluster="1x4")
    assert Record.read(folder).jobs["job_id"].tolist() == HOSTILE

    def run(*words):
        with pytest.raises(SystemExit, match=r"^0$"):
            main([str(word) for word in words])
        return capsys.readouterr().out

    run("why", folder, "--out", folder / "waiting.csv")
    run("export", folder, "--to", "batsim", "--out", folder / "batsim.csv")
    for name in (*TABLES, "waiting.csv", "batsim.csv"):
        with (folder / name).open(newline="") as file:
            fields = [field for row in csv.reader(file) for field in row[:1]]
        assert not [field for field in fields if field[0] in "=+-@"]
    for name in HOSTILE:
        assert f"job {name}: 2 GPUs" in run("why", folder, "--job", name, "--picture", folder / "job.svg")
        assert (folder / "job.svg").read_text().count("<script") == 0
