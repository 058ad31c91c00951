"""Rings that reserve bandwidth: by hand on tiny networks, and against every way to split a gang."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.allocate.rings import Residual
from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.tree_network import TreeNetwork


def place(left, count, gbps):
    """A gang's workers by server, zeros where it finds no place."""
    workers = np.zeros((1, len(left.space.gpus)), np.int64)
    left.whole(np.array([0]), np.array([count]), np.array([gbps]), workers)
    return workers[0].tolist()


def test_a_ring_needs_bandwidth_on_every_link_it_uses():
    """Two GPUs on two servers: a ring of 10 Gbit/s fits once, of 11 never; across racks the uplinks count as well."""
    for gbps, uplink, expected in ((10.0, 10.0, [1, 1]), (11.0, 20.0, [0, 0]), (10.0, 9.0, [0, 0])):
        assert place(Residual(TreeNetwork.build([1, 1], 10.0, [0, 1], [uplink] * 2)), 2, gbps) == expected
    left = Residual(TreeNetwork.build([2, 2], 10.0, [0, 0], 1.0))
    assert place(left, 3, 6.0) == [2, 1]
    assert place(left, 1, 6.0) == [0, 1]  # one server: no bandwidth


def test_gangs_go_to_one_server_then_one_rack():
    """Three workers: the tightest server that holds them; five: the tightest rack."""
    network = TreeNetwork.build([4, 3, 2, 2, 2, 2], 10.0, [0, 0, 1, 1, 2, 2], [100.0] * 3)
    assert place(Residual(network), 3, 1.0) == [0, 3, 0, 0, 0, 0]
    assert place(Residual(network), 5, 1.0) == [4, 1, 0, 0, 0, 0]
    assert np.flatnonzero(place(Residual(network), 8, 1.0)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("head_blocks", "expected"), [(True, [3, 0, 0]), (False, [3, 0, 1])])
def test_what_finds_no_place_blocks_or_is_left_out(head_blocks, expected):
    """Five GPUs: 3 fit, the next 3 do not, the last one would."""
    workers = np.zeros((3, 3), np.int64)
    left = Residual(TreeNetwork.build([2, 2, 1], 10.0, [0, 0, 0], 100.0))
    left.whole(np.arange(3), np.array([3, 3, 1]), np.ones(3), workers, head_blocks=head_blocks)
    assert workers.sum(axis=1).tolist() == expected


networks = st.builds(
    lambda sizes, racks, links, ups: TreeNetwork.build(sizes, links[: len(sizes)], racks[: len(sizes)], ups),
    st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(any),
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=2, max_size=2),
)


def _splits(count, servers):
    if servers == 1:
        return [[count]]
    return [[k, *rest] for k in range(count + 1) for rest in _splits(count - k, servers - 1)]


@given(networks, st.integers(1, 5), st.integers(1, 5), st.sampled_from([1.0, 2.0, 3.0]))
def test_a_gang_is_placed_whenever_it_can_be(network, first, second, gbps):
    """Against every way to split the second gang, the first being placed."""
    jobs = SlotJobs.build(utility=SquareRoot([1, 1]), largest=[first, second], smallest=[first, second], bandwidth=gbps)
    slot = jobs.slot(network, np.arange(2), np.zeros(2))
    left = Residual(network)
    held = place(left, first, gbps)
    possible = any(not slot.broken(np.array([held, split])) for split in _splits(second, network.servers))
    placed = place(left, second, gbps)
    assert any(placed) == possible
    assert slot.broken(np.array([held, placed])) == ""
