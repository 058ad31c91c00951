"""Routes: the hash in whole numbers of any size, paths that lead somewhere, and rings that cross what they must."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.fabric.routing import ecmp, next_hop, product64, ring_flows, sum64
from rarlib.fabric.shapes import fat_tree, leaf_spine, one_switch, rack_tree

WORDS = st.integers(0, 2**64 - 1)
RACKS = rack_tree(np.arange(12) // 4, np.full(12, 10.0), np.full(3, 20.0))
SHAPES = {
    "switch": one_switch(9, 10.0),
    "racks": RACKS,
    "leaves": leaf_spine(3, 4, 2, 10.0, 20.0),
    "fat-tree": fat_tree(4, 10.0, 10.0),
}


def hashed(n, seed, *key):
    x = seed
    for value in key:
        x = (x ^ (value + 1) * 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        x ^= x >> 31
    return x % n


@given(WORDS, WORDS)
def test_arithmetic_modulo_2_to_the_64(a, b):
    x, y = np.uint64(a), np.uint64(b)
    assert int(product64(x, y)) == a * b % 2**64
    assert int(sum64(x, y)) == (a + b) % 2**64


@given(st.integers(1, 64), WORDS, WORDS, st.integers(0, 20_000), st.integers(0, 20_000), st.integers(0, 1))
def test_the_hash_is_splitmix64(n, seed, job, source, target, hop):
    found = next_hop(n, np.uint64(seed), np.uint64(job), source, target, hop)
    assert found == hashed(n, seed, job, source, target, hop)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_paths_go_up_and_then_down(shape):
    """As many links down as up, and a path back from target to source exists link by link."""
    path = ecmp(shape, 7)
    for source in range(shape.servers):
        for target in range(shape.servers):
            if source != target:
                links = list(path(3, source, target))
                ways = [link[-1] for link in links]
                assert ways == ["+"] * (len(links) // 2) + ["-"] * (len(links) // 2)
                assert links[0] == f"h{source}+" and links[-1] == f"h{target}-"
                assert set(path(3, source, target).values()) <= {10.0, 20.0}


def test_paths_through_a_fat_tree_by_hand():
    """k = 4: servers 0 and 1 share an edge switch, 2 is in the pod, 4 is not."""
    path = ecmp(fat_tree(4, 10.0, 10.0), 0)
    up, core = hashed(2, 0, 5, 0, 4, 0), hashed(2, 0, 5, 0, 4, 1)
    assert path(5, 0, 1) == {"h0+": 10.0, "h1-": 10.0}
    assert len(path(5, 0, 2)) == 4
    between = (f"e0a{up}+", f"p0a{up}c{core}+", f"p1a{up}c{core}-", f"e2a{up}-")
    assert tuple(path(5, 0, 4)) == ("h0+", *between, "h4-")


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("seed", range(20))
def test_a_ring_in_order_crosses_every_link_once(shape, seed):
    """Whatever servers it has: once up and once down at most."""
    rng = np.random.default_rng(seed)
    servers = sorted(int(s) for s in rng.choice(shape.servers, 5, replace=False))
    (flow,), _ = ring_flows(ecmp(shape, seed), 1, servers, "lockstep", 1e6)
    assert set(flow.links.values()) == {1}


def test_a_ring_out_of_order_may_cross_an_uplink_twice():
    (flow,), links = ring_flows(ecmp(RACKS, 0), 0, [0, 4, 1, 5], "lockstep", 1e6)
    assert flow.links["rack/0+"] == 2
    assert links["rack/0+"] == 20.0


def test_edges_of_a_ring_add_up_to_it():
    paths = ecmp(leaf_spine(3, 4, 2, 10.0, 20.0), 5)
    (whole,), links = ring_flows(paths, 2, [0, 5, 9], "lockstep", 1e6)
    edges, same = ring_flows(paths, 2, [0, 5, 9], "independent", 1e6)
    assert len(edges) == 3
    assert same == links
    assert sum((Counter(edge.links) for edge in edges), Counter()) == whole.links
    assert ring_flows(paths, 2, [4], "lockstep", 1e6) == ((), {})


def test_a_restarted_job_is_hashed_anew():
    paths = ecmp(leaf_spine(2, 8, 4, 10.0, 10.0), 1)
    first = [paths(7, s, 8 + s) for s in range(8)]
    assert first == [paths(7, s, 8 + s) for s in range(8)]
    assert first != [paths(7 + 2**32, s, 8 + s) for s in range(8)]
