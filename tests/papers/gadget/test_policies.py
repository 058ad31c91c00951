"""Baselines of GADGET's evaluation: by hand on tiny networks, and by what must hold on any."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.reserved import Network
from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.papers.gadget.horizon import run_horizon
from rarlib.papers.gadget.instance import Instance, fig5_network, instance
from rarlib.papers.gadget.policies import baseline
from rarlib.papers.gadget.room import Room

quick = settings(derandomize=True, database=None, deadline=None, max_examples=60)


def problem(network, workers, gbps=0.0, smallest=None, job=None):
    """A slot in which every job is active."""
    n = len(workers)
    jobs = SlotJobs.build(
        utility=SquareRoot(np.ones(n)), largest=workers, smallest=workers if smallest is None else smallest,
        bandwidth=gbps,
    )  # fmt: skip
    return jobs.slot(network, np.arange(n) if job is None else np.array(job), np.zeros(n))


def counts(policy, case, done=None):
    return policy(case, np.zeros(len(case)) if done is None else np.array(done, float)).sum(axis=1).tolist()


one_rack = Network.build([2, 2, 1], 10.0, [0, 0, 0], 100.0)


def test_fifo_blocks_at_the_head():
    """Five GPUs: 3 fit, the next 3 do not, and the last one must wait though it would fit."""
    assert counts(baseline("fifo"), problem(one_rack, [3, 3, 1])) == [3, 0, 0]


def test_las_serves_whatever_fits_by_service():
    """The same gangs: the one without service first, then what still fits."""
    assert counts(baseline("las"), problem(one_rack, [3, 3, 1]), [6, 0, 0]) == [0, 3, 1]


def test_las_takes_turns():
    """Two gangs that exclude each other share the slots evenly; ties go to the earlier one."""
    case = Instance(one_rack, *(SlotJobs.build(utility=SquareRoot([1, 1]), largest=4, smallest=4, bandwidth=1.0),) * 2,
                    np.zeros(2, int))  # fmt: skip
    assert run_horizon(case, case.gangs, baseline("las"), slots=5).done.tolist() == [12, 8]
    assert run_horizon(case, case.gangs, baseline("las", holds=True), slots=5).done.tolist() == [20, 0]


def test_fifo_keeps_its_workers_until_the_end():
    """Job 0 runs its 8 worker-slots on four GPUs; then job 1 gets them."""
    jobs = SlotJobs.build(
        utility=SquareRoot([1, 1]), largest=4, smallest=4, bandwidth=1.0, budget=8, budget_counts="worker-slots"
    )
    case = Instance(one_rack, jobs, jobs, np.array([0, 1]))
    got = run_horizon(case, jobs, baseline("fifo"), slots=3)
    assert got.done.tolist() == [8, 4]
    assert got.embedded == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert got.used == pytest.approx(12 / 15)


def test_drf_shares_bandwidth_too():
    """Two rings want three of the last five GPUs, the first ones on four servers, beside six single workers.

    Both have two; who reserves 10 of 50 Gbit/s on each of two servers has the larger share, so the other goes on.
    """
    assert counts(baseline("drf"), problem(one_rack, [3, 3, 3], smallest=1)) == [2, 2, 1]
    network = Network.build([1, 1, 1, 1, 7], 10.0, [0] * 5, 100.0)
    workers, single = [1] * 6 + [3, 3], [0.0] * 6
    for gbps, expected in (([10.0, 0.1], [2, 3]), ([0.1, 0.1], [3, 2])):
        case = problem(network, workers, gbps=np.array(single + gbps), smallest=1)
        assert counts(baseline("drf"), case)[6:] == expected


def test_drf_that_holds_gives_newcomers_what_is_free():
    """Job 0 has 4 of 5 GPUs when job 1 comes: 4 and 1 if what is given stays, 3 and 2 if it is dealt anew."""
    jobs = SlotJobs.build(utility=SquareRoot([1, 1]), largest=4, bandwidth=1.0)
    for holds, expected in ((True, [4, 1]), (False, [3, 2])):
        policy = baseline("drf", holds=holds)
        policy(jobs.slot(one_rack, np.array([0]), np.zeros(2)), np.zeros(1))
        assert counts(policy, jobs.slot(one_rack, np.arange(2), np.zeros(2))) == expected


def test_a_ring_needs_bandwidth_on_every_link_it_uses():
    """Two GPUs on two servers: a ring of 10 Gbit/s fits once, of 11 never; across racks the uplinks count as well."""
    for gbps, uplink, expected in ((10.0, 10.0, True), (11.0, 20.0, False), (10.0, 9.0, False)):
        room = Room(Network.build([1, 1], 10.0, [0, 1], [uplink] * 2))
        assert (room.gang(2, gbps) is not None) == expected
    room = Room(Network.build([2, 2], 10.0, [0, 0], 1.0))
    assert room.gang(3, 6.0).tolist() == [2, 1]
    assert room.gang(1, 6.0).tolist() == [0, 1]  # one server: no bandwidth


def test_gangs_go_to_one_server_then_one_rack():
    """Three workers: the tightest server that holds them; five: the tightest rack."""
    network = Network.build([4, 3, 2, 2, 2, 2], 10.0, [0, 0, 1, 1, 2, 2], [100.0] * 3)
    assert Room(network).gang(3, 1.0).tolist() == [0, 3, 0, 0, 0, 0]
    assert Room(network).gang(5, 1.0).tolist() == [4, 1, 0, 0, 0, 0]
    assert np.flatnonzero(Room(network).gang(8, 1.0)).tolist() == [0, 1, 2]


networks = st.builds(
    lambda sizes, racks, links, ups: Network.build(sizes, links[: len(sizes)], racks[: len(sizes)], ups),
    st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(any),
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=2, max_size=2),
)


def _splits(count, servers):
    if servers == 1:
        return [[count]]
    return [[k, *rest] for k in range(count + 1) for rest in _splits(count - k, servers - 1)]


@quick
@given(networks, st.integers(1, 5), st.integers(1, 5), st.sampled_from([1.0, 2.0, 3.0]))
def test_a_gang_is_placed_whenever_it_can_be(network, first, second, gbps):
    """Against every way to split the second gang, the first being placed."""
    case = problem(network, [first, second], gbps=gbps)
    room = Room(network)
    workers = np.zeros((2, network.servers), np.int64)
    gang = room.gang(first, gbps)
    workers[0] = 0 if gang is None else gang
    possible = False
    for split in _splits(second, network.servers):
        workers[1] = split
        possible |= not case.broken(workers)
    placed = room.gang(second, gbps)
    assert (placed is not None) == possible
    if placed is not None:
        workers[1] = placed
        assert case.broken(workers) == ""


@quick
@given(networks, st.lists(st.integers(1, 5), min_size=1, max_size=5), st.sampled_from([0.5, 2.0, 3.0]))
def test_every_policy_keeps_within_capacity(network, limits, gbps):
    """Whatever the network: no server, link or uplink is overfull, twice in a row."""
    n = len(limits)
    elastic, rigid = problem(network, limits, gbps, smallest=1), problem(network, limits, gbps)
    for name in ("fifo", "las", "drf"):
        for holds in (False, True):
            policy, case = baseline(name, holds=holds), elastic if name == "drf" else rigid
            for done in (np.zeros(n), np.arange(n)[::-1]):
                assert case.broken(policy(case, done)) == ""


@quick
@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 20))
def test_drf_is_max_min_fair_where_only_gpus_bind(limits, gpus):
    """One server: within one GPU of water-filling, computed by raising a common level."""
    got = counts(baseline("drf"), problem(Network.build([gpus], 1.0, [0], 1.0), limits, smallest=1))
    fair = np.zeros(len(limits))
    left = float(gpus)
    for position, job in enumerate(np.argsort(limits)):
        fair[job] = min(limits[job], left / (len(limits) - position))
        left -= fair[job]
    assert (np.abs(np.array(got) - fair) < 1.0).all()
    assert sum(got) == min(gpus, sum(limits))


def test_fifo_never_overtakes_on_a_whole_instance():
    """In every slot the jobs that have ever run are the first ones by arrival."""
    case = instance(0, 100, network=fig5_network(0, 1))
    policy, ran = baseline("fifo"), np.zeros(100, bool)
    for slot in range(0, 200, 5):
        active = case.gangs.active(case.arrival <= slot, np.zeros(100))
        if len(active):
            ran[active] |= policy(case.gangs.slot(case.network, active, np.zeros(100)), np.zeros(len(active))).any(1)
            assert ran[: ran.sum()].all()
    assert 0 < ran.sum() < 100
