"""Pools of equal nodes, free GPUs wherever they are, and the exchange of placements: by hand, and what always holds."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.allocate.exchange import exchange
from rarlib.allocate.nodes import anywhere, arrange
from rarlib.allocate.pools import Pools
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop
from rarlib.model.errors import InputError

CLUSTER = Cluster.parse("a:2x4,b:1x8,a:1x4", as_written=True)
POOLS = Pools.of(CLUSTER, np.array([0, 0, 1, 0]), "ours")


def test_pools_by_hand():
    """Type a has nodes 0, 1 and 3. Of 6 GPUs there, four fill node 0; b is filled by itself."""
    assert [part.tolist() for part in POOLS.nodes] == [[0, 1, 3], [2]]
    assert (POOLS.gpus_per_node.tolist(), POOLS.capacity.tolist()) == ([4, 8], [12, 8])
    placed = POOLS.place({5: (0, 6), 2: (1, 3)}, {}, partial(arrange, locality=True))
    assert list(placed.items()) == [(2, ((2, 3),)), (5, ((0, 4), (1, 2)))]


def test_unequal_nodes_are_named():
    with pytest.raises(InputError, match="ours needs equal nodes of type a"):
        Pools.of(Cluster.parse("a:1x4,a:1x2"), np.array([0, 0]), "ours")


@settings(derandomize=True, database=None, deadline=None, max_examples=60)
@given(st.data())
def test_no_gang_leaves_its_pool_and_no_node_is_overfull(data):
    held = {}
    for _ in range(3):
        left, wanted = POOLS.capacity.tolist(), {}
        for job in range(data.draw(st.integers(0, 6))):
            pool, gpus = data.draw(st.integers(0, 1)), data.draw(st.sampled_from([1, 2, 4, 8]))
            if gpus <= left[pool]:
                wanted[job] = pool, gpus
                left[pool] -= gpus
        rule = data.draw(st.sampled_from([anywhere, partial(arrange, locality=True)]))
        held = POOLS.place(wanted, held, rule)
        used = np.zeros(CLUSTER.nodes, np.int64)
        for job, placement in held.items():
            for node, part in placement:
                assert POOLS.of_node[node] == wanted[job][0]
                used[node] += part
        assert {job: sum(part for _, part in placement) for job, placement in held.items()} == {
            job: gpus for job, (_, gpus) in wanted.items()
        }
        assert (used <= CLUSTER.gpus).all()


def test_exchange_stops_first_and_leaves_alone_what_does_not_change():
    held = {1: ((0, 2),), 2: ((0, 1),), 3: ((1, 4),)}
    view = SimpleNamespace(
        running=[SimpleNamespace(job=SimpleNamespace(row=row), placement=where) for row, where in held.items()]
    )
    wanted = {4: ((0, 1),), 1: ((0, 2),), 2: ((1, 1),)}
    assert list(exchange(view, wanted)) == [Stop(2), Stop(3), Start(4, ((0, 1),)), Start(2, ((1, 1),))]
