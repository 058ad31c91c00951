"""What estimates assume throughout a run, array by array, and estimates where jobs go beyond the usual."""

from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput.alone import share
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.initial_state import RunContext, initial_state, new_belief, pipelines
from rarlib.cost.goodput.speed import single_speed
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Configurations
from tests.cost.goodput.conftest import GRADIENTS
from tests.cost.goodput.test_training import CLUSTER, ROWS, Follower, jobs_of, run_a_while, training_of

MIXED = Cluster.parse("rtx:2x8,t4:1x4,aws:1x4,a100:1x8", as_written=True)
NAMES = ["gpt_pmp", "bert", "gpt_pmp", "bert", "bert"]
WORDS = ["", "rigid", "scale-gpus", "adaptive", ""]
JOBS = Jobs.build(
    submit_s=[0.0] * 5, gpus=[8, 1, 8, 2, 2], duration_s=[1.0] * 5,
    application=NAMES, adaptivity=WORDS, batch_size=[48, 0, 48, 24, 30],
)  # fmt: skip


PIPELINES: dict[tuple[str, str], dict[int, tuple[int, ...]]] = {
    ("gpt_pmp", "rtx"): {1: (8,), 2: (8, 8)},
    ("gpt_pmp", "a100"): {1: (2,)},
}
"""Placements on the fewest nodes of eight that the toy has times of; two pipelines on A100 were timed on two nodes."""


@pytest.fixture
def context(cost: GoodputCost) -> RunContext:
    return RunContext.of(JOBS, MIXED, cost.times)


def test_the_context_of_a_run(context: RunContext) -> None:
    """Applications and types in the order in which they come up; another name of a type is a type of its own."""
    assert [app.name for app in context.apps] == ["gpt_pmp", "bert"] and context.app.tolist() == [0, 1, 0, 1, 1]
    assert context.types == ("rtx", "t4", "aws", "a100") and context.kinds == ("rtx", "t4", "t4", "a100")
    assert context.kind_of.tolist() == [0, 0, 1, 2, 3]
    assert context.gpus_per_node.tolist() == [8, 4, 4, 8] and context.nodes.tolist() == [2, 1, 1, 1]
    assert context.per_job([3.0, 4.0]).tolist() == [3.0, 4.0, 3.0, 4.0, 4.0]
    gpt, bert = [8, 0, 0, 2], [1, 1, 1, 0]
    assert pipelines(context).tolist() == [gpt, bert, gpt, bert, bert]


def test_what_estimates_assume(context: RunContext, cost: GoodputCost) -> None:
    """Samples per GPU as measured on named placements, speeds alone, pipelines' times; 1 and 0 where nothing was."""
    high = np.array([1, 2, 3, 4, 5])
    belief = new_belief(context, context.kinds, pipelines(context), high, up_to_own=True)
    assert belief.least.tolist() == [[1, 1, 1, 1], [4, 4, 4, 1]]
    assert belief.largest.tolist() == [[1, 1, 1, 1], [24, 32, 32, 1]]
    for a, app in enumerate(context.apps):
        for k, kind in enumerate(context.kinds):
            known = (app.name, kind) in cost.profiles.steps
            assert belief.single[a, k] == (single_speed(cost.profiles, app.name, kind) if known else 0.0)
            for n in range(65):
                shape = PIPELINES.get((app.name, kind), {}).get(n)
                expected = 0.0 if shape is None else share(cost.times, app.name, kind, shape, 0).iteration_s
                assert belief.pipelines_s[a, k, n] == expected, (app.name, kind, n)
    assert belief.high.tolist() == high.tolist() and belief.up_to_own
    assert (belief.limit == 1).all() and belief.limit.shape == (5, 4)
    assert (belief.known == -1.0).all() and belief.known.shape == (4, 2, 65)


@pytest.mark.parametrize("learns", [False, True])
def test_the_state_before_a_run(learns: bool, context: RunContext) -> None:
    """True properties of every job; nothing is learned; statistics padded with the last batch and epoch."""
    state = initial_state(context, 3, learns=learns)
    job: Any = state.job
    assert job.app.tolist() == [0, 1, 0, 1, 1] and job.slot.tolist() == [-1] * 5 and job.stale.tolist() == [1] * 5
    assert job.epochs.tolist() == [2] * 5 and job.slowdown.tolist() == [1.0, 1.2, 1.0, 1.2, 1.2]
    assert job["first"].tolist() == [12] * 5 and job.most.tolist() == [96, 48, 96, 48, 48]
    assert job.requested.tolist() == [48, 12, 48, 24, 30] and job.pipelined.tolist() == [1, 0, 1, 0, 0]
    assert job.tuned.tolist() == ([1, 0, 0, 1, 1] if learns else [0] * 5)
    for name in ("seen", "epoch", "local", "steps", "replicas", "square", "variance", "until"):
        assert not job[name].any(), name
    assert state.batches.tolist() == [[12, 48, 96], [12, 24, 48]]
    for a in range(2):
        for q, values in enumerate((GRADIENTS.progress, GRADIENTS.square, GRADIENTS.variance)):
            assert state.gradients[a, q].tolist() == values.tolist()
    assert state.model.shape == (5, 3) and state.params.shape == (5, 3, 7)
    assert state.observed.shape == (5, 3, 16 if learns else 1, 5) and not state.observed.any()


@pytest.mark.parametrize("choices", [{"bootstrap": "oracle"}, {"projection": "paper"}])
def test_gradients_are_known_beforehand_as_in_the_first_epoch(cost: GoodputCost, choices: Any) -> None:
    """Square and variance with the initial batch, which the description of trainings states."""
    job = training_of(cost, **choices).tables[0].job[0]
    assert (job["seen"], job["square"], job["variance"]) == (1, GRADIENTS.square[0, 0], GRADIENTS.variance[0, 0])


def test_a_batch_that_feeds_no_replica_still_allows_one(cost: GoodputCost) -> None:
    """2 samples, where 4 is the fewest that was measured."""
    jobs = jobs_of(adaptivity=["scale-gpus"], batch_size=[2])
    prices = cost.price(cost.admit(jobs_of(), CLUSTER), CLUSTER)
    training = cost.train(jobs, CLUSTER, prices, Follower(learning="by-type", scaling="fed"), Forecast.exact(1))
    assert training.limits(ROWS).tolist() == [[1, 1]]


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
        assert training.tables[0].job[0]["cap"] == cap, placement
    pipelined = training_of(cost, jobs_of(application="gpt_pmp", gpus=8, batch_size=[48]))
    pipelined.begin(0, ((2, 8),), 0, 0.0)
    assert pipelined.tables[0].job[0]["cap"] == 0
