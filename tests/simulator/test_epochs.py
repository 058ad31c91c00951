"""Ends of epochs between passes are left to compiled code: the run is the one that renews them one by one."""

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.clock import EXPIRY, open_instant
from rarlib.simulator.engine import simulate


def trained(name, linked=False):
    """A run with as many applications, placements and restarts as a small cluster gives."""
    n, rng = 24, stream(3, "epochs")
    jobs = Jobs.build(
        submit_s=np.sort(rng.uniform(0.0, 6000.0, n)), gpus=rng.choice([1, 2, 4], n),
        duration_s=rng.uniform(500.0, 20000.0, n), application=rng.choice(["cifar10", "bert", "ncf"], n).tolist(),
        adaptivity=["adaptive"] * n, min_gpus=np.ones(n), max_gpus=np.full(n, 16),
    )  # fmt: skip
    cost, cluster = GoodputCost(network=SpanningNetwork(), recorded=True), Cluster.parse("t4:2x4,rtx:2x8")
    if linked:
        shape = cluster_shape(cluster)
        cost, cluster = on_fabric(cost, shape), laid_out(cluster, shape)
    return simulate(jobs, cluster, make_scheduler(name), cost, quantum=60.0, restart_s=20.0)


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("name", ["sia", "fifo", "optimus", "srtf"])
def test_skipped_epochs_are_those_renewed_one_by_one(name, linked, monkeypatch):
    skipped, called = trained(name, linked), []

    def one_by_one(training, state, prices, links):
        assert (links is not None) == linked
        if linked and state.run[0].changed:
            links.look_ahead(state, prices)
        happened = open_instant(state, prices)
        called.append(happened)
        return happened

    monkeypatch.setattr(GoodputTraining, "skip_epochs", one_by_one)
    single = trained(name, linked)
    assert called.count(EXPIRY) > 100
    for column in ("start_s", "finish_s", "contention_s", "overhead_s", "useful_s", "alloc_start", "alloc_gpus"):
        np.testing.assert_array_equal(getattr(skipped, column), getattr(single, column))
    assert skipped.counters == single.counters
