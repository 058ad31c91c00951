"""Every rate of a mix of pipelines and rings, from the table of the module's description, count by count."""

from dataclasses import replace

import numpy as np
import pytest

from rarlib.cost.pipelined import PipelinedCost
from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.pipeline.graph import Layer, LayerGraph

GB = 1e9
MINI = LayerGraph.chain(
    [Layer("convolutions", "", 2.0, 4.0, 2.0 * GB, 0.0), Layer("dense", "", 0.25, 0.75, 0.1 * GB, 20.0 * GB)]
)
EVEN = LayerGraph.chain(Layer(f"l{at}", "", 1.0, 1.0, 0.5 * GB, 0.1 * GB) for at in range(6))
COST = PipelinedCost(RingCost(gbps=25.0), inside=10.0 * GB, profiles={"mini": MINI, "even": EVEN})
SERVER, GBPS = 4, 12.8
CLUSTER = replace(Cluster.of([SERVER] * 3), node_gbps=GBPS)


def minibatch_s(application, n):
    """Where n GPUs run best: on one server if it holds them, else on as few as do."""
    return COST.seconds(application, n, 1 if n <= SERVER else -(-n // SERVER), gbps=GBPS)


@pytest.mark.parametrize("seed", range(6))
def test_rates_are_those_of_the_description(seed):
    """Idle below a multiple of the depth; relative to the requested gang; gangs that span anyway are priced for it."""
    rng = np.random.default_rng(seed)
    names = rng.choice(["mini", "even", "plain"], 6).tolist()
    depth = rng.integers(1, 4, 6)
    gpus = depth * rng.integers(1, 3, 6)
    most = gpus + rng.integers(0, 20, 6)
    table = {"submit_s": np.zeros(6), "gpus": gpus, "duration_s": rng.uniform(1, 9, 6), "application": names}
    jobs = Jobs.build(**table, min_gpus=depth, max_gpus=most)
    prices, rings = COST.price(jobs, CLUSTER), COST.ring.price(jobs, CLUSTER)
    for job, name in enumerate(names):
        if name == "plain":
            for column in ("work", "base_s", "local_s", "link_s", "server_s", "curve"):
                assert getattr(prices, column)[job] == getattr(rings, column)[job]
            if rings.curve[job] >= 0:
                ours, theirs = prices.speedup[rings.curve[job]], rings.speedup[rings.curve[job]]
                assert ours[: len(theirs)].tolist() == theirs.tolist() and (ours[len(theirs) :] == theirs[-1]).all()
            continue
        counts = range(int(depth[job]), min(int(most[job]), 3 * SERVER) + 1, int(depth[job]))
        spread = [COST.seconds(name, n, 2, gbps=GBPS) / minibatch_s(name, n) - 1 for n in counts if 1 < n <= SERVER]
        slowdown = max([0.0, *spread])
        assert prices.link_s[job] == pytest.approx(slowdown * GBPS / 25.0)
        assert (prices.server_s[job], prices.work[job]) == (0.0, jobs.duration_s[job])
        curve = prices.speedup[prices.curve[job]]
        for held in range(min(int(most[job]), 3 * SERVER) + 1):
            used = held - held % int(depth[job])
            expected = minibatch_s(name, int(gpus[job])) / minibatch_s(name, used) if used else 0.0
            assert curve[held] == pytest.approx(expected * (1.0 + slowdown if used > SERVER else 1.0)), (name, held)


def test_what_is_not_said_of_a_minibatch():
    """One server, links of 10 Gbit/s, the profile's own GPUs; evenly divided gangs may use both levels."""
    assert COST.seconds("mini", 4) == COST.seconds("mini", 4, 1, gbps=1.0) == COST.seconds("mini", 4, 1, speed=1.0)
    assert COST.seconds("mini", 4, 2) == COST.seconds("mini", 4, 2, gbps=10.0, speed=1.0)
    assert COST.seconds("mini", 4, 2) > COST.seconds("mini", 4, 2, gbps=25.0)
    assert COST.seconds("even", 4, 2, gbps=1.0) <= COST.seconds("even", 4, 4, gbps=1.0)
    with pytest.raises(InputError, match="application: names no layer profile"):
        COST.seconds("plain", 1)


def test_a_gang_is_a_multiple_of_its_depth():
    """Whatever is left over would stay idle from the start."""
    table = {"submit_s": [0.0], "duration_s": [1.0], "application": ["mini"]}
    COST.price(Jobs.build(**table, gpus=[4], min_gpus=[2], max_gpus=[5]), CLUSTER)
    with pytest.raises(InputError, match=r"field gpus: must be a multiple of min_gpus, 2, .* found 3"):
        COST.price(Jobs.build(**table, gpus=[3], min_gpus=[2], max_gpus=[5]), CLUSTER)
