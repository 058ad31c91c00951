"""States: how many there are, what they hold, and what the shorter families keep."""

import numpy as np
import pytest
from brute import closed_sets, crossing
from hypothesis import given
from hypothesis import strategies as st

from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.profiles import load_profile
from rarlib.pipeline.states import states_of, trimmed


@st.composite
def rooted(draw):
    n = draw(st.integers(2, 7))
    edges = set()
    for at in range(1, n):
        for before in draw(st.sets(st.integers(0, at - 1), min_size=1, max_size=3)):
            edges.add((before, at))
    sizes = draw(st.lists(st.sampled_from([1.0, 2.0, 5.0, 11.0]), min_size=n, max_size=n))
    layers = tuple(Layer(f"l{at}", activation_bytes=sizes[at]) for at in range(n))
    return LayerGraph(layers, tuple((f"l{a}", f"l{b}") for a, b in sorted(edges)))


def members(states):
    return {frozenset(np.flatnonzero(row)) for row in states.done}


@given(rooted())
def test_states_are_the_closed_sets(graph):
    """With one source, every set that holds the source and all predecessors of its members, and what leaves it."""
    states = states_of(graph, 1000)
    expected = {found for found in closed_sets(graph) if 0 in found}
    assert members(states) == expected
    for row, mine in enumerate(frozenset(np.flatnonzero(done)) for done in states.done):
        assert states.leaving_bytes[row] == crossing(graph, mine, "published")
        assert states.frontier_bytes[row] == crossing(graph, mine, "as-coded")
        whole = [frozenset(np.flatnonzero(done)) for done in states.done]
        assert [bool(inside) for inside in states.inside[row]] == [mine < other for other in whole]


@given(rooted())
def test_shorter_families_are_parts_that_keep_single_layer_cuts(graph):
    """A layer that precedes or follows every other one may end a stage in every family."""
    everything = states_of(graph, 1000)
    related = [
        at
        for at in range(len(graph))
        if all(at in s or not s & later(graph, at) for s in map(set, members(everything)))
    ]
    for limit in range(len(graph), len(everything.done)):
        states = states_of(graph, limit)
        assert len(states.done) <= limit
        assert states.method in ("branches", "order")
        assert members(states) <= members(everything)
        for at in related:
            if all(at in above(graph, b) or b in above(graph, at) or b == at for b in range(len(graph))):
                assert frozenset(above(graph, at) | {at}) in members(states)


def above(graph, at):
    return set(graph.before[at]).union(*(above(graph, before) for before in graph.before[at]))


def later(graph, at):
    return {b for b in range(len(graph)) if at in above(graph, b)}


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "count"), [("alexnet", 22), ("vgg16", 40), ("gnmt", 99), ("resnet50", 240), ("resnet101", 410)]
)
def test_states_of_the_measured_profiles(name, count):
    """Counts printed by the authors' optimizer."""
    profile = load_profile(f"pipedream-{name}")
    if profile.standin:
        pytest.skip("no mirror at hand; set RARLIB_MIRROR")
    assert len(states_of(trimmed(profile.graph), 3000).done) == count
