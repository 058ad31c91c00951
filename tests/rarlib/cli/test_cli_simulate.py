"""What `rarlib simulate` says of a run: its assumptions, and what to beware of."""

import os
import subprocess
import sys

import numpy as np
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator import share
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace

CALM = "submit_s,gpus,duration_s\n0,2,50\n1000,4,20\n2000,1,30\n"
BUSY = "submit_s,gpus,duration_s\n0,2,50\n10,4,200\n20,1,300\n"


def simulated(tmp_path, trace, *options, run, scheduler="fifo"):
    path = tmp_path / "jobs.csv"
    path.write_text(trace)
    words = ("--trace", path, "--cluster", "2x4", "--scheduler", scheduler, "--out", tmp_path / "out")
    code, told = run("simulate", *words, *options)
    assert code == 0, told.err
    return told.out


def test_the_summary_names_every_assumption(tmp_path, run):
    said = simulated(tmp_path, CALM, "--restart", "30", "--quantum", "60", run=run)
    lines = {line.split()[0]: line for line in said.splitlines()}
    assert "fifo" in lines["scheduler"]
    assert "recorded durations" in lines["cost"]
    assert lines["contention"].endswith("none")
    assert "30 s" in lines["restart"]
    assert "60 s" in lines["quantum"]
    assert "warning" not in said


def test_a_scheduler_made_for_goodput_says_so_on_recorded_durations(tmp_path, run):
    """It runs, but GPU types and batches, for which it was made, do not matter there."""
    said = " ".join(simulated(tmp_path, CALM, scheduler="gavel", run=run).split())
    assert "warning: gavel is made for --cost goodput; under --cost trace" in said


def test_an_offered_load_above_one_warns(tmp_path, run):
    """(2 50 + 4 200 + 300) GPU-seconds in 20 s on 8 GPUs: 7.5 times what there is."""
    said = " ".join(simulated(tmp_path, BUSY, run=run).split())
    assert "warning: offered load 7.5" in said
    assert simulated(tmp_path, BUSY, "--quiet", run=run) == ""


@pytest.mark.parametrize("compiled", [True, False])
def test_progress_counts_work(tmp_path, compiled, monkeypatch):
    """At 10 s half of the jobs are done, but 2 x 10 of 1,000 s of the work."""
    monkeypatch.setattr(share, "_PAUSE_S", -1.0)
    path = tmp_path / "jobs.csv"
    path.write_text("submit_s,gpus,duration_s\n0,1,10\n0,1,990\n")
    shares: list[float] = []
    simulate(
        load_trace(path).jobs, Cluster.parse("1x2"), Fifo(), TraceCost(), progress=shares.append, compiled=compiled
    )
    assert shares[-1] == 1.0
    if not compiled:  # compiled runs report every 100,000 events
        assert pytest.approx(0.02) in shares
    assert np.all(np.diff(shares) >= 0.0)
    assert all(0.0 <= each <= 1.0 for each in shares)


def test_help_is_quick_because_nothing_is_imported():
    code = (
        "import sys, rarlib.cli.main as m\n"
        "try:\n    m.main({words})\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "print([n for n in ('numpy', 'pandas', 'numba', 'scipy', 'ortools', 'matplotlib') if n in sys.modules])\n"
    )
    for words in (["--help"], *([name, "--help"] for name in ("simulate", "why", "bound", "plan", "claims", "doctor"))):
        done = subprocess.run(
            [sys.executable, "-c", code.format(words=words)], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]", words


def test_the_shell_completes_commands_and_options():
    """What typing a tab after `rarlib cl` and `rarlib simulate --cont` gives."""
    for words, expected in (
        ("rarlib cl", "claims"),
        ("rarlib simulate --cont", "--contention"),
        ("rarlib simulate --scheduler gav", "gavel"),
    ):
        asked = {"_RARLIB_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run(
            [sys.executable, "-m", "rarlib.cli.main"],
            env=os.environ | asked,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == [expected]
