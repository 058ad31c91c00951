"""The search: tournaments, crossover, mutation, repair and survival, generation by generation.

Objectives, operators and ranking are in files of their own. The search ends as in pymoo, on which the authors built:
the allocations it begins with are the first generation. A child that equals a member is dropped, and another one is
bred for it; a generation without any new child ends the search, since everything within reach has been seen. So do
`patience` generations without a greater power mean, which the authors' search does not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.draws import Stream, below, stream_of
from rarlib.model.jit import hot_kernel, inlined
from rarlib.schedulers.pollux_parts.operators import Scratch, cut_between, increase, inherit, repair
from rarlib.schedulers.pollux_parts.packed import PackedStates, pack_states, unpack
from rarlib.schedulers.pollux_parts.problem import AllocationMatrices, SearchProblem, contributions, objectives
from rarlib.schedulers.pollux_parts.ranking import Ranking, better, new_ranking, rank

MATINGS = 101
"""Limit of matings per generation, each of as many children as are still missing, as in pymoo (`model/infill.py`)."""

_WEIGHTS = 2**48
"""Upper limit of weights: two allocations have one key by chance in one of as many pairs, and sums fit 64 bits."""


class Pool(NamedTuple):
    """A population and buffers for its children.

    Attributes:
        states: members' allocations, packed, shape (members, jobs, 1 + 2 nodes).
        ranking: their objectives and order.
        scratch: for the operators.
        weights: of the entries of an allocation in its key, shape (jobs, nodes).
        key: weighted sum of each member's entries, shape (members,); members of one key are taken to be equal.
        table: open-addressing hash table of the members bred from and their children, by key; -1 where empty.
    """

    states: PackedStates
    ranking: Ranking
    scratch: Scratch
    weights: NDArray[np.int64]
    key: NDArray[np.int64]
    table: NDArray[np.int64]


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        front: allocations that no other one dominates, the greatest power mean first, shape (found, jobs, nodes).
        fitness: the power mean of the first of them.
    """

    front: AllocationMatrices
    fitness: float


@inlined
def _enter(pool: Pool, slot: int) -> bool:
    """Enter a member with its key into the table; False if one with this key is there already."""
    last = len(pool.table) - 1
    at = pool.key[slot] & last
    while pool.table[at] >= 0:
        if pool.key[pool.table[at]] == pool.key[slot]:
            return False
        at = (at + 1) & last
    pool.table[at] = slot
    return True


@hot_kernel
def _forget(pool: Pool, members: int) -> None:
    """Empty the table but for the first members."""
    for at in range(len(pool.table)):
        pool.table[at] = -1
    for k in range(members):
        _enter(pool, pool.ranking.order[k])


@inlined
def _admit(problem: SearchProblem, pool: Pool, count: int, position: int, stream: Stream) -> int:
    """Repair the member at a position of the order; if it is new, evaluate it and admit it as number `count`."""
    r = pool.ranking
    slot = r.order[position]
    state = pool.states[slot]
    free, claimed = pool.scratch[0], pool.scratch[1]
    for i in range(len(free)):
        free[i], claimed[i] = problem.node_gpus[i], 0
    key, mean, speed = 0, 0.0, 0.0
    for j in range(len(state)):
        row = state[j]
        repair(problem, j, row, free, claimed, stream)
        for k in range(row[0]):
            key += row[2 + 2 * k] * pool.weights[j, row[1 + 2 * k]]
        to_mean, to_speed = contributions(problem, j, row)
        mean, speed = mean + to_mean, speed + to_speed
    pool.key[slot] = key
    if not _enter(pool, slot):
        return count
    r.first[slot], r.second[slot] = objectives(problem, mean, speed, free)
    r.order[position] = r.order[count]
    r.order[count] = slot
    return count + 1


@inlined
def _parent(r: Ranking, count: int, stream: Stream) -> int:
    """Binary tournament; ties go to the one drawn first."""
    one, other = r.order[below(stream, count)], r.order[below(stream, count)]
    return other if better(r, other, one) else one


@hot_kernel
def _mate(problem: SearchProblem, pool: Pool, members: int, count: int, most: int, stream: Stream) -> int:
    """Breed two children; returns how many members there are then, `most` at most."""
    r, states = pool.ranking, pool.states
    mother, father = _parent(r, members, stream), _parent(r, members, stream)
    daughter, son = r.order[count], r.order[count + 1]
    cut = cut_between(states.shape[1], stream)
    for one, other, child in ((father, mother, daughter), (mother, father, son)):
        inherit(problem, (states[one], states[other]), cut, states[child], pool.scratch, stream)
        increase(problem, states[child], pool.scratch, stream)
    after = count
    for at in range(count, count + 2):
        if after < most:
            after = _admit(problem, pool, after, at, stream)
    return after


@hot_kernel
def _breed(problem: SearchProblem, pool: Pool, members: int, size: int, stream: Stream) -> int:
    """Add up to `size` new children; returns how many members there are then."""
    _forget(pool, members)
    count, most = members, members + size
    for _ in range(MATINGS):
        if count == most:
            break
        for _ in range((most - count + 1) // 2):
            if count < most:
                count = _mate(problem, pool, members, count, most, stream)
    return count


@hot_kernel
def _evolve(
    problem: SearchProblem, pool: Pool, given: int, size: int, generations: int, patience: int, stream: Stream
) -> int:
    """Number of members at the end; the search begins with the first `given` states."""
    members = 0
    _forget(pool, members)
    for k in range(given):
        members = _admit(problem, pool, members, k, stream)
    r = pool.ranking
    rank(r, members, size)
    best, found = r.first[r.head[0]], 0
    for generation in range(1, generations):
        count = _breed(problem, pool, members, size, stream)
        if count == members:
            break
        rank(r, count, size)
        members = min(count, size)
        if r.first[r.head[0]] < best:
            best, found = r.first[r.head[0]], generation
        elif generation - found >= patience:
            break
    return members


def _new_pool(start: AllocationMatrices, size: int) -> Pool:
    """Space for two populations of a size; the first members are those to begin with."""
    given, jobs, nodes = start.shape
    members = 2 * size + 1
    states = np.zeros((members, jobs, 1 + 2 * nodes), np.int16)
    states[:given] = pack_states(start)
    table = np.zeros(2 ** (4 * members).bit_length(), np.int64)
    weights = np.random.default_rng(0).integers(_WEIGHTS, size=(jobs, nodes))
    scratch = np.zeros((3, nodes), np.int64)
    return Pool(states, new_ranking(members), scratch, weights, np.zeros(members, np.int64), table)


def search(
    problem: SearchProblem,
    start: AllocationMatrices,
    rng: np.random.Generator,
    *,
    size: int = 100,
    generations: int = 100,
    patience: int = 30,
) -> Found:
    """Search for allocations with a large power mean of speedups that use their nodes well.

    Args:
        problem: what to allocate.
        start: allocations to begin with, shape (at least 1, jobs, nodes); repaired where necessary.
        rng: seeds the search.
        size: population, and children per generation.
        generations: most of them, the one to begin with included.
        patience: generations without a greater power mean that end the search.
    """
    given = min(len(start), size)
    pool = _new_pool(start[:given], size)
    members = _evolve(problem, pool, given, size, generations, patience, stream_of(rng))
    r = pool.ranking
    best = r.order[:members]
    best = best[r.front[best] == 0]
    best = best[np.argsort(r.first[best], kind="stable")]
    return Found(unpack(pool.states[best]), -float(r.first[best[0]]))
