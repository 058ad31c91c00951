"""Instances of SJF-BCO's evaluation against what the paper states about them."""

from collections import Counter

import numpy as np
import pytest

from artifact.papers.sjf_bco.instance import JOB_MIX, instance
from rarlib.model.prices import iteration_s
from tests.artifact.papers.sjf_bco.setups import SETUPS

SEEDS = range(30)


@pytest.mark.parametrize("setup", SETUPS)
def test_stated_facts(setup):
    """160 jobs in the stated mix (644 GPUs asked), 1000..6000 iterations, servers of 4 to 32 GPUs, all waiting at 0."""
    for seed in SEEDS:
        case = instance(seed, 20, SETUPS[setup])
        assert Counter(case.jobs.gpus.tolist()) == JOB_MIX
        assert case.jobs.gpus.sum() == 644
        assert (case.cost.iterations >= 1000).all()
        assert (case.cost.iterations <= 6000).all()
        assert set(case.cluster.gpus.tolist()) <= {4, 8, 16, 32}
        assert (case.jobs.submit_s == 0).all()


@pytest.mark.parametrize("setup", SETUPS)
def test_iteration_times_stay_in_the_stated_range(setup):
    """tau lies in [0.01, 0.05] slot: contention-free always, and whatever the contention where it is cut."""
    for seed in SEEDS:
        case = instance(seed, 20, SETUPS[setup])
        prices = case.cost.price(case.jobs, case.cluster)
        for job in range(160):
            spans = int(case.jobs.gpus[job]) > 1
            worst = iteration_s(prices, job, int(case.jobs.gpus[job]), 32) if spans else iteration_s(prices, job, 1, 0)
            alone = iteration_s(prices, job, 1, 0)
            assert 0.01 <= alone <= SETUPS[setup].highest + 1e-12 <= 0.05 + 1e-12
            assert alone <= worst
            assert worst <= 0.05 + 1e-12 or SETUPS[setup].cap == "none"


def test_the_product_of_time_and_iterations_is_in_the_range_of_rho_hat():
    """R15: tau0 F within 50 to 300 slots, as far as the range of tau0 admits it."""
    for seed in SEEDS:
        cost = instance(seed, 20, SETUPS["R15"]).cost
        rho = cost.tau0 * cost.iterations
        assert (rho[cost.tau0 < 0.0425 - 1e-9] >= 50 - 1e-9).all()
        assert rho.max() <= 300


def test_contention_stays_within_15_percent_in_the_set_up_named_after_it():
    """M15 reads the bound as one per job: contention and overhead are at most 15 % of an iteration."""
    case = instance(0, 20, SETUPS["M15"])
    prices = case.cost.price(case.jobs, case.cluster)
    for job in np.flatnonzero(case.jobs.gpus > 1):
        worst, alone = iteration_s(prices, job, 32, 32), iteration_s(prices, job, 1, 0)
        assert (worst - alone) / worst <= 0.15 + 1e-12


def test_durations_are_whole_slots_of_whole_iterations():
    """ceil(F / floor(1 / tau)): the shortest possible job, 1000 iterations at 0.01, takes 10 slots."""
    case = instance(3, 20, SETUPS["P200"])
    per_slot = np.floor(1 / case.cost.tau0)
    assert ((case.jobs.duration_s - 1) * per_slot < case.cost.iterations).all()
    assert (case.jobs.duration_s * per_slot >= case.cost.iterations).all()
