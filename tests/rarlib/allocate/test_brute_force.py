"""Allocators against every subset and every order: small clusters, written from the documentation in plain Python."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.allocate.by_type import FASTER, assign_types
from rarlib.allocate.in_order import assign_gpus
from rarlib.allocate.nodes import arrange

quick = settings(max_examples=150)


def naive_in_order(size, before, total):
    """Sizes from the largest; those who can keep their GPUs, then the least of all sets of free GPUs for each other."""
    free, assigned = set(range(total)), {}
    for gpus in sorted(set(size.values()), reverse=True):
        jobs = [job for job, wanted in size.items() if wanted == gpus]
        for job in jobs:
            if len(before.get(job, ())) == gpus and free.issuperset(before[job]):
                assigned[job] = before[job]
                free -= set(before[job])
        for job in jobs:
            if job not in assigned:
                assigned[job] = min(combinations(sorted(free), gpus))
                free -= set(assigned[job])
    return assigned


@quick
@given(st.data())
def test_in_order_takes_the_least_set_of_free_gpus(data):
    before = {}
    for _ in range(3):
        sizes = data.draw(st.lists(st.integers(1, 4), max_size=5).filter(lambda held: sum(held) <= 9))
        size = dict(zip(data.draw(st.permutations(range(6))), sizes, strict=False))
        found = assign_gpus(size, before)
        assert found == naive_in_order(size, before, 9)
        before = found


def test_jobs_keep_their_gpus_unless_a_larger_one_took_them():
    before = {1: (0, 1), 2: (2, 3), 3: (4, 5)}
    assert assign_gpus({1: 2, 3: 2, 4: 2}, before) == {1: (0, 1), 3: (4, 5), 4: (2, 3)}
    assert assign_gpus({1: 2, 3: 2, 4: 4}, before) == {4: (0, 1, 2, 3), 3: (4, 5), 1: (6, 7)}


def subsets(items):
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))


@quick
@given(st.data())
def test_who_makes_room_is_the_least_that_could(data):
    """Gangs of 1, 2, 4 fill nodes of 8; a gang comes for which there is room, but on no single node."""
    nodes, room = data.draw(st.integers(2, 3)), 8
    held, used = {}, []
    for node in range(nodes):
        left = room
        for size in data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=6)):
            if size <= left:
                held[len(held)] = ((node, size),)
                left -= size
        used.append(room - left)
    gangs = {job: where[0][1] for job, where in held.items()}
    comes = data.draw(st.sampled_from([2, 4, 8]))
    if sum(used) + comes > nodes * room or any(room - taken >= comes for taken in used):
        return
    least = min(
        sum(gangs[job] for job in going)
        for node in range(nodes)
        for going in subsets([job for job, where in held.items() if where[0][0] == node and gangs[job] < comes])
        if room - used[node] + sum(gangs[job] for job in going) >= comes
    )
    after = arrange(np.arange(nodes), room, gangs | {99: comes}, held, locality=True)
    moved = sum(gangs[job] for job, where in held.items() if after[job] != where)
    assert len(after[99]) == 1
    assert moved <= least


def naive_types(rate, order, sizes, now, capacity):
    """The rule at the head of `rarlib.allocate.by_type`, with fractions for the shares."""
    left, count = list(capacity), [0] * len(capacity)
    kinds, options = [-1] * len(rate), [-1] * len(rate)
    for job in order:
        for option, gpus in enumerate(sizes[job]):
            worth = []
            for k, whole in enumerate(capacity):
                if gpus > left[k] or not rate[job][k][gpus] > 0:
                    continue
                most = max(Fraction(int(gpus)), Fraction(int(whole), count[k] + 1))
                value = max(rate[job][k][n] for n in range(len(rate[job][k])) if n <= most)
                worth.append((value * (FASTER if k == now[job] else 1.0), -k))
            if worth:
                k = -max(worth)[1]
                kinds[job], options[job] = k, option
                left[k] -= gpus
                count[k] += 1
                break
    return kinds, options, left


@quick
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 7))
def test_types_follow_their_values(seed, types, jobs):
    """Rates rise and fall with the number of GPUs, and some jobs cannot run at some sizes."""
    rng = np.random.default_rng(seed)
    capacity = rng.integers(1, 7, types)
    rate = rng.uniform(0.5, 4.0, (jobs, types, int(capacity.max()) + 1))
    rate[rng.random(rate.shape) < 0.15] = 0.0
    rate[:, :, 0] = 0.0
    for k in range(types):
        rate[:, k, capacity[k] + 1 :] = 0.0
    sizes, now, order = rng.integers(1, 5, (jobs, 2)), rng.integers(-1, types, jobs), rng.permutation(jobs)
    sizes = np.minimum(sizes, rate.shape[2] - 1)
    left = capacity.copy()
    found = assign_types(rate, order, sizes, now, capacity, left)
    expected = naive_types(rate, order, sizes, now, capacity.tolist())
    assert (found.kind.tolist(), found.option.tolist(), left.tolist()) == expected
