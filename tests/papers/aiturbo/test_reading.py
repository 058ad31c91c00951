"""The committed reading of AITurbo is worth what the committed tables say."""

import numpy as np
import pandas as pd
import pytest

from rarlib.evidence.fit import Runs
from rarlib.evidence.guards import numbers
from rarlib.evidence.reading import outside, read_plan, reading_loss
from rarlib.model.cluster import Cluster
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream
from rarlib.papers.aiturbo.choices import AITURBO_READINGS, PLOTTED_ERRORS, member_in, run_settings, scenario_in
from rarlib.papers.aiturbo.inference import outcomes
from rarlib.papers.aiturbo.measures import run_instance
from rarlib.papers.aiturbo.scenarios import MAIN, draw_scenario
from rarlib.traces.load import load_trace

SUBMIT_S = np.cumsum(stream(0, "test-reading").exponential(100.0, 200))
TABLES = ROOT / "results/expected/readings"
PLAN = read_plan("aiturbo")


@pytest.fixture(scope="module")
def guards():
    return pd.read_csv(TABLES / "aiturbo-guards.csv").set_index("what")


def test_the_committed_tables_are_those_of_the_reading(guards):
    """The reading of the file, its scores from the table of numbers, and the page that says what came out."""
    readings = pd.read_csv(TABLES / "aiturbo-readings.csv", dtype=str).set_index("unknown")["reading"]
    assert readings.to_dict() == {name: str(value) for name, value in PLAN.chosen.items()}
    table = pd.read_csv(TABLES / "aiturbo-numbers.csv")
    near = (table["reading"] / table["published"] - 1.0).abs() <= 0.15
    for role in ("fitted", "tested"):
        own = table["role"] == role
        assert guards.loc["reading", role] == (near & own).sum()
    page = " ".join((ROOT / "docs/readings.md").read_text(encoding="utf-8").split())
    told, tested = guards.loc["reading"], guards["tested"]
    said = (
        f"{told.fitted:.0f} of its {told.of_fitted} fitted numbers and {told.tested:.0f} of the {told.of_tested} others"
    )
    literal = f"come out, as stated {tested['as stated']:.0f}, a random reading {tested['chance, mean']:.1f}"
    assert f"{said} {literal}" in page


def completion_times(jobs, gpus, slots, at_once):
    """First come, first served by hand: who fits starts, in order of submission, and never stops.

    Args:
        jobs: submission (s), GPUs, task slots and running time (s) of each, by submission.
        gpus, slots: of the cluster.
        at_once: most jobs that run at a time.
    """
    ends, left, now = [None] * len(jobs), set(range(len(jobs))), 0.0
    while left:
        held = [job for job, end in zip(jobs, ends, strict=True) if end is not None and end > now + 1e-9]
        free_gpus, free_slots = gpus - sum(job[1] for job in held), slots - sum(job[2] for job in held)
        places = at_once - len(held)
        for k in sorted(left):
            submitted, own_gpus, own_slots, lasts = jobs[k]
            if submitted <= now + 1e-9 and places and own_gpus <= free_gpus and own_slots <= free_slots:
                ends[k], places = now + lasts, places - 1
                free_gpus, free_slots = free_gpus - own_gpus, free_slots - own_slots
                left.discard(k)
        later = [jobs[k][0] for k in left] + [end for end in ends if end is not None]
        now = min((time for time in later if time > now + 1e-9), default=now)
    return [end - job[0] for end, job in zip(ends, jobs, strict=True)]


@pytest.mark.parametrize("reading", AITURBO_READINGS)
def test_first_come_first_served_in_the_reading_by_hand(reading):
    """The numerator of four published ratios: average, makespan, short and long jobs of FCFS."""
    values = AITURBO_READINGS[reading]
    settings = run_settings(values, {"jobs": 40, **PLOTTED_ERRORS})
    drawn = draw_scenario(scenario_in(values, MAIN, "fcfs"), 3, settings, SUBMIT_S)
    own, cluster = drawn.workload, Cluster.parse(settings["cluster"])
    jobs = [
        (submit, 0 if own.on_cpu[k] else workers, own.servers[k] + (workers if own.on_cpu[k] else 0), lasts)
        for k, (submit, workers, lasts) in enumerate(
            zip(drawn.jobs.submit_s, own.workers, own.steps * own.requested_step_s(), strict=True)
        )
    ]
    slots = int(cluster.gpus[~cluster.is_gpu].sum())
    at_once = cluster.total_gpus // 2 if values["FCFS jobs"] == "two" else len(jobs)
    took = np.array(completion_times(jobs, cluster.total_gpus, slots, at_once))
    lasts = np.array([job[3] for job in jobs])
    ours = dict(row[:2] for row in run_instance(
        scenario_in(values, MAIN, "fcfs"), member_in(values, "fcfs"), 3, settings, SUBMIT_S
    ))  # fmt: skip
    assert ours["jct_all_s"] == pytest.approx(took.mean())
    assert ours["makespan_s"] == pytest.approx((took + drawn.jobs.submit_s).max() - drawn.jobs.submit_s.min())
    short = lasts < np.median(lasts)
    assert ours["jct_short_s"] == pytest.approx(took[short].mean())
    assert ours["jct_long_s"] == pytest.approx(took[~short].mean())


@pytest.mark.release
def test_the_committed_reading_has_the_committed_loss(guards):
    """Every run made again: the loss over the fitted numbers, and each number."""
    if load_trace("philly-pollux").provenance["standin"]:
        pytest.skip("the recorded arrivals are not at hand")
    runs = Runs(outcomes)
    values = runs.of(PLAN.chosen, PLAN.judged)
    assert outside(PLAN, values) == 0.0
    assert reading_loss(PLAN, values) == pytest.approx(guards.loc["reading", "loss"], abs=6e-4)
    wanted = pd.read_csv(TABLES / "aiturbo-numbers.csv")
    table = numbers(PLAN, runs, {"reading": PLAN.chosen})
    pd.testing.assert_frame_equal(table, wanted[list(table.columns)], check_dtype=False)
