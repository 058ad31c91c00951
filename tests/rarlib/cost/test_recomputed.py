"""Price tables, loads, utilities and speeds computed once more in plain Python, on random small inputs."""

import math

import numpy as np
import pytest

from rarlib.cost.contention import effective_sharers, linear, sharing_factors
from rarlib.cost.named import parse
from rarlib.cost.ring import PhysicalRingCost, RingCost, SlottedRingCost
from rarlib.cost.table import linear_speedup, price_table
from rarlib.cost.utilities import Logarithm, NegativeQuadratic, Sigmoid, SquareRoot
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s
from rarlib.model.tree_network import TreeNetwork
from rarlib.simulator.view import PricedSpeeds

SEEDS = range(6)


def drawn(seed):
    """A cluster, and rigid and elastic jobs that it has room for."""
    rng = np.random.default_rng(seed)
    cluster = Cluster.of(rng.integers(1, 6, 4).tolist())
    gpus = rng.integers(1, 5, 5)
    elastic = rng.random(5) < 0.5
    low = np.where(elastic, 1, gpus)
    high = np.where(elastic, gpus + rng.integers(0, 40, 5), gpus)
    jobs = Jobs.build(submit_s=np.zeros(5), gpus=gpus, duration_s=rng.uniform(1, 100, 5), min_gpus=low, max_gpus=high)
    return rng, cluster, jobs


