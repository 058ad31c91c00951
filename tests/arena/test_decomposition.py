"""Every scheduler's turnarounds come apart without rest under the arena's prices."""

import numpy as np
import pytest

from rarlib.arena.metrics import METRICS, measure
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.records.read import Record
from rarlib.records.waiting import TURNAROUND_PARTS, WAITS, decompose
from rarlib.simulator.engine import simulate

ROUNDS = {"sia": 60.0, "pollux": 60.0, "gavel": 360.0, "tiresias": 0.0, "fifo": 0.0, "fifo-backfill": 0.0, "srtf": 0.0}


@pytest.fixture(scope="module")
def cost():
    return GoodputCost(load_profiles(), SpanningNetwork(), recorded=True)


@pytest.mark.parametrize("name", ROUNDS)
def test_parts_add_up_for_every_kind_of_scheduler(name, cost):
    """Nine jobs in a crowd on two types: restarts, contention, waits; each part is counted on its own."""
    rng, n = stream(4, "decomposition"), 9
    jobs = Jobs.build(
        submit_s=np.sort(rng.uniform(0.0, 600.0, n)),
        gpus=rng.choice([1, 2, 4], n),
        duration_s=rng.uniform(300.0, 3000.0, n),
        application=rng.choice(["cifar10", "bert", "ncf"], n),
        adaptivity=["adaptive"] * n,
    )
    quantum = ROUNDS[name]
    run = simulate(jobs, Cluster.parse("t4:2x3,rtx:1x4"), make_scheduler(name, {}), cost, quantum=quantum)
    facts = {"quantum_s": quantum}
    table = decompose(Record.of(run, facts))
    np.testing.assert_allclose(table[list(TURNAROUND_PARTS)].sum(axis=1), run.turnaround_s, rtol=1e-9)
    np.testing.assert_allclose(table[list(WAITS)].sum(axis=1), run.queue_s, rtol=1e-9, atol=1e-6)
    assert (table[list(TURNAROUND_PARTS)] >= -1e-6).all(axis=None)
    assert len(measure(run, facts)) == len(METRICS)
    held = Record.of(run).holds["gpus"].to_numpy() == jobs.gpus[Record.of(run).holds["job"].to_numpy()]
    assert held.all() == (name not in ("sia", "pollux"))
    if held.all():
        assert (Record.of(run).gangs == jobs.gpus).all()
