"""Least needs of jobs against all placements of tiny clusters, worked out one by one."""

from itertools import product

import numpy as np
import pytest

from rarlib.bounds.processing import demands, venues
from rarlib.cost.table import price_table
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from tests.rarlib.ilp.instances import cluster_of


def placed_alone(prices, job, gang, placement):
    """Time and weighted GPU-seconds of a job that keeps this placement and meets nobody."""
    used = [node for node, count in enumerate(placement) if count]
    tau = prices.base_s[job] + prices.local_s[job]
    if len(used) > 1:
        racks = {int(prices.rack[node]) for node in used}
        links = [prices.node_link[node] for node in used]
        links += [prices.rack_link[rack] for rack in racks] if len(racks) > 1 else []
        tau = prices.base_s[job] + prices.link_s[job] * max(links) + prices.server_s[job] * len(used)
    tau = min(prices.cap_s[job], tau) / min(prices.node_speed[node] for node in used)
    if prices.curve[job] >= 0:
        tau /= prices.speedup[prices.curve[job], gang]
    rate = np.floor(prices.slot_s / tau + 1e-9) / prices.slot_s if prices.slot_s else 1 / tau
    held = prices.work[job] / rate if rate else np.inf
    return held, held * sum(count * prices.node_speed[node] for node, count in enumerate(placement))


def tiny(seed):
    rng = stream(seed, "processing")
    nodes = int(rng.integers(1, 5))
    gpus = rng.integers(1, 4, nodes)
    speed = rng.choice([1.0, 2.0, 3.0], nodes) if rng.random() < 0.5 else np.ones(nodes)
    cluster = cluster_of(gpus, speed, rng.integers(0, 3, nodes), rack_gbps=rng.choice([2.0, 5.0, 10.0], 3))
    total = int(gpus.sum())
    low = rng.integers(1, total + 1, 3)
    high = np.minimum(low + rng.choice([0, 0, 2], 3), total)
    jobs = Jobs.build(submit_s=[0, 0, 0], gpus=low, duration_s=rng.integers(1, 9, 3), min_gpus=low, max_gpus=high)
    prices = price_table(
        jobs,
        cluster,
        work=jobs.duration_s.copy(),
        base_s=rng.uniform(0.1, 0.3, 3),
        local_s=rng.choice([0.0, 0.2]),
        link_s=rng.uniform(0.0, 0.1, 3),
        server_s=rng.choice([0.0, 0.02]),
        cap_s=rng.choice([0.4, np.inf]),
        slot_s=rng.choice([0.0, 1.0]),
        node_speed=cluster.speed,
        node_link=rng.choice([1.0, 1.5, 3.0], nodes),
        rack_link=10.0 / cluster.rack_gbps,
        curve=np.where(low < high, 0, -1).astype(np.int64),
        speedup=(np.arange(total + 1)[None, :]) ** 0.7,
    )
    return jobs, cluster, prices


def test_least_needs_are_least_and_mostly_met():
    """Never above any placement, and met by one, unless fewest servers and fastest links do not go together."""
    met = 0
    for seed in range(200):
        jobs, cluster, prices = tiny(seed)
        all_of_them = list(product(*(range(count + 1) for count in cluster.gpus)))
        held = np.full((2, 3), np.inf)
        for job in jobs:
            for placement in all_of_them:
                if job.min_gpus <= sum(placement) <= job.max_gpus:
                    alone = placed_alone(prices, job.row, sum(placement), placement)
                    held[:, job.row] = np.minimum(held[:, job.row], alone)
        (need,) = demands(jobs, cluster, prices, 0.0, False)
        assert (need.time <= held[0] * (1 + 1e-9)).all(), seed
        assert (need.area <= held[1] * (1 + 1e-9)).all(), seed
        met += np.isclose(need.time, held[0], rtol=1e-9).mean()
    assert met > 190


def test_venues_by_hand():
    """Servers of 2 in three racks, uplinks 2, 5 and 10 Gbit/s of 10.

    A pair fits on one server. Four GPUs need two, in the fast racks at best: 10/5 = 2. Six need three servers.
    """
    cluster = cluster_of([2, 2, 2], [1.0] * 3, [0, 1, 2], rack_gbps=[2.0, 5.0, 10.0])
    jobs = Jobs.build(submit_s=[0], gpus=[2], duration_s=[1])
    prices = price_table(jobs, cluster, work=np.ones(1), rack_link=10.0 / cluster.rack_gbps)
    found = {gang: [venue[:2] for venue in venues(gang, cluster, prices)] for gang in (1, 2, 4)}
    assert found == {1: [(1, 1.0)], 2: [(1, 1.0), (2, 2.0)], 4: [(2, 2.0)]}
    assert venues(6, cluster, prices)[0].servers == 3


@pytest.mark.parametrize(("quantum", "release"), [(0.0, [0, 3, 4, 9]), (4.0, [0, 4, 4, 12])])
def test_a_job_waits_for_the_next_pass(quantum, release):
    jobs = Jobs.build(submit_s=[0, 3, 4, 9], gpus=np.ones(4), duration_s=np.ones(4))
    cluster = cluster_of([1], [1.0], [0])
    need = demands(jobs, cluster, price_table(jobs, cluster, work=np.ones(4)), quantum, False)[0]
    assert need.release.tolist() == release
