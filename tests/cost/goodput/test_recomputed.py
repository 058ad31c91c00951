"""Times as requested, speeds of types and what a network adds, from their docstrings, on the toy's formulas."""

import math
from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput.alone import Share, at_batch, share
from rarlib.cost.goodput.applications import APPLICATIONS, TYPES, SharedCluster, gpu_type
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Gradients, Profiles
from rarlib.cost.goodput.speed import relative_speed, single_speed
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from tests.cost.goodput.conftest import step


@pytest.mark.parametrize("gpus", [1, 2, 3, 4])
def test_shares_of_every_batch(toy: Profiles, gpus: int) -> None:
    """Parts that fit 32 samples, at least two on one GPU beyond the initial 12, none beyond the largest batch."""
    times, refused = StepTimes(toy), 0
    for batch in range(1, 80):
        each = math.ceil(batch / gpus)
        steps = max(math.ceil(each / 32) - 1, 1 if gpus == 1 and each > 12 else 0)
        local = min(math.ceil(each / (steps + 1)), 48 // (gpus * (steps + 1)))
        if 4 <= local <= 32:
            total, sync = step(gpus, 1, local)
            expected = Share(local, steps, total + (total - sync) * steps, sync)
            assert share(times, "bert", "t4", (gpus,), batch) == pytest.approx(expected), batch
        else:
            refused += 1
            with pytest.raises(ValueError, match=f"^bert: a batch of {batch} on {gpus} GPUs leaves {local} for each; "):
                share(times, "bert", "t4", (gpus,), batch)
    assert refused == 3 * gpus, "3 samples and fewer for each were not measured"


def test_statistics_are_those_that_numpy_interpolates() -> None:
    """Epoch by epoch; beyond the measured batches the nearest counts; a single batch is the only answer."""
    rng = np.random.default_rng(0)
    batch, values = np.array([12, 24, 48, 96]), rng.uniform(0, 9, (4, 5))
    gradients = Gradients(batch, values, values, values, values)
    for at in (1.0, 12.0, 13.5, 24.0, 30.0, 48.0, 95.0, 96.0, 500.0):
        place = np.interp(at, batch, np.arange(4.0))
        expected = [np.interp(place, np.arange(4.0), values[:, epoch]) for epoch in range(5)]
        assert at_batch(gradients, values, at) == pytest.approx(expected)
    only = Gradients(batch[:1], values[:1], values[:1], values[:1], values[:1])
    assert at_batch(only, values[:1], 50.0).tolist() == values[0].tolist()


def test_speeds_of_types(toy: Profiles) -> None:
    """T4: 32 samples in 0.42 s; RTX: 24 in 0.17 s; a pipeline of 8 RTX takes 0.1 s for a sample, of 2 A100 0.2 s."""
    on_t4, on_rtx = 32 / step(1, 1, 32)[0], 24 / step(1, 1, 24, 0.5)[0]
    assert single_speed(toy, "bert", "t4") == pytest.approx(on_t4)
    assert single_speed(toy, "bert", "rtx") == pytest.approx(on_rtx)
    assert single_speed(toy, "gpt_pmp", "rtx") == pytest.approx(10.0)
    names = ["bert", "gpt_pmp", "bert", "bert"]
    jobs = Jobs.build(submit_s=np.zeros(4), gpus=[1, 8, 1, 1], duration_s=np.ones(4), application=names)
    bert, gpt = math.log(on_rtx / on_t4), math.log(5.0 / 10.0)
    assert relative_speed(jobs, Cluster.parse("t4:1x4,rtx:2x8,a100:1x8"), toy) == pytest.approx(
        [1.0, math.exp(bert), math.exp(bert), 1.0]
    )
    assert relative_speed(jobs, Cluster.parse("rtx:1x8,a100:1x8"), toy) == pytest.approx([1.0, math.exp(gpt)])


def test_a_network_by_hand() -> None:
    """f = 1 + 1.3 (k - 1) by default; without contention 1; links relative to those of the measurements."""
    cluster = Cluster.of([2, 4])
    assert SpanningNetwork().sharing(cluster) == pytest.approx([1.0, 1.0, 2.3, 3.6, 4.9])
    assert SpanningNetwork(alpha=0.0, xi=0.5).sharing(cluster).tolist() == [1.0, 1.0, 1.0, 1.5, 2.0]
    assert SpanningNetwork(contended=False).sharing(cluster).tolist() == [1.0] * 5
    node, rack = SpanningNetwork(gbps=25.0).links(cluster)
    assert node.tolist() == [25.0 / cluster.node_gbps] * 2
    assert rack.tolist() == [25.0 / each for each in cluster.rack_gbps]
    wrong: list[dict[str, Any]] = [{"overhead_s": -0.1}, {"gbps": 0.0}, {"alpha": -1.0}, {"xi": 0.0}, {"xi": 1.1}]
    for given in wrong:
        with pytest.raises(InputError, match=f"field {next(iter(given))}"):
            SpanningNetwork(**given)


def test_applications_by_their_properties() -> None:
    """A start takes seconds to minutes, a shared cluster slows down; Sia believes in no start above twice the true."""
    for name, app in APPLICATIONS.items():
        assert name == app.name and app.epochs >= 1
        assert 15.0 <= app.restart_s <= 250.0 and 0.5 <= app.believed_restart_s / app.restart_s <= 2.0
        assert 1.0 <= app.slowdown <= 1.8
        assert (app.microbatches == 1) == (not app.stages)
        bare = SharedCluster(slowed=False).within(app)
        assert bare == app._replace(slowdown=1.0)
        assert SharedCluster(restart_s=7.0).within(app) == app._replace(restart_s=7.0, believed_restart_s=7.0)
        assert SharedCluster().within(app) == app
    for ours, theirs in TYPES.items():
        assert gpu_type(ours) == gpu_type(theirs) == gpu_type(theirs.upper()) == ours
    assert [gpu_type(name) for name in ("2080Ti", "rtx6000", "V100")] == ["rtx", "quad", "azure"]
