"""Gangs on nodes and in pools: by hand, and what holds of every arrangement."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.allocate.nodes import Pools, anywhere, arrange
from rarlib.allocate.present import exchange
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement, Start, Stop
from rarlib.model.errors import InputError

NODES = np.array([3, 5, 6, 9])


def test_by_hand() -> None:
    """Four nodes of 4: the largest first, the rest of a gang on the tightest node."""
    found = arrange(NODES, 4, {7: 8, 1: 2, 2: 1, 3: 2}, {}, locality=True)
    assert found == {7: ((3, 4), (5, 4)), 1: ((6, 2),), 3: ((6, 2),), 2: ((9, 1),)}


def test_those_who_stay_and_those_who_make_room() -> None:
    """A gang of 4 comes; of three nodes it gets the one where the least must go, and who goes finds another place."""
    held: dict[int, Placement] = {1: ((3, 2),), 2: ((5, 1),), 3: ((6, 2),), 4: ((9, 4),)}
    gangs = {1: 2, 2: 1, 3: 2, 4: 4, 5: 4}
    found = arrange(NODES, 4, gangs, held, locality=True)
    assert found == {1: ((3, 2),), 3: ((6, 2),), 4: ((9, 4),), 5: ((5, 4),), 2: ((3, 1),)}
    assert arrange(NODES, 4, gangs, held, locality=False) == {
        4: ((3, 4),),
        5: ((5, 4),),
        1: ((6, 2),),
        3: ((6, 2),),
        2: ((9, 1),),
    }


@st.composite
def rounds(draw: st.DrawFn) -> tuple[int, int, list[dict[int, int]]]:
    """Node size, nodes, and rounds of gangs in sizes of configurations that fit together."""
    room, nodes = draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(1, 6))
    sizes = [2**k for k in range(room.bit_length())] + [room * k for k in range(2, nodes + 1)]
    found = []
    for _ in range(3):
        gangs, left = {}, room * nodes
        for job in range(12):
            size = draw(st.sampled_from(sizes))
            if size <= left and draw(st.booleans()):
                gangs[job] = size
                left -= size
        found.append(gangs)
    return room, nodes, found


@given(rounds(), st.booleans())
def test_gangs_are_never_split(case: tuple[int, int, list[dict[int, int]]], locality: bool) -> None:
    """Round after round, whoever came before: whole nodes or one node, no node overfull, all there."""
    room, nodes, series = case
    numbers = np.arange(nodes) * 3 + 1
    held: dict[int, Placement] = {}
    for gangs in series:
        after = arrange(numbers, room, gangs, held, locality=locality)
        assert {job: sum(g for _, g in placement) for job, placement in after.items()} == gangs
        used = dict.fromkeys(numbers.tolist(), 0)
        for placement in after.values():
            assert len(placement) == 1 or all(gpus == room for _, gpus in placement)
            assert [node for node, _ in placement] == sorted(node for node, _ in placement)
            for node, gpus in placement:
                used[node] += gpus
        assert max(used.values()) <= room
        if (
            locality
            and gangs
            and all(held.get(job, ()) and gangs[job] == sum(g for _, g in held[job]) for job in gangs)
        ):
            assert all(after[job] == held[job] for job in gangs)
        held = after


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
