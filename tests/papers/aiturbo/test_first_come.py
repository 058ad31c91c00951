"""First come, first served in each reading of AITurbo, by hand."""

import numpy as np
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.papers.aiturbo.choices import AITURBO_READINGS, PLOTTED_ERRORS, member_in, run_settings, scenario_in
from rarlib.papers.aiturbo.measures import run_instance
from rarlib.papers.aiturbo.scenarios import MAIN, draw_scenario

SUBMIT_S = np.cumsum(stream(0, "test-reading").exponential(100.0, 200))


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
