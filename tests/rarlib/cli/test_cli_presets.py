"""Conventions of other simulators on the command line: what a preset stands for, and what overrides it."""

import json

import pandas as pd
import pytest

WORKLOAD = """time,name,application,num_replicas,batch_size
70,cifar10-0,cifar10,2,256
75,cifar10-1,cifar10,1,128
"""


@pytest.fixture
def workload(tmp_path):
    """Two short jobs; the first comes 70 s after the zero of the file's clock."""
    path = tmp_path / "short.csv"
    path.write_text(WORKLOAD)
    return path


def simulated(workload, out, *options, run):
    """Run it under Sia; facts of run.json and the jobs."""
    words = ("--trace", workload, "--cluster", "t4:2x4", "--scheduler", "sia", "--out", out)
    code, told = run("simulate", *words, *options)
    assert code == 0, told.err
    return json.loads((out / "run.json").read_text()), pd.read_csv(out / "jobs.csv")


def test_a_preset_is_all_of_its_options(workload, tmp_path, run):
    """Written out, they give the same run."""
    short, jobs = simulated(workload, tmp_path / "a", "--preset", "sia", run=run)
    words = "--cost goodput --quantum 60 --origin trace --tick 1 --free-moves --param batch_limit=largest"
    long, same = simulated(workload, tmp_path / "b", *words.split(), run=run)
    assert (short["origin_s"], short["tick_s"], short["free_moves"]) == (70.0, 1.0, True)
    assert short["digests"] == long["digests"]
    pd.testing.assert_frame_equal(jobs, same)
    # Rounds are multiples of 60 s on the file's clock: the first after the submission is 50 s later.
    assert jobs["start_s"].iloc[0] == 50.0


def test_options_take_precedence(workload, tmp_path, run):
    words = "--preset sia --origin first --tick 0 --paid-moves --quantum 120 --param batch_limit=requested"
    facts, jobs = simulated(workload, tmp_path / "a", *words.split(), run=run)
    assert (facts["origin_s"], facts["tick_s"], facts["free_moves"], facts["quantum_s"]) == (0.0, 0.0, False, 120.0)
    assert facts["parameters"]["batch_limit"] == "requested"
    assert jobs["start_s"].iloc[0] == 0.0


def test_several_traces_are_several_runs(workload, tmp_path, run):
    """Each in a folder of its name; metrics of the mean over traces, and of all jobs together."""
    other = tmp_path / "other.csv"
    other.write_text(WORKLOAD.replace("70,", "10,"))
    out = tmp_path / "runs"
    words = ["--trace", other, "--preset", "sia", "--cluster", "t4:2x4", "--scheduler", "gavel", "--out", out]
    code, told = run("simulate", "--trace", workload, *words)
    assert code == 0, told.err
    made = pd.read_csv(out / "metrics.csv").set_index(["metric", "trace"])["value"]
    jobs = {name: pd.read_csv(out / name / "jobs.csv") for name in ("short", "other")}
    hours = {name: (table["finish_s"] - table["submit_s"]).mean() / 3600.0 for name, table in jobs.items()}
    for name, mean in hours.items():
        assert made["avg_jct", name] == pytest.approx(mean, rel=1e-9)
    assert made["avg_jct", "mean"] == pytest.approx(sum(hours.values()) / 2, rel=1e-9)
    assert f"avg_jct {made['avg_jct', 'mean']:.10g} h" in told.out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--preset", "tia"], "unknown preset 'tia'; known: sia"),
        (["--preset", "sia", "--origin", "noon"], "--origin: must be first, trace or seconds, found 'noon'"),
        (["--preset", "sia", "--origin", "-1"], "--origin: must be first, trace or seconds"),
        (["--preset", "sia", "--tick", "-1"], "tick_s"),
    ],
)
def test_what_cannot_be_is_refused(workload, tmp_path, options, complaint, refused):
    words = ["--trace", workload, "--cluster", "t4:2x4", "--scheduler", "sia", "--out", tmp_path / "x"]
    assert complaint in refused("simulate", *words, *options)
