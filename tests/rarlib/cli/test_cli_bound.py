"""`rarlib bound`: same inputs as `rarlib simulate`, one table, one line for whoever made a mistake."""

import json

import pytest

# Two gangs of 2 never fit on 3 GPUs together; b may start at 10.
TRACE = "job_id,submit_s,gpus,duration_s\na,0,2,100\nb,10,2,40\n"


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "jobs.csv").write_text(TRACE)
    return ("--trace", tmp_path / "jobs.csv")


def test_table_names_every_method_and_marks_the_best(run, trace):
    code, told = run("bound", *trace, "--cluster", "1x3")
    assert code == 0
    lines = told.out.splitlines()
    assert lines[0] == "2 jobs, 3 GPUs"
    assert "makespan is at least 140.0 s (gang packing)" in lines
    for method in ("longest job", "area", "server classes", "every job alone", "squashed areas", "priced GPU time"):
        assert method in told.out
    assert sum(line.startswith("*") for line in lines) == 2


def test_no_schedule_of_simulate_is_below(run, trace, tmp_path):
    """The two commands read one instance."""
    options = ["--cluster", "2x2", "--contention", "share=0.5", "--quantum", "30"]
    record = json.loads(run("bound", *trace, *options, "--json")[1].out)
    for name in ("fifo", "sjf", "srtf"):
        out = tmp_path / name
        assert run("simulate", *trace, *options, "--scheduler", name, "--out", str(out), "--quiet")[0] == 0
        facts = json.loads((out / "run.json").read_text())
        assert facts["cost"] == record["cost"]
        assert facts["counters"]["end_s"] >= record["best"]["makespan"]["value_s"]


def test_options_reach_the_bounds(run, trace):
    """Closed forms only; whole slots of 60 s: a ends at 120 at best, b is released at 60 and ends at 120."""
    record = json.loads(
        run("bound", *trace, "--cluster", "1x4", "--quantum", "60", "--whole-slots", "--effort", "0", "--json")[1].out
    )
    assert record["best"]["makespan"]["value_s"] == 120.0
    assert record["best"]["mean_jct"]["value_s"] == pytest.approx((120 + 110) / 2)
    assert "gang packing" not in {bound["method"] for bound in record["bounds"]}
    kept = json.loads(run("bound", *trace, "--cluster", "1x4", "--never-stopped", "--limit", "1", "--json")[1].out)
    assert kept["jobs"] == 1
    assert "gangs that stay" in {bound["method"] for bound in kept["bounds"]}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--cluster", "1x1"], "job a asks for 2 GPUs, the cluster has 1"),
        (["--cluster", "nodes"], "--cluster"),
        (["--cluster", "1x3", "--cost", "free"], "unknown cost model 'free'"),
        (["--cluster", "1x3", "--cost", "trace", "--contention", "alpha=1"], "use --cost ring"),
        (["--cluster", "1x3", "--quantum", "-1"], "--quantum: must be a number of seconds"),
        (["--cluster", "1x3", "--whole-slots"], "whole slots need a quantum"),
        (["--cluster", "1x3", "--effort", "-1"], "--effort"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, trace, arguments, complaint):
    code, told = run("bound", *trace, *arguments)
    assert (code, told.out, told.err.count("\n"), complaint in told.err) == (2, "", 1, True)
