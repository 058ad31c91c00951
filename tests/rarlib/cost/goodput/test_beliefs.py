"""Estimates where jobs go beyond the usual: many replicas, pipelines, samples per replica."""

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.offers import Configurations
from tests.rarlib.cost.goodput.test_training import CLUSTER, ROWS, Follower, jobs_of, run_a_while, training_of


def test_estimates_beyond_64_replicas_are_each_its_own(cost: GoodputCost) -> None:
    """A table has entries up to 64; asked together or one by one, each number of replicas has its own estimate."""
    counts = (64, 65, 80, 128)

    def estimates(some: tuple[int, ...]) -> list[float]:
        jobs = cost.admit(jobs_of(), CLUSTER)
        prices = cost.price(jobs, CLUSTER)
        training = cost.train(jobs, CLUSTER, prices, Follower(learning="merged"), Forecast.exact(1))
        run_a_while(training, ((0, 2),))
        run_a_while(training, ((0, 2), (1, 2)))
        n = np.array(some)
        return training.goodputs(ROWS, Configurations(np.zeros(len(n), np.int64), -(-n // 4), n))[0].tolist()

    together = estimates(counts)
    assert together == [estimates((each,))[0] for each in counts]
    assert len(set(together)) == len(counts)


def test_goodput_of_pipelines_by_hand(cost: GoodputCost) -> None:
    """48 samples in 16.5 s, for two in 17 s; where square and variance are 1, the gain is 2 / (1 + 12 / B)."""
    jobs = jobs_of(application="gpt_pmp", gpus=8, batch_size=[48])
    training = training_of(cost, jobs, Cluster.parse("rtx:3x8"))
    run_a_while(training, ((0, 8),))
    options = Configurations(np.zeros(3, np.int64), np.array([1, 2, 3]), np.array([8, 16, 24]))
    found = training.goodputs(ROWS, options)[0]
    assert found[:2] == pytest.approx([2 / (1 + 12 / 48) * 12 / 16.5, 2 / (1 + 12 / 96) * 12 / 17.0])
    assert found[2] == 0.0, "three were not timed, and twice as many as it ran on is the most"


def test_a_job_takes_no_more_samples_than_were_measured_with_its_replicas(cost: GoodputCost) -> None:
    """32 on T4 and 24 on RTX; 0, no such limit, where no placement has that many, and for pipelines."""
    training = training_of(cost)
    for placement, cap in ((((0, 2),), 32), (((0, 4), (1, 4)), 32), (((2, 1),), 24), (((0, 4), (1, 3)), 0)):
        training.begin(0, placement, 0, 0.0)
        assert training._state.job[0]["cap"] == cap, placement
    pipelined = training_of(cost, jobs_of(application="gpt_pmp", gpus=8, batch_size=[48]))
    pipelined.begin(0, ((2, 8),), 0, 0.0)
    assert pipelined._state.job[0]["cap"] == 0
