"""A run's three files: whole or absent, the same every time, and true to the run."""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

from rarlib.cli.main import main
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.records import write
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate

FILES = ["allocations.csv", "details.csv", "jobs.csv", "run.json"]


def run():
    jobs = Jobs.build(submit_s=[0, 1, 2], gpus=[2, 1, 3], duration_s=[10, 2.5, 4])
    return simulate(jobs, Cluster.parse("2x2"), Srtf(), TraceCost(), restart_s=1.0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_say_what_happened(tmp_path):
    """Each interval of a job is there, and its GPU-seconds add up to those of its row."""
    write.write_run(run(), tmp_path, {"scheduler": "srtf"})
    jobs, rows = (pd.read_csv(tmp_path / name) for name in ("jobs.csv", "allocations.csv"))
    held = ((rows.end_s - rows.start_s) * rows.gpus).groupby(rows.job_id).sum()
    assert held.tolist() == pytest.approx(jobs.gpu_seconds.tolist())
    # Job 2 (4 s on 3 GPUs) is shorter than what is left of job 0, so job 0 stops at 2 and loses a second later.
    assert jobs.restarts.tolist() == [1, 0, 0]
    assert jobs.overhead_s.tolist() == [1.0, 0.0, 0.0]
    record = json.loads((tmp_path / "run.json").read_text())
    for name in FILES[:2]:
        assert record["digests"][name] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write.write_run(run(), tmp_path / name, {"scheduler": "srtf"})
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_failure_leaves_the_earlier_run_whole(tmp_path, monkeypatch):
    """A run that dies while writing must neither mix with an earlier one nor leave parts behind."""
    write.write_run(run(), tmp_path, {"scheduler": "srtf"})
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    monkeypatch.setattr(write, "versions", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write.write_run(run(), tmp_path, {"scheduler": "other"})
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--cluster", "2x1"],  # job larger than the cluster
        ["--cluster", "2x2", "--scheduler", "sjf-bco", "--param", "horizon=1"],  # found out while running
    ],
)
def test_a_refused_run_writes_nothing(tmp_path, arguments, capsys):
    """Bad input ends before any file of the result exists."""
    trace, out = tmp_path / "jobs.csv", tmp_path / "out"
    trace.write_text("submit_s,gpus,duration_s\n0,4,100\n")
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "--trace", str(trace), "--scheduler", "fifo", *arguments, "--out", str(out)])
    assert ended.value.code == 2
    assert not out.exists()
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_constants_in_force_are_recorded(tmp_path):
    """A run priced with defaults must stay repeatable when the defaults change."""
    trace, out = tmp_path / "jobs.csv", tmp_path / "out"
    trace.write_text("submit_s,gpus,duration_s\n0,4,100\n")
    command = [
        "simulate",
        "--trace",
        str(trace),
        "--cluster",
        "2x2",
        "--scheduler",
        "las",
        "--quiet",
        "--out",
        str(out),
    ]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--contention", "alpha=0.5"])
    assert ended.value.code == 0
    record = json.loads((out / "run.json").read_text())
    assert record["cost"] == {
        "name": "ring", "alpha": 0.5, "xi": 1.0, "share": 0.05, "overhead": 0.005, "gbps": 10.0,
        "degradation": "linear",
    }  # fmt: skip
    assert record["parameters"] == {"placement": "any", "levels": [3250.0, 7200.0], "slot_s": 0.0, "holds": False}
