"""Finish-time fairness: a job that is alone is treated exactly fairly, and isolated times scale as stated."""

import numpy as np
import pytest

from artifact.papers.sia.fairness import fairness_ratios
from artifact.papers.sia.isolation import Isolated
from rarlib.cost.goodput.measured import load_profiles
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.presets.sia import CLUSTERS, Case, round_s, simulate_case


@pytest.fixture(scope="module")
def profiles():
    return load_profiles()


def job(submit_s=17.0, gpus=4):
    """A short job, submitted within a round."""
    made = Jobs.build(
        submit_s=[submit_s], gpus=[gpus], duration_s=[1.0], application=["cifar10"], batch_size=[512],
        adaptivity=["adaptive"], job_id=["a"],
    )  # fmt: skip
    return made


def alone(policy, profiles, jobs):
    return simulate_case(Case(jobs, "homogeneous", policy, {}, round_s(policy)), profiles)


@pytest.mark.parametrize("policy", ["sia", "gavel"])
def test_a_job_alone_on_one_type_has_a_ratio_of_one(policy, profiles):
    """With nobody beside it, its fair share is the whole cluster: the isolated run is the run itself."""
    isolated = Isolated(profiles, Cluster.parse(CLUSTERS["homogeneous"]), policy)
    middle = alone(policy, profiles, job(round_s(policy) / 2))
    early = alone(policy, profiles, job())
    for reading in ("coded", "paper"):
        assert fairness_ratios(middle, round_s(policy), isolated, reading) == pytest.approx(1.0, abs=1e-3)
        # Submitted earlier in the round it is older when it decides to restart, which changes little.
        assert fairness_ratios(early, round_s(policy), isolated, reading) == pytest.approx(1.0, abs=0.02)


def test_between_whole_gpus_times_are_interpolated_and_more_gpus_are_no_slower(profiles):
    """A rigid job on fewer GPUs than it asked for; beyond its request, more GPUs change nothing."""
    isolated = Isolated(profiles, Cluster.parse(CLUSTERS["homogeneous"]), "gavel")
    times = [isolated.time_s(job(), 0, "t4", share) for share in (1.0, 1.5, 2.0, 4.0, 7.0, 64.0)]
    assert times[1] == pytest.approx((times[0] + times[2]) / 2)
    assert np.all(np.diff(times) <= 0.0)
    assert times[3] == times[4] == times[5]


def test_the_wait_is_that_of_the_jobs_own_submission(profiles):
    """Submitted 17 s or 47 s after the beginning of a round of 60 s, it waits 43 s or 13 s."""
    isolated = Isolated(profiles, Cluster.parse(CLUSTERS["homogeneous"]), "sia")
    early, late = (isolated.time_s(job(submit_s), 0, "t4", 4.0) for submit_s in (17.0, 47.0))
    assert early - late == pytest.approx(30.0)
