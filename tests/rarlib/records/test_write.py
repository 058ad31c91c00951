"""A run's files: whole or absent, the same every time, and true to the run, links included."""

import hashlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from rarlib.cli.main import app
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.records import write
from rarlib.records.link_use import link_load, link_use
from rarlib.records.pictures import schedule
from rarlib.records.read import Record
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


def test_the_same_run_gives_the_same_bytes(tmp_path, monkeypatch):
    """Also if its tables are written row by row."""
    for name, rows in ("a", 1 << 17), ("b", 1):
        monkeypatch.setattr(write, "_PART", rows)
        write.write_run(run(), tmp_path / name, {"scheduler": "srtf"})
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_failure_leaves_the_earlier_run_whole(tmp_path, monkeypatch):
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
def test_a_refused_run_writes_nothing(tmp_path, arguments, refused):
    trace, out = tmp_path / "jobs.csv", tmp_path / "out"
    trace.write_text("submit_s,gpus,duration_s\n0,4,100\n")
    refused("simulate", "--trace", trace, "--scheduler", "fifo", *arguments, "--out", out)
    assert not out.exists()


def test_constants_in_force_are_recorded(tmp_path, run):
    trace, out = tmp_path / "jobs.csv", tmp_path / "out"
    trace.write_text("submit_s,gpus,duration_s\n0,4,100\n")
    options = ["--scheduler", "las", "--contention", "alpha=0.5", "--quiet"]
    assert run("simulate", "--trace", trace, "--cluster", "2x2", *options, "--out", out)[0] == 0
    record = json.loads((out / "run.json").read_text())
    assert record["cost"] == {
        "name": "ring", "alpha": 0.5, "xi": 1.0, "share": 0.05, "overhead": 0.005, "gbps": 10.0,
        "degradation": "linear",
    }  # fmt: skip
    assert record["parameters"] == {"placement": "any", "levels": [3250.0, 7200.0], "slot_s": 0.0, "holds": False}


FABRIC = "leaf-spine,racks=2,servers_per_rack=4,spines=2,oversubscription=4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Gangs of six on servers of four GPUs: two jobs on each server that they share, and few cables between racks."""
    path = tmp_path_factory.mktemp("fabric")
    (path / "trace.csv").write_text("submit_s,gpus,duration_s\n" + "".join(f"{i},6,{300 + i}\n" for i in range(12)))
    arguments = ["simulate", "--trace", path / "trace.csv", "--cluster", "8x4", "--scheduler", "fifo", "--quiet"]
    arguments += ["--fabric", FABRIC, "--contention", "share=0.4", "--out", path / "run", "--param", "placement=spread"]
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return path / "run"


def test_contention_of_links_is_that_of_jobs(folder):
    record = Record.read(folder)
    links = link_use(record)
    assert record.jobs["contention_s"].sum() > 10.0, "the effect must be alive"
    assert links["contention_s"].sum() == pytest.approx(record.jobs["contention_s"].sum(), abs=1e-3)
    assert links["contention_s"].is_monotonic_decreasing
    assert links["share"].between(0.0, 1.0).all()


def test_why_names_the_links(folder):
    said = CliRunner().invoke(app, ["why", str(folder)]).output
    (head,) = re.findall(r"contention by link: (\d+) of (\d+) links in use held jobs back, most:", said)
    assert 0 < int(head[0]) <= int(head[1])
    shares = [float(share) for share in re.findall(r"^ {2}\S+ +[\d,.]+ s +([\d.]+)%   in use", said, re.MULTILINE)]
    assert shares == sorted(shares, reverse=True)
    assert 0.0 < sum(shares) <= 100.5


def test_the_load_of_links_is_read_and_drawn(folder):
    record = Record.read(folder)
    load, use = link_load(record), link_use(record).set_index("link")
    assert load.columns[0] == "start_s"
    bin_s = load["start_s"].iloc[1]
    for name in load.columns[1:]:
        assert load[name].sum() * bin_s == pytest.approx(use.loc[name, "carried_s"], rel=1e-2)
    assert load.iloc[:, 1:].sum().is_monotonic_decreasing
    chart, below = schedule(record).axes
    assert chart.get_xlim() == below.get_xlim()
    busiest = below.lines[0]
    assert busiest.get_label() == load.columns[1]
    assert busiest.get_ydata()[:-1] == pytest.approx(100.0 * load[load.columns[1]])
    assert len(schedule(record, links=0).axes) == 1
    assert len(schedule(record, links=2).axes[1].lines) == 2
