"""Least needs of jobs, each written out from its definition: not only sound, but as large as the definition allows."""

from itertools import chain, combinations

import numpy as np
import pytest

from rarlib.bounds.processing import demands, venues
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from tests.ilp.instances import cluster_of


def spans(gang, nodes, gpus, link):
    """Fewest servers and least largest link among all sets of two or more nodes that can hold the gang."""
    sets = chain.from_iterable(combinations(nodes, k) for k in range(2, min(len(nodes), gang) + 1))
    sets = [each for each in sets if sum(gpus[node] for node in each) >= gang]
    if not sets:
        return None
    return min(map(len, sets)), min(max(link[node] for node in each) for each in sets)


def venues_by_definition(gang, cluster, prices):
    """For every speed: one server, several in one rack, several anywhere, whose second rack counts."""
    found = set()
    for speed in set(prices.node_speed.tolist()):
        nodes = [node for node in range(cluster.nodes) if prices.node_speed[node] >= speed]
        if any(cluster.gpus[node] >= gang for node in nodes):
            found.add((1, 1.0, speed))
        racks = sorted({int(prices.rack[node]) for node in nodes})
        for rack in racks:
            inside = spans(gang, [node for node in nodes if prices.rack[node] == rack], cluster.gpus, prices.node_link)
            if inside:
                found.add((*inside, speed))
        across = spans(gang, nodes, cluster.gpus, prices.node_link)
        if across and len(racks) > 1:
            second = sorted(float(prices.rack_link[rack]) for rack in racks)[1]
            found.add((across[0], max(across[1], second), speed))
    return found


def crowded(seed):
    """Up to six servers in up to three racks, with links and speeds of all kinds."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 7))
    speed = rng.choice([1.0, 2.0, 3.0], nodes) if rng.random() < 0.5 else np.ones(nodes)
    cluster = cluster_of(rng.integers(1, 5, nodes), speed, rng.integers(0, 3, nodes), rack_gbps=[10.0, 5.0, 2.0])
    total = cluster.total_gpus
    low = rng.integers(1, total + 1, 4)
    high = np.where(rng.random(4) < 0.4, low + rng.integers(0, 4, 4), low)
    jobs = Jobs.build(
        submit_s=np.sort(rng.integers(0, 9, 4)), gpus=low, duration_s=[1.0] * 4, min_gpus=low, max_gpus=high
    )
    slotted = rng.random() < 0.4
    unit = 0.1 if slotted else 1.0
    prices = price_table(
        jobs,
        cluster,
        work=np.append(rng.integers(1, 9, 3), rng.integers(0, 2)).astype(float),
        base_s=unit * rng.uniform(0.5, 1.0, 4),
        local_s=unit * rng.choice([0.0, 0.2]),
        link_s=unit * rng.uniform(0.0, 0.4, 4),
        server_s=unit * rng.choice([0.0, 0.05]),
        cap_s=rng.choice([1.2 * unit, np.inf]),
        slot_s=float(slotted),
        sharing=np.array([1.0, 1.0, 1.7]),
        node_speed=speed,
        node_link=rng.choice([1.0, 1.5, 3.0], nodes),
        rack_link=10.0 / cluster.rack_gbps,
        curve=np.where(low < high, 0, -1).astype(np.int64),
        speedup=np.arange(high.max() + 1)[None, :] ** 0.7,
    )
    return jobs, cluster, prices


def time_in(prices, job, gang, venue):
    """Work over the rate: whole iterations of a slot count, if there are slots."""
    servers, link, speed = venue
    tau = prices.base_s[job] + prices.local_s[job]
    if servers > 1:
        tau = prices.base_s[job] + prices.link_s[job] * link + prices.server_s[job] * servers
    tau = min(tau, prices.cap_s[job]) / speed
    if prices.curve[job] >= 0:
        tau /= prices.speedup[prices.curve[job], gang]
    each = tau if not prices.slot_s else prices.slot_s / int(prices.slot_s / tau + 1e-9)
    return prices.work[job] * each


def test_venues_are_those_of_all_sets_of_servers():
    several = 0
    for seed in range(120):
        _, cluster, prices = crowded(seed)
        for gang in range(1, cluster.total_gpus + 2):
            found = venues(gang, cluster, prices)
            assert len(found) == len(set(found))
            assert {tuple(venue) for venue in found} == venues_by_definition(gang, cluster, prices), (seed, gang)
            several += len(found) > 3
    assert several > 100


@pytest.mark.parametrize("quantum", [0.0, 2.0])
@pytest.mark.parametrize("whole_slots", [False, True])
def test_needs_are_the_least_over_gangs_and_venues(quantum, whole_slots):
    for seed in range(60):
        jobs, cluster, prices = crowded(seed)
        found = demands(jobs, cluster, prices, quantum, whole_slots)
        time, area, rounded = np.zeros(4), np.zeros(4), np.zeros(4)
        for job in range(4):
            sizes = range(jobs.min_gpus[job], min(jobs.max_gpus[job], cluster.total_gpus) + 1)
            where = [(gang, venue) for gang in sizes for venue in venues_by_definition(gang, cluster, prices)]
            time[job] = min(time_in(prices, job, *each) for each in where)
            area[job] = min(each[0] * each[1][2] * time_in(prices, job, *each) for each in where)
            rounded[job] = next(k * 2.0 for k in range(200) if k * 2.0 >= time[job] - 1e-9)
        held = jobs.min_gpus * min(prices.node_speed) * rounded
        if not quantum:
            expected = [(time, area, 0.0)]
        elif whole_slots:
            expected = [(rounded, np.maximum(area, held), 0.0)]
        else:
            expected = [(time, area, 0.0), (rounded, held, rounded - time)]
        assert len(found) == len(expected)
        for need, (least, charged, slack) in zip(found, expected, strict=True):
            np.testing.assert_allclose(need.time, least, rtol=1e-12)
            np.testing.assert_allclose(need.area, charged, rtol=1e-12)
            np.testing.assert_allclose(need.slack, slack, atol=1e-9)
            assert (need.slack >= 0.0).all()
            assert need.gpus.tolist() == jobs.min_gpus.tolist()
            assert need.submit.tolist() == jobs.submit_s.tolist()
            assert need.release.tolist() == [t if not quantum else -(-t // 2) * 2 for t in jobs.submit_s]
            most = [min(high, cluster.total_gpus) for high in jobs.max_gpus]
            assert need.width.tolist() == [high * max(prices.node_speed) for high in most]
            assert need.capacity == pytest.approx(sum(cluster.gpus * prices.node_speed))
            assert need.total_gpus == sum(cluster.gpus)


def test_the_first_job_that_fits_nowhere_is_named():
    jobs = Jobs.build(submit_s=[0, 0, 0], gpus=[1, 3, 4], duration_s=[1, 1, 1], job_id=["a", "b", "c"])
    prices = price_table(jobs, Cluster.of([2]), work=np.ones(3))
    with pytest.raises(InputError, match="job b fits nowhere or makes no progress wherever it is placed") as error:
        demands(jobs, Cluster.of([2]), prices, 0.0, False)
    assert error.value.field == "gpus"
