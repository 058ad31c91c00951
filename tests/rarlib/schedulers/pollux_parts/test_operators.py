"""Crossover, mutation, repair and ranking: properties for every matrix, definitions for every front."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.draws import stream_of
from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.operators import cut_between, increase, inherit, repair
from rarlib.schedulers.pollux_parts.ranking import new_ranking, rank
from tests.rarlib.schedulers.pollux_parts.instances import feasible, matrix, packed, random_problem

SEEDS = st.integers(0, 10_000)


def case(seed, **more):
    rng = stream(seed, "test-operators")
    problem, _ = random_problem(seed, jobs=int(rng.integers(1, 6)), nodes=int(rng.integers(1, 6)), size=4, **more)
    state = rng.integers(0, 6, problem.base.shape).astype(np.int16)
    return problem, state, stream_of(rng)


def repaired(problem, state, draws):
    """A matrix after the repair of every row."""
    held, free, claimed = packed(state), problem.node_gpus.copy(), np.zeros_like(problem.node_gpus)
    for j, row in enumerate(held):
        repair(problem, j, row, free, claimed, draws)
    return matrix(held)


def mutated(problem, state, draws):
    """A matrix after mutation."""
    held, scratch = packed(state), np.zeros((3, len(problem.node_gpus)), np.int64)
    inherit(problem, (held.copy(), held.copy()), 0, held, scratch, draws)
    increase(problem, held, scratch, draws)
    return matrix(held)


def instance(seed, base, **more):
    """Nodes of 4 GPUs and jobs that hold `base`."""
    problem, _ = random_problem(seed, jobs=base.shape[0], nodes=base.shape[1], size=4, **more)
    problem.node_gpus[:] = 4
    base = base.astype(np.int16)
    return problem._replace(base=base, packed=packed(base))


@given(SEEDS, st.integers(1, 4))
def test_repaired_matrices_are_allocations(seed, least):
    """Entries only shrink; nothing is taken from an allocation, or elitism would be lost."""
    problem, state, draws = case(seed, least=least)
    after = repaired(problem, state, draws)
    assert feasible(problem, after)
    assert (after <= state).all()
    assert (repaired(problem, after, draws) == after).all()


@given(SEEDS)
def test_children_inherit_rows_on_either_side_of_the_cut(seed):
    """Or have the current allocation, and may lose nodes; what a node has free is counted."""
    problem, mother, draws = case(seed)
    father, scratch = mother + 10, np.zeros((3, len(problem.node_gpus)), np.int64)
    cut, held = cut_between(len(mother), draws), packed(mother)
    assert 0 <= cut < len(mother)
    inherit(problem, (packed(mother), packed(father)), cut, held, scratch, draws)
    child = matrix(held)
    for j, row in enumerate(child):
        sources = (father if j >= cut else mother)[j], problem.base[j]
        assert any(((row == source) | (row == 0)).all() for source in sources)
    assert (scratch[0] == problem.node_gpus - child.sum(axis=0)).all()
    assert (scratch[1] == (child > 0).sum(axis=0)).all()


@given(SEEDS)
def test_mutation_asks_no_node_for_more_than_it_has(seed):
    """One job alone may be given all; what several ask for together is left to the repair."""
    problem, state, draws = case(seed)
    state = mutated(problem, repaired(problem, state, draws), draws)
    assert (state <= problem.node_gpus).all()
    assert (state >= 0).all()


def plain_mutation(problem, state, rng):
    """The same mutation with a draw for every entry, as the authors write it."""
    jobs, room = len(state), problem.node_gpus
    state = np.where(rng.random((jobs, 1)) < 0.1, problem.base, state)
    state = np.where(rng.random(state.shape) < np.where(rng.random((jobs, 1)) < 0.1, 0.1, 0.0), 0, state)
    open_node = room - state.sum(axis=0) > 0
    there = (state > 0) & open_node
    one = open_node / jobs
    other = there / np.maximum(there.sum(axis=0), 1)
    raised = rng.random(state.shape) < one + other - one * other
    return np.where(raised, rng.integers(state, room + 1), state)


@pytest.mark.parametrize("jobs", [1, 3])
def test_mutations_are_distributed_as_with_a_draw_for_every_entry(jobs):
    """Share of every value of every entry, and covariances of all entries, over 8,000 mutations of one allocation."""
    base = np.zeros((jobs, 3))
    base[0] = [2, 0, 0]
    base[-1, 1] = 1
    problem, rng = instance(2, base), stream(7, "plain")
    state = base.astype(np.int16)
    state[0, 2], state[-1, 0] = 3, 2
    draws = stream_of(stream(5, "mutation"))
    ours = np.array([mutated(problem, state, draws) for _ in range(8000)]).reshape(8000, -1)
    plain = np.array([plain_mutation(problem, state, rng) for _ in range(8000)]).reshape(8000, -1)
    for gpus in range(5):
        assert np.allclose((ours == gpus).mean(axis=0), (plain == gpus).mean(axis=0), atol=0.03)
    assert np.allclose(np.cov(ours.T), np.cov(plain.T), atol=0.15)


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30)


def ranked(pairs, kept=1):
    ranking = new_ranking(len(pairs))
    ranking.first[:], ranking.second[:] = np.array(pairs, float).T
    rank(ranking, len(pairs), kept)
    return ranking


def naive_fronts(values):
    front, left, number = np.full(len(values), -1), set(range(len(values))), 0
    while left:
        free = {
            b for b in left if not any((values[a] <= values[b]).all() and (values[a] < values[b]).any() for a in left)
        }
        for member in free:
            front[member] = number
        left -= free
        number += 1
    return front


def naive_distances(values, members):
    distance = dict.fromkeys(members, 0.0)
    for column in values.T:
        order = sorted(members, key=lambda member: column[member])
        width = column[order[-1]] - column[order[0]]
        distance[order[0]] = distance[order[-1]] = np.inf
        for before, here, after in zip(order, order[1:], order[2:], strict=False):
            distance[here] += (column[after] - column[before]) / width
    return distance


@given(PAIRS)
def test_fronts(pairs):
    """Equals stand in the same front."""
    ranking = ranked(pairs)
    assert (ranking.front == naive_fronts(np.array(pairs, float))).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40, unique=True))
def test_crowding(pairs):
    """Of distinct members: among equals there is no telling who is whose neighbour."""
    ranking, values = ranked(pairs), np.array(pairs, float)
    for number in set(ranking.front.tolist()):
        members = np.flatnonzero(ranking.front == number)
        wanted = naive_distances(values, members.tolist())
        for member in members:
            assert np.isclose(ranking.lonely[member], wanted[member]) or ranking.lonely[member] == wanted[member]