def f(alpha, xi, sharers):
    """Eq. 7 and the linear degradation, one number at a time."""
    k = max(1.0, xi * sharers)
    return k + alpha * (k - 1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_ring_prices(seed):
    """1 + share / (1 - share) f + overhead S on S servers, 1 on one; links longer by their capacity."""
    rng, cluster, jobs = drawn(seed)
    alpha, xi, share, overhead = rng.uniform(0, 2), rng.uniform(0.1, 1), rng.uniform(0, 0.9), rng.uniform(0, 0.1)
    prices = RingCost(alpha, xi, share, overhead, gbps=25.0).price(jobs, cluster)
    assert len(prices.sharing) == max(cluster.gpus) + 1
    assert prices.node_link.tolist() == [25.0 / cluster.node_gbps] * cluster.nodes
    assert prices.rack_link.tolist() == [25.0 / each for each in cluster.rack_gbps]
    assert prices.node_speed.tolist() == list(cluster.speed)
    for job in range(5):
        assert prices.work[job] == jobs.duration_s[job]
        assert iteration_s(prices, job, 1, 0) == 1.0
        for servers in (2, 3):
            for sharers in range(1, max(cluster.gpus) + 1):
                tau = 1.0 + share / (1.0 - share) * f(alpha, xi, sharers) + overhead * servers
                assert iteration_s(prices, job, servers, sharers) == pytest.approx(tau)


@pytest.mark.parametrize("seed", SEEDS)
def test_physical_prices(seed):
    """Eq. 8 as printed, term by term."""
    rng, cluster, jobs = drawn(seed)
    m, batch, fwd, bwd = (rng.uniform(1, 10, 5) for _ in range(4))
    between, within, reduce, xi2, alpha, xi = (*rng.uniform(1, 10, 3), *rng.uniform(0.1, 1, 3))
    cost = PhysicalRingCost(rng.uniform(1, 9, 5), m, batch, fwd, bwd, between, within, reduce, xi2, alpha, xi, 7.0)
    prices = cost.price(jobs, cluster)
    assert prices.slot_s == 7.0
    assert prices.work.tolist() == cost.iterations.tolist()
    for job in range(5):
        w = int(jobs.gpus[job])
        for servers, sharers in ((1, 0), (2, 1), (3, 1), (2, max(cluster.gpus))):
            b = within if servers == 1 else between / f(alpha, xi, sharers)
            tau = m[job] / w * 2 * (w - 1) / b + m[job] / w * (w - 1) / reduce + xi2 * servers
            tau += fwd[job] * batch[job] + bwd[job]
            assert iteration_s(prices, job, servers, sharers) == pytest.approx(tau)


@pytest.mark.parametrize("seed", SEEDS)
def test_slotted_prices(seed):
    """min(cap, tau0 (1 + extra (f + servers))), tau0 on one server."""
    rng, cluster, jobs = drawn(seed)
    tau0, cap, extra, alpha = rng.uniform(0.01, 0.1, 5), rng.uniform(0.05, 0.3, 5), rng.uniform(0, 1), rng.uniform(0, 1)
    prices = SlottedRingCost(np.arange(1.0, 6.0), tau0, extra, cap, alpha, 0.5).price(jobs, cluster)
    assert prices.slot_s == 1.0
    for job in range(5):
        assert iteration_s(prices, job, 1, 0) == pytest.approx(min(cap[job], tau0[job]))
        for servers in (2, 4):
            tau = tau0[job] * (1 + extra * (f(alpha, 0.5, 1) + servers))
            assert iteration_s(prices, job, servers, 1) == pytest.approx(min(cap[job], tau))


@pytest.mark.parametrize("seed", SEEDS)
def test_speed_up_in_proportion(seed):
    """g / requested for every g that an elastic job may get; rigid jobs have no curve."""
    _, cluster, jobs = drawn(seed)
    curve, speedup = linear_speedup(jobs, cluster)
    for job in range(5):
        rigid = jobs.min_gpus[job] == jobs.gpus[job] == jobs.max_gpus[job]
        assert (curve[job] == -1) == rigid
        if not rigid:
            for gpus in range(min(jobs.max_gpus[job], cluster.total_gpus) + 1):
                assert speedup[curve[job], gpus] == gpus / jobs.gpus[job]
    assert speedup.shape[1] == (min(max(jobs.max_gpus), cluster.total_gpus) + 1 if (curve >= 0).any() else 1)


def test_limits_of_constants():
    """alpha at least 0, xi above 0 and at most 1; from text, each is 0 or a millionth to a million in size."""
    assert sharing_factors(3, 0.0, 1.0).tolist() == [1.0, 1.0, 2.0, 3.0]
    assert effective_sharers(np.array([0, 1, 2, 5]), 0.5).tolist() == [1.0, 1.0, 1.0, 2.5]
    assert linear(0.5, np.array([1.0, 3.0])).tolist() == [1.0, 4.0]
    for alpha, xi, field in ((-1e-9, 1.0, "alpha"), (math.inf, 1.0, "alpha"), (0.0, 0.0, "xi"), (0.0, 1.0001, "xi")):
        with pytest.raises(InputError, match=f"field {field}: must be"):
            sharing_factors(3, alpha, xi)
    assert parse(RingCost, "alpha=1e6, overhead=1e-6,share=0").alpha == 1e6
    for text in ("alpha=1.1e6", "overhead=9e-7", "share=1", "share=-0.1", "gbps=0", "alpha=1,alpha=2", "f=1"):
        with pytest.raises(InputError, match="--contention"):
            parse(RingCost, text)


@pytest.mark.parametrize("seed", range(20))
def test_loads_of_rings(seed):
    """A ring of several servers takes b of each one's link, one of several racks b of each one's uplink."""
    rng = np.random.default_rng(seed)
    servers, racks, n = int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    network = TreeNetwork.build(rng.integers(1, 9, (servers, 2)), 9.0, rng.integers(0, racks, servers), np.ones(racks))
    workers, demand, b = rng.integers(0, 3, (n, servers)), rng.uniform(0, 2, (n, 2)), rng.uniform(0.5, 3, n)
    node, link, up = np.zeros((servers, 2)), np.zeros(servers), np.zeros(racks)
    for job in range(n):
        used = [s for s in range(servers) if workers[job, s]]
        for s in used:
            node[s] += workers[job, s] * demand[job]
            link[s] += b[job] if len(used) > 1 else 0.0
        reached = {int(network.rack[s]) for s in used}
        for r in reached:
            up[r] += b[job] if len(reached) > 1 else 0.0
    loads = network.loads(workers, demand, b)
    for ours, theirs in zip(loads, (node, link, up), strict=True):
        assert ours == pytest.approx(theirs)
    part = network.part(np.arange(servers)[::2])
    assert part.servers == len(range(0, servers, 2)) and part.racks == racks
    assert part.rack.tolist() == network.rack.tolist()[::2] and part.link_gbps.tolist() == [9.0] * part.servers


@pytest.mark.parametrize("seed", SEEDS)
def test_utilities(seed):
    """Each formula in Python's own arithmetic, for one amount and for several of each job."""
    a, b, c = np.random.default_rng(seed).uniform(0.5, 3.0, (3, 4))
    amount = np.random.default_rng(seed + 100).uniform(0.0, 6.0, (4, 3))
    forms = [
        (SquareRoot(a), lambda j, k: a[j] * math.sqrt(k)),
        (Logarithm(a), lambda j, k: a[j] * math.log(1 + k)),
        (NegativeQuadratic(a, b), lambda j, k: a[j] * (b[j] ** 2 - (b[j] - min(k, b[j])) ** 2)),
        (Sigmoid(a, b, c), lambda j, k: a[j] / (1 + math.exp(-b[j] * (k - c[j])))),
    ]
    for form, value in forms:
        assert len(form) == 4
        assert form.value(amount) == pytest.approx(np.array([[value(j, k) for k in amount[j]] for j in range(4)]))
        assert form.value(amount[:, 0]) == pytest.approx([value(j, amount[j, 0]) for j in range(4)])
        more = amount[:, 0] + 0.7
        gained = [value(j, more[j]) - value(j, amount[j, 0]) for j in range(4)]
        with np.errstate(divide="ignore"):
            assert form.log_gain(amount[:, 0], more) == pytest.approx(np.log(gained), abs=1e-9)
        some = form.take(np.array([2, 0]))
        assert some.value(amount[:2, 0]) == pytest.approx([value(2, amount[0, 0]), value(0, amount[1, 0])])
        assert form.concave == (type(form) is not Sigmoid)


@pytest.mark.parametrize("seed", SEEDS)
def test_speeds_as_requested(seed):
    """On the fewest nodes of each type, in the cluster's order, by adding nodes until the gang fits."""
    rng = np.random.default_rng(seed)
    cluster = Cluster.parse("a:2x3,b:1x4,a:1x2", as_written=True)
    jobs = Jobs.build(submit_s=np.zeros(9), gpus=np.arange(1, 10), duration_s=rng.uniform(1, 9, 9))
    speed = np.where(np.array(cluster.gpu_type) == "b", 2.5, 1.0)
    prices = price_table(jobs, cluster, work=jobs.duration_s, link_s=0.3, server_s=0.1, node_speed=speed)
    rates = PricedSpeeds(jobs, cluster, prices, Forecast.exact(9)).rates(np.arange(9))
    for job in range(9):
        for kind, (nodes, fast) in enumerate((([3, 3, 2], 1.0), ([4], 2.5))):
            needed = next((n for n in range(1, len(nodes) + 1) if sum(nodes[:n]) >= job + 1), 0)
            tau = 1.0 if needed == 1 else 1.0 + 0.3 + 0.1 * needed
            assert rates[job, kind] == (pytest.approx(fast / tau) if needed else 0.0)
