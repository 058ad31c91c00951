"""Gangs on nodes: by hand, and what holds of every arrangement."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.allocate.nodes import arrange
from rarlib.model.decisions import Placement

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
