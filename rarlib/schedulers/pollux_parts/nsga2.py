"""The search: tournaments, crossover, mutation, repair and survival, generation by generation.

Objectives, operators and ranking are in files of their own. A child that equals a member is dropped; a generation
without any new child ends the search, since everything within reach has been seen.
"""

from typing import NamedTuple

import numpy as np

from rarlib.model.draws import Stream, below, stream_of
from rarlib.model.jit import hot_kernel
from rarlib.schedulers.pollux_parts.operators import Scratch, cross, mutate, repair
from rarlib.schedulers.pollux_parts.problem import AllocationMatrices, SearchProblem, objectives
from rarlib.schedulers.pollux_parts.ranking import Ranking, better, new_ranking, rank

PATIENCE = 4
"""Limit of children bred per generation, as a multiple of the population: duplicates cost time, but no evaluation."""


class Pool(NamedTuple):
    """A population and buffers for its children.

    Attributes:
        states: members' allocations, shape (members, jobs, nodes).
        ranking: their objectives and order.
        scratch: for the operators.
    """

    states: AllocationMatrices
    ranking: Ranking
    scratch: Scratch


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        front: allocations that no other one dominates, the greatest power mean first, shape (found, jobs, nodes).
        fitness: the power mean of the first of them.
        evaluations: number of allocations evaluated.
    """

    front: AllocationMatrices
    fitness: float
    evaluations: int


@hot_kernel
def _known(pool: Pool, count: int, slot: int) -> bool:
    """Whether one of the first `count` members is the same allocation as the one in `slot`."""
    r = pool.ranking
    jobs, nodes = pool.states[slot].shape
    for k in range(count):
        other = r.order[k]
        if r.first[other] != r.first[slot] or r.second[other] != r.second[slot]:
            continue
        same = True
        for j in range(jobs):
            for i in range(nodes):
                same = same and pool.states[other, j, i] == pool.states[slot, j, i]
        if same:
            return True
    return False


@hot_kernel
def _admit(problem: SearchProblem, pool: Pool, count: int, position: int, stream: Stream) -> int:
    """Repair and evaluate the member at a position of the order; if it is new, admit it as number `count`."""
    r = pool.ranking
    slot = r.order[position]
    repair(problem, pool.states[slot], pool.scratch, stream)
    r.first[slot], r.second[slot] = objectives(problem, pool.states[slot])
    if _known(pool, count, slot):
        return count
    r.order[position] = r.order[count]
    r.order[count] = slot
    return count + 1


@hot_kernel
def _parent(r: Ranking, count: int, stream: Stream) -> int:
    """Binary tournament; ties go to the one drawn first."""
    one, other = r.order[below(stream, count)], r.order[below(stream, count)]
    return other if better(r, other, one) else one


@hot_kernel
def _breed(problem: SearchProblem, pool: Pool, members: int, size: int, stream: Stream) -> int:
    """Add up to `size` new children; returns how many members there are then."""
    r, states = pool.ranking, pool.states
    count = members
    for _ in range(PATIENCE * size // 2):
        if count >= members + size:
            break
        mother, father = _parent(r, members, stream), _parent(r, members, stream)
        daughter, son = r.order[count], r.order[count + 1]
        cross(states[mother], states[father], states[daughter], states[son], stream)
        mutate(problem, states[daughter], pool.scratch, stream)
        mutate(problem, states[son], pool.scratch, stream)
        before = count
        count = _admit(problem, pool, count, count, stream)
        if count < members + size:
            count = _admit(problem, pool, count, before + 1, stream)
    return count


@hot_kernel
def _evolve(
    problem: SearchProblem, pool: Pool, given: int, size: int, generations: int, stream: Stream
) -> tuple[int, int]:
    """Number of members at the end, and of evaluations; the search begins with the first `given` states."""
    members = 0 * given  # a literal 0 has its own type, so all of this would be compiled twice
    for k in range(given):
        members = _admit(problem, pool, members, k, stream)
    judged = given
    rank(pool.ranking, members)
    for _ in range(generations):
        count = _breed(problem, pool, members, size, stream)
        if count == members:
            break
        judged += count - members
        rank(pool.ranking, count)
        members = min(count, size)
    return members, judged


def search(
    problem: SearchProblem,
    start: AllocationMatrices,
    rng: np.random.Generator,
    *,
    size: int = 100,
    generations: int = 100,
) -> Found:
    """Search for allocations with a large power mean of speedups that use their nodes well.

    Args:
        problem: what to allocate.
        start: allocations to begin with, shape (at least 1, jobs, nodes); repaired where necessary.
        rng: seeds the search.
        size: population, and children per generation.
        generations: of children.
    """
    given = min(len(start), size)
    states: AllocationMatrices = np.zeros((2 * size + 1, *problem.base.shape), np.int16)
    states[:given] = start[:given]
    pool = Pool(states, new_ranking(len(states)), np.zeros((3, len(problem.node_gpus)), np.int64))
    members, judged = _evolve(problem, pool, given, size, generations, stream_of(rng))
    r = pool.ranking
    best = [slot for slot in r.order[:members] if r.front[slot] == 0]
    best.sort(key=lambda slot: r.first[slot])
    return Found(states[best], -float(r.first[best[0]]), judged)
