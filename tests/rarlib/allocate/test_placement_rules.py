"""Placement rules against all placements of small clusters, enumerated."""

from itertools import groupby, product

import numpy as np
import pytest

from rarlib.allocate.placement import RULES, choose, rule_number, tiers
from rarlib.model.errors import InputError

CAPACITY = (4, 3, 2)
FREE = list(product(*(range(c + 1) for c in CAPACITY)))


def place(free, gpus, name, capacity, state, tier=None):
    """The placement, or None if the gang does not fit; without `tier`, all nodes are of one type."""
    counts = np.zeros(len(free), np.int64)
    tier = np.zeros(len(free), np.int64) if tier is None else tier
    if gpus > free.sum() or not choose(free, gpus, rule_number(name), np.sort(capacity)[::-1], tier, state, counts):
        return None
    return tuple((int(node), int(counts[node])) for node in np.flatnonzero(counts))


def put(free, gpus, rule, seed=1, tier=None):
    """GPUs taken per node, or None."""
    state = np.array([seed], np.uint64)
    placement = place(np.array(free, np.int64), gpus, rule, np.array(CAPACITY, np.int64), state, tier)
    if placement is None:
        return None
    nodes = [node for node, _ in placement]
    assert nodes == sorted(set(nodes))
    counts = dict(placement)
    return tuple(counts.get(node, 0) for node in range(len(free)))


def everything(free, gpus):
    """All ways to take the gang from what is free."""
    return [counts for counts in product(*(range(f + 1) for f in free)) if sum(counts) == gpus]


def servers(counts):
    return sum(c > 0 for c in counts)


def cases():
    return ((free, gpus) for free in FREE for gpus in range(1, sum(CAPACITY) + 1))


@pytest.mark.parametrize("rule", ["any", "pack", "spread", "random", "one-type", "adjacent"])
def test_whole_gang_whenever_it_fits(rule):
    for free, gpus in cases():
        counts = put(free, gpus, rule)
        assert (counts in everything(free, gpus)) if gpus <= sum(free) else counts is None


def test_pack_uses_the_fewest_servers():
    for free, gpus in cases():
        ways = everything(free, gpus)
        if ways:
            assert servers(put(free, gpus, "pack")) == min(map(servers, ways))


def test_pack_leaves_the_emptiest_nodes_alone():
    """Of the nodes that hold the gang whole, the one with fewest free GPUs, the first of equals."""
    for free, gpus in cases():
        fitting = [(f, node) for node, f in enumerate(free) if f >= gpus]
        if fitting:
            assert put(free, gpus, "pack")[min(fitting)[1]] == gpus


def test_spread_evens_out_what_is_left():
    """No placement leaves a more even cluster: what is left, fullest first, is the least possible."""
    for free, gpus in cases():
        left = [tuple(sorted(np.subtract(free, way), reverse=True)) for way in everything(free, gpus)]
        if left:
            assert tuple(sorted(np.subtract(free, put(free, gpus, "spread")), reverse=True)) == min(left)


def test_consolidate_waits_for_the_fewest_servers():
    """It must place exactly when some placement is as compact as on the empty cluster."""
    for free, gpus in cases():
        best = min(map(servers, everything(CAPACITY, gpus)))
        possible = any(servers(way) == best for way in everything(free, gpus))
        counts = put(free, gpus, "consolidate")
        assert (counts is not None) == possible
        assert counts is None or servers(counts) == best


def test_one_type_is_pack_on_the_fastest_type_with_room():
    """Types by node: slow, fast, slow. Other types only where none has room."""
    tier = tiers(("t4", "a100", "t4"), np.array([1.0, 3.0, 1.0]))
    assert tier.tolist() == [1, 0, 1]
    for free, gpus in cases():
        fast, slow = (0, free[1], 0), (free[0], 0, free[2])
        expected = next((part for part in (fast, slow) if sum(part) >= gpus), free)
        assert put(free, gpus, "one-type", tier=tier) == put(expected, gpus, "pack")


def test_random_reaches_every_node_alike():
    """A gang of 1 on 3 nodes: each is drawn a third of the time (chi-square, 0.1 % bound with 2 degrees of freedom)."""
    state = np.array([12345], np.uint64)
    capacity = np.array([2, 2, 2], np.int64)
    drawn = np.bincount([place(capacity, 1, "random", capacity, state)[0][0] for _ in range(3_000)], minlength=3)
    assert ((drawn - 1_000) ** 2 / 1_000).sum() < 13.8


def test_unknown_rule():
    with pytest.raises(InputError, match=f"unknown placement 'packed'; known: {', '.join(RULES)}"):
        put((1, 1, 1), 1, "packed")


def adjacent_by_hand(free, gpus):
    """The rule of Slurm in lists: runs of neighbours with free GPUs, the tightest that suffices or else the largest."""
    counts, left = [0] * len(free), gpus
    while left:
        spare = [0 if taken else f for f, taken in zip(free, counts, strict=True)]
        runs = [list(run) for some, run in groupby(range(len(free)), key=lambda node: spare[node] > 0) if some]
        size = {run[0]: sum(spare[node] for node in run) for run in runs}
        enough = [run for run in runs if size[run[0]] >= left]
        run = min(enough or runs, key=lambda run: size[run[0]] if enough else -size[run[0]])
        alone = [node for node in run if spare[node] >= left]
        for node in [min(alone, key=spare.__getitem__)] if alone else run:
            counts[node] = min(spare[node], left)
            left -= counts[node]
    return tuple(counts)


def test_adjacent_takes_the_tightest_run_of_neighbours():
    """All states of five nodes with up to 2 free GPUs: holes of all shapes."""
    for free in product(range(3), repeat=5):
        for gpus in range(1, sum(free) + 1):
            assert put(free, gpus, "adjacent") == adjacent_by_hand(free, gpus)
