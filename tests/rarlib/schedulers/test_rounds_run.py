"""Gavel, Themis and Shockwave as schedules: by hand where they are small, and what every run of theirs must satisfy."""

import numpy as np
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.ilp.shockwave import plan_rounds
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.schedulers import shockwave
from rarlib.schedulers.gavel import GAVEL_POLICIES, Gavel
from rarlib.schedulers.shockwave import BASES, Shockwave, utility
from rarlib.schedulers.themis import Themis
from rarlib.simulator.engine import simulate

ALL = [*(lambda policy=policy: Gavel(policy=policy, round_s=60.0) for policy in GAVEL_POLICIES)]
ALL += [lambda: Themis(round_s=60.0), lambda: Shockwave(round_s=60.0)]


def played(scheduler, jobs, spec, cost=None, **options):
    """A run, under the recorded durations if nothing else is said."""
    submit_s, gpus, duration_s = np.array(jobs, dtype=float).T
    table = Jobs.build(submit_s=submit_s, gpus=gpus, duration_s=duration_s)
    return simulate(table, Cluster.parse(spec), scheduler, cost or TraceCost(), **options)


def test_two_equal_jobs_take_turns():
    """One GPU, two jobs of 150 s, rounds of 60 s: a, b, a, b, and a ends 30 s into its third round."""
    run = played(Gavel(round_s=60.0), [(0, 1, 150), (0, 1, 150)], "1x1")
    assert run.alloc_start.tolist() == [0, 60, 120, 180, 240, 300]
    assert run.alloc_job.tolist() == [0, 1, 0, 1, 0, 1]
    assert run.finish_s.tolist() == [270, 330]


def test_a_gang_larger_than_any_type_is_named():
    with pytest.raises(InputError, match=r"too few for 0 \(3 GPUs\); a type with 3 GPUs would hold them"):
        played(Gavel(), [(0, 3, 10)], "a:1x2,b:1x2")


@pytest.mark.parametrize("make", ALL)
def test_every_job_ends_and_small_ones_do_not_starve(make):
    """A crowd of gangs on two types; the simulator checks every decision and every identity on the way."""
    rng = np.random.default_rng(1)
    jobs = [(float(rng.integers(0, 900)), int(rng.integers(1, 5)), float(rng.integers(10, 600))) for _ in range(25)]
    run = played(make(), jobs, "a:2x4,b:1x4", restart_s=5.0)
    assert run.finished.all()
    assert run.makespan_s < 3 * sum(gpus * seconds for _, gpus, seconds in jobs) / 12


def test_themis_helps_whom_the_crowd_has_hurt():
    """Two GPUs. A long job of both has run for an hour when a short one of both comes: shares by throughput alone give
    both half of the time, fair finish times give the short one all of it."""
    jobs = [(0, 2, 36000), (3600, 2, 600)]
    fair, fast = (played(scheduler, jobs, "1x2") for scheduler in (Themis(), Gavel()))
    assert fair.turnaround_s[1] <= fast.turnaround_s[1]
    assert fair.turnaround_s[1] < 1200


def test_shockwave_begins_with_who_has_done_nothing():
    """The first part of a job is worth most by far."""
    gains = np.diff(utility(np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])))
    assert (np.diff(gains) < 0).all()
    assert gains[1] == pytest.approx(np.log(2))
    assert utility(np.array([0.3]))[0] == pytest.approx((np.log(0.2) + np.log(0.4)) / 2)
    assert BASES[0] == 0.0
    run = played(Shockwave(round_s=60.0), [(0, 2, 600), (30, 2, 60)], "1x2")
    assert run.start_s[1] == 60


def test_shockwave_plans_only_while_a_job_waits(monkeypatch):
    """Two jobs on two GPUs: no plan; with a third one plans until it runs."""
    plans = []
    monkeypatch.setattr(shockwave, "plan_rounds", lambda *given, **more: plans.append(1) or plan_rounds(*given, **more))
    played(Shockwave(round_s=60.0), [(0, 1, 60_000), (0, 1, 60_000)], "1x2")
    first = len(plans)
    assert first <= 2
    run = played(Shockwave(round_s=60.0), [(0, 1, 60_000), (0, 1, 60_000), (30_000, 1, 6_000)], "1x2")
    assert first < len(plans) < 500
    assert run.gpu_seconds.sum() == pytest.approx(126_000)


def test_a_plan_is_followed_until_a_job_comes_or_goes():
    """One GPU, three equal jobs: plans of six rounds are made when a job comes or ends, or when one is used up."""
    made = []

    class Counted(Shockwave):
        def _plan(self, *given):
            made.append(given[0].shape)
            return super()._plan(*given)

    played(Counted(round_s=60.0, rounds=6), [(0, 1, 240), (0, 1, 240), (130, 1, 240)], "1x1")
    assert made[:2] == [(2, 6), (3, 6)]
    assert len(made) < 8
    often = len(made)
    made.clear()
    played(Counted(round_s=60.0, rounds=6, replan="rounds"), [(0, 1, 240), (0, 1, 240), (130, 1, 240)], "1x1")
    assert len(made) >= 12 > often
