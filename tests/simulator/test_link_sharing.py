"""Runs on a fabric: by hand, replayed interval by interval with the law from scratch, and what must always hold."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.cost.ring import RingCost, SlottedRingCost
from rarlib.discovery import make_scheduler
from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase
from rarlib.fabric.life import mean_times
from rarlib.fabric.links import link_names, most_crossings, numbered_links, ring_links
from rarlib.fabric.rings import ring_flows
from rarlib.fabric.routing import STARTS, ecmp
from rarlib.fabric.shapes import fat_tree, leaf_spine, one_switch, rack_tree
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate

ALONE = RingCost(share=0.5, overhead=0.01, gbps=10.0)
SHAPES = {
    "one switch": one_switch(8, 10.0),
    "racks": rack_tree(np.arange(8) // 2, np.full(8, 10.0), np.array([5.0, 10.0, 20.0, inf])),
    "racks in turn": rack_tree(np.arange(8) % 2, np.full(8, 10.0), np.array([15.0, 15.0])),
    "leaf-spine": leaf_spine(4, 2, 2, 10.0, 5.0),
    "fat tree": fat_tree(4, 10.0, 5.0),
}


def trace(seed, many=25):
    rng = np.random.default_rng(seed)
    return Jobs.build(
        submit_s=np.sort(rng.uniform(0.0, 400.0, many)).round(3),
        gpus=rng.choice([1, 2, 3, 4, 6, 8], many),
        duration_s=rng.uniform(20.0, 300.0, many).round(3),
    )


def played(shape, jobs, name, placement="spread", seed=0, alpha=0.0, **options):
    cluster = laid_out(Cluster.of([2] * shape.servers), shape)
    scheduler = make_scheduler(name, {"placement": placement})
    return simulate(jobs, cluster, scheduler, on_fabric(ALONE, shape, alpha, seed), restart_s=7.0, **options)


def test_two_jobs_by_hand():
    """Each spans both nodes of one switch: T = c + s (1 + d) with c = 1 + 2 overheads, s = 1; then one is alone."""
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[2, 2], duration_s=[100.0, 40.0])
    run = played(one_switch(2, 10.0), jobs, "fifo")
    alone = 1.02 + 1.0
    together = alone * (1.0 + (1.0 / alone) ** 2)
    assert run.finish_s[1] == pytest.approx(40.0 * together)
    assert run.finish_s[0] == pytest.approx(40.0 * together + 60.0 * alone)
    assert run.contention_s == pytest.approx([40.0 * (together - alone)] * 2)
    assert run.useful_s == pytest.approx([200.0, 80.0])


def test_jobs_that_meet_at_an_uplink_only():
    """No server has two jobs, so counting by server sees no contention; the one uplink of each rack is shared."""
    shape = rack_tree(np.array([0, 0, 1, 1]), np.full(4, 10.0), np.array([10.0, 10.0]))
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[2, 2], duration_s=[50.0, 50.0])
    cluster = laid_out(Cluster.of([1, 1, 1, 1]), shape)
    apart = on_fabric(ALONE, shape)
    across = simulate(jobs, cluster, make_scheduler("fifo", {"placement": "random"}), apart, seed=3)
    counted = simulate(jobs, cluster, make_scheduler("fifo", {"placement": "random"}), ALONE, seed=3)
    assert {tuple(across.alloc_node[across.alloc_job == job] // 2) for job in (0, 1)} == {(0, 1)}
    assert (counted.contention_s == 0.0).all()
    assert (across.contention_s > 0.0).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_links_are_those_of_the_paths_by_name(shape, seed):
    """Numbers and names are two ways to say one thing; infinitely fast links are left out."""
    rng = np.random.default_rng(seed)
    links, names = numbered_links(shape, np.full(shape.servers, 4), 10.0, seed=seed), link_names(shape)
    for key in (3, 3 + STARTS):
        servers = np.sort(rng.choice(shape.servers, 5, replace=False))
        found = np.zeros(most_crossings(links, 5), np.int64)
        ring = servers.copy()
        end = ring_links(links, np.uint64(key), ring, found, 0)
        assert sorted(ring) == list(servers)
        _, gbps = ring_flows(ecmp(shape, seed), key, ring.tolist(), "lockstep", 1.0)
        finite = {name: capacity for name, capacity in gbps.items() if capacity < inf}
        assert sorted(names[link] for link in found[:end]) == sorted(finite)
        assert {names[link]: links.capacity[link] * 10.0 for link in found[:end]} == finite


def case_of(run, shape, seed, alpha, running):
    """The running jobs as a case of the fabric: seconds of `link_s` at 10 Gbit/s are bytes."""
    jobs, links = [], {}
    for job, (nodes, starts) in running.items():
        ring = sorted(nodes, key=lambda node: ([*(int(layer.group[node]) for layer in shape.layers[::-1])], node))
        sent = run.prices.link_s[job] * 10.0 * BYTES_PER_GBIT
        flows, crossed = ring_flows(ecmp(shape, seed), job + starts * STARTS, ring, "lockstep", sent)
        compute_s = run.prices.base_s[job] + run.prices.server_s[job] * len(nodes)
        finite = {link for link, gbps in crossed.items() if gbps < inf}
        flows = tuple(
            flow._replace(links={link: n for link, n in flow.links.items() if link in finite}) for flow in flows
        )
        links |= {link: crossed[link] for link in finite}
        jobs.append(SendingJob(str(job), compute_s, 0.0, 1, flows))
    return SharedCase("replay", links, jobs, alpha)


def intervals(run):
    """Job, start, end, nodes and number of starts before it, for each time that a job held GPUs."""
    found, starts = [], {}
    for job in range(len(run.jobs)):
        rows = run.alloc_job == job
        for start in sorted(set(run.alloc_start[rows])):
            mine = rows & (run.alloc_start == start)
            found.append((job, start, run.alloc_end[mine][0], run.alloc_node[mine].tolist(), starts.get(job, 0)))
            starts[job] = starts.get(job, 0) + 1
    return found


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(("name", "alpha"), [("fifo-backfill", 0.3), ("srtf", 0.0)])
def test_replayed_interval_by_interval(shape, name, alpha):
    """The law of every set of jobs that ran together, from nothing, gives each job the work it asked for."""
    jobs = trace(5)
    run = played(shape, jobs, name, seed=11, alpha=alpha)
    held = intervals(run)
    times = sorted({t for _, start, end, _, _ in held for t in (start, end)} | {s + 7.0 for _, s, _, _, n in held if n})
    done, waited = np.zeros(len(jobs)), np.zeros(len(jobs))
    for begin, end in pairwise(times):
        now = [each for each in held if each[1] <= begin and each[2] >= end]
        spanning = {job: (nodes, n) for job, _, _, nodes, n in now if len(nodes) > 1}
        tau = dict(zip(spanning, mean_times(case_of(run, shape, 11, alpha, spanning)), strict=True)) if spanning else {}
        busy = {}
        for job, start, _, _, n in now:
            if n == 0 or begin >= start + 7.0:
                done[job] += (end - begin) / tau.get(job, run.prices.base_s[job] + run.prices.local_s[job])
        for job, (nodes, _) in spanning.items():
            alone = mean_times(case_of(run, shape, 11, alpha, {job: spanning[job]}))[0]
            assert tau[job] >= alone * (1 - 1e-9)
            waited[job] += end - begin if tau[job] > alone * 1.001 else 0.0
            for node in nodes:
                busy[node] = busy.get(node, 0.0) + run.prices.link_s[job] / tau[job]
        assert max(busy.values(), default=0.0) <= 1.0 + 1e-9, "a server sends more than its link carries"
    np.testing.assert_allclose(done, run.prices.work, rtol=1e-7)
    assert waited.max() > 10.0, "the effect must be alive"
    if name == "srtf":
        assert run.restarts.sum() > 0


@pytest.mark.parametrize("name", ["fifo", "srtf", "las"])
def test_both_drivers_agree(name):
    one, other = (played(SHAPES["leaf-spine"], trace(9), name, compiled=way) for way in (True, False))
    assert (one.finish_s == other.finish_s).all()
    assert (one.contention_s == other.contention_s).all()


def test_a_job_alone_costs_what_it_costs_without_a_fabric():
    """On one switch, to the bit: the law changes nothing for a job that meets nobody."""
    jobs = Jobs.build(submit_s=[0.0, 500.0], gpus=[6, 5], duration_s=[33.3, 77.7])
    linked = played(SHAPES["one switch"], jobs, "fifo")
    counted = simulate(jobs, linked.cluster, make_scheduler("fifo", {"placement": "spread"}), ALONE)
    assert (linked.finish_s == counted.finish_s).all()
    assert (linked.contention_s == 0.0).all()


def test_jobs_that_change_while_they_run_share_links():
    """Two trainings over one switch: what they send and compute is that of the row of the moment."""
    jobs = Jobs.build(
        submit_s=[0.0, 0.0], gpus=[6, 6], duration_s=[900.0, 900.0],
        application=["bert", "bert"], adaptivity=["rigid", "rigid"],
    )  # fmt: skip
    cluster, profiled = Cluster.parse("t4:3x4"), GoodputCost(network=SpanningNetwork(), recorded=True)
    linked, scheduler = on_fabric(profiled, cluster_shape(cluster)), {"placement": "spread"}
    alone = simulate(jobs.take([0]), cluster, make_scheduler("fifo", scheduler), linked)
    without = simulate(jobs.take([0]), cluster, make_scheduler("fifo", scheduler), profiled)
    both = simulate(jobs, cluster, make_scheduler("fifo", scheduler), linked)
    assert alone.finish_s == pytest.approx(without.finish_s)
    assert (both.finish_s > alone.finish_s[0]).all()
    assert (both.contention_s > 0.0).all()


def test_links_are_moved_together_when_places_run_out():
    """Many starts of wide gangs use up the places behind one another; the schedule must not notice."""
    rng = np.random.default_rng(1)
    jobs = Jobs.build(submit_s=np.arange(400.0), gpus=rng.choice([4, 6, 8], 400), duration_s=rng.uniform(1.0, 9.0, 400))
    run = played(SHAPES["fat tree"], jobs, "srtf")
    assert run.finished.all()
    assert run.restarts.sum() + len(jobs) > 2 * 32, "more starts than there are places"


def test_the_fabric_of_a_cluster_is_its_racks():
    nodes = [{"count": 2, "gpus": 4, "rack": "a"}, {"count": 3, "gpus": 4, "rack": "b"}]
    cluster = Cluster.named("c.yaml", {"nodes": nodes, "racks": {"a": {"uplink_gbps": 5}, "b": {}}})
    shape = cluster_shape(cluster)
    assert shape.path(0, 4, (0,)) == {"h0+": 10.0, "rack/0+": 5.0, "rack/1-": inf, "h4-": 10.0}
    assert cluster_shape(Cluster.parse("4x8")).path(0, 3, ()) == {"h0+": 10.0, "h3-": 10.0}


def test_refusals():
    jobs, shape = trace(1, 3), one_switch(4, 10.0)
    with pytest.raises(InputError, match="fabric: has 4 servers, the cluster 5 nodes"):
        laid_out(Cluster.of([2] * 5), shape)
    with pytest.raises(InputError, match="fabric: has 4 servers, the cluster 5 nodes"):
        simulate(jobs, Cluster.of([2] * 5), make_scheduler("fifo", {}), on_fabric(ALONE, shape))
    slotted = SlottedRingCost(iterations=jobs.duration_s, tau0=np.full(3, 0.01), extra=0.01, cap=np.inf)
    with pytest.raises(InputError, match="slots"):
        simulate(jobs, laid_out(Cluster.of([2] * 4), shape), make_scheduler("fifo", {}), on_fabric(slotted, shape))
