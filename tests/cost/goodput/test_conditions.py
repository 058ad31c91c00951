"""What users leave open, and what a shared cluster adds to profiles: by hand, on the jobs of `test_training`."""

from dataclasses import replace

import pytest

from rarlib.cost.goodput.alone import duration_s
from rarlib.cost.goodput.applications import SharedCluster
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.simulator.engine import simulate
from tests.cost.goodput.test_training import CLUSTER, OPTIONS, ROWS, T4, Follower, jobs_of, training_of


def test_a_fixed_batch_may_be_cut_for_as_many_gpus_as_it_feeds(cost: GoodputCost) -> None:
    """24 samples in parts of at least 4: six replicas; a rigid job keeps its gang, and no other batch is considered."""
    for adaptivity, limit in (("scale-gpus", 6), ("rigid", 2)):
        training = training_of(cost, jobs_of(adaptivity=[adaptivity]), bootstrap="oracle", scaling="fed")
        assert training.limits(ROWS)[0, T4] == limit
        found = training.goodputs(ROWS, OPTIONS)[0]
        assert (found[[0, 1]] > 0).all() and found[3] == 0.0 and (found[2] > 0) == (limit >= 4)
    free = training_of(cost, jobs_of(), bootstrap="oracle").goodputs(ROWS, OPTIONS)[0]
    fixed = training_of(cost, jobs_of(adaptivity=["scale-gpus"]), bootstrap="oracle").goodputs(ROWS, OPTIONS)[0]
    assert (fixed[[0, 1]] <= free[[0, 1]]).all() and (fixed[[0, 1]] < free[[0, 1]]).any()


def test_by_which_batch_a_rigid_job_is_judged(cost: GoodputCost) -> None:
    """By its own, or as an adaptive job that may try batches up to its user's; the least leaves nothing to try."""
    rigid, choices = jobs_of(adaptivity=["rigid"]), {"bootstrap": "oracle"}
    own = training_of(cost, rigid, **choices).goodputs(ROWS, OPTIONS)[0]
    up_to_own = training_of(cost, rigid, fixed_batches="up-to-own", **choices).goodputs(ROWS, OPTIONS)[0]
    adaptive = training_of(cost, jobs_of(), batch_limit="requested", **choices).goodputs(ROWS, OPTIONS)[0]
    two = OPTIONS.gpus == 2
    assert up_to_own[two] == pytest.approx(adaptive[two])
    assert (own[two] < up_to_own[two]).any() and (own[two] <= up_to_own[two]).all()
    least = jobs_of(adaptivity=["rigid"], batch_size=[12])
    first, second = (training_of(cost, least, fixed_batches=each, **choices) for each in ("own", "up-to-own"))
    assert first.goodputs(ROWS, OPTIONS).tolist() == second.goodputs(ROWS, OPTIONS).tolist()
    assert first.goodputs(ROWS, OPTIONS)[0][two].all()


@pytest.mark.parametrize(
    ("conditions", "delay", "slowdown"),
    [
        (SharedCluster(slowed=False, restart_s=30.0), 30.0, 1.0),
        (SharedCluster(restart_s=30.0), 30.0, 1.2),
        (SharedCluster(slowed=False), 120.0, 1.0),
    ],
)
def test_other_conditions_of_a_cluster(
    cost: GoodputCost, conditions: SharedCluster, delay: float, slowdown: float
) -> None:
    """Delay and slow-down change what is run, what is promised and what oracles know, by exactly that."""
    other = replace(cost, conditions=conditions)
    run = simulate(jobs_of(), CLUSTER, Follower([((0, 2),)]), other)
    alone = duration_s(cost.times, "bert", "t4", (2,), 24) / 1.2 * slowdown
    assert run.finish_s[0] == pytest.approx(delay + alone)
    assert other.admit(jobs_of(), CLUSTER).duration_s[0] == pytest.approx(alone)
    assert training_of(other).requested.rates(ROWS)[0, T4] == pytest.approx(1 / 0.27 / slowdown)
    assert (training_of(other).restart_s == delay).all() and (training_of(other).believed_restart_s == delay).all()
