"""The fastest progress on so many GPUs, against every placement, batch and number of parts written out."""

import numpy as np
import pytest

from rarlib.bounds.elastic.rates import pace
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.model.cluster import Cluster

SLOWDOWN = 1.5
"""Of ncf, ten epochs."""

SHAPES = [(1,), (2,), (1, 1), (1, 2), (2, 2)]
"""All placements on two nodes of two GPUs, up to rotation."""


def random_profiles(seed, kinds=("t4",), shapes=SHAPES):
    """One to three samples per GPU were measured on every placement; gradients of three batches, more or less noisy."""
    rng = np.random.default_rng(seed)
    rows = [(shape, local) for shape in shapes for local in (1, 2, 3)]
    steps = {}
    for number, kind in enumerate(kinds):
        sync = np.array([0.0 if shape == (1,) else rng.uniform(0.1, 1.0) for shape, _ in rows])
        compute = np.array([local * rng.uniform(0.5, 1.5) for _, local in rows])
        steps["ncf", kind] = Steps(
            tuple(shape for shape, _ in rows),
            np.array([len(shape) for shape, _ in rows]),
            np.array([sum(shape) for shape, _ in rows]),
            np.array([local for _, local in rows]),
            (compute + sync) / (1 + number),
            sync / (1 + number),
        )
    ends = np.cumsum(rng.uniform(-20.0, 100.0, (3, 10)) * (np.arange(10) > 0) + 50.0, axis=1)
    gradients = Gradients(np.array([2, 5, 9]), ends, ends, rng.uniform(0.5, 1.5, (3, 10)), rng.uniform(0, 9, (3, 10)))
    return Profiles(steps, {"ncf": gradients}, {"standin": False})


def gain(gradients, batch, epoch):
    """Iterations of the initial batch that one of this batch is worth."""
    square, variance = (np.interp(batch, gradients.batch, v[:, epoch]) for v in (gradients.square, gradients.variance))
    return (variance + square) / (variance * gradients.batch[0] / batch + square)


def fastest(profiles, kind, node_gpus, gpus, epoch, link=1.0, overhead=0.0):
    """Over all measured placements that fit on the nodes."""
    steps, gradients = profiles.steps["ncf", kind], profiles.gradients["ncf"]
    best = 0.0
    for row, shape in enumerate(steps.shape):
        fits = len(shape) <= len(node_gpus) and all(
            a <= b for a, b in zip(sorted(shape, reverse=True), sorted(node_gpus, reverse=True), strict=False)
        )
        if sum(shape) != gpus or not fits:
            continue
        sync = steps.sync_s[row]
        compute = steps.step_s[row] - sync
        if len(shape) > 1:
            sync = sync * link + overhead * len(shape)
        for parts in range(1, 10):
            batch = gpus * int(steps.local[row]) * parts
            if not 2 <= batch <= 9 or (gpus == 1 and parts == 1 and batch != 2):
                continue
            best = max(best, gain(gradients, batch, epoch) / (compute * parts + sync) / SLOWDOWN)
    return best


@pytest.mark.parametrize("spec", ["t4:1x1", "t4:1x2", "t4:2x1", "t4:2x2", "t4:1x2,t4:1x1"])
def test_rates_are_those_of_the_best_placement_and_batch(spec):
    cluster = Cluster.parse(spec)
    for seed in range(12):
        profiles = random_profiles(seed)
        found = pace(GoodputCost(profiles), "ncf", cluster)
        assert found.rate.shape == (1, cluster.total_gpus + 1, 10)
        for gpus in range(cluster.total_gpus + 1):
            wanted = [fastest(profiles, "t4", cluster.gpus.tolist(), gpus, epoch) for epoch in range(10)]
            np.testing.assert_allclose(found.rate[0, gpus], wanted, rtol=1e-9)


def test_a_type_without_measurements_runs_nothing():
    """Nor does a gang over it and another type."""
    found = pace(GoodputCost(random_profiles(3)), "ncf", Cluster.parse("a100:1x2,t4:1x2", as_written=True))
    alone = pace(GoodputCost(random_profiles(3)), "ncf", Cluster.parse("t4:1x2"))
    assert not found.rate[0].any()
    np.testing.assert_array_equal(found.rate[1, :3], alone.rate[0])
    assert not found.rate[1, 3:].any()


def test_work_of_an_epoch_is_the_least_that_any_batch_has_left():
    """Ends of epochs are those of the batch that needs least, never falling, and never beyond the end of the last."""
    for seed in range(20):
        profiles = random_profiles(seed)
        progress = profiles.gradients["ncf"].progress
        found = pace(GoodputCost(profiles), "ncf", Cluster.parse("t4:1x1")).work
        last = progress[:, 9].min()
        ends = [min(max(progress[:, : e + 1].min(axis=0)), last) for e in range(10)]
        np.testing.assert_allclose(found, np.diff([0.0, *ends]), atol=1e-9)
        assert found.sum() == pytest.approx(last)
