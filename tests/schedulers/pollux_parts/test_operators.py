"""Crossover, mutation and repair: properties for every matrix, and the rates of chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.draws import below, halves, stream_of, uniform
from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.operators import RESET, cross, mutate, repair
from tests.schedulers.pollux_parts.instances import feasible, matrix, packed, random_problem

SEEDS = st.integers(0, 10_000)


def case(seed, **more):
    rng = stream(seed, "test-operators")
    problem, _ = random_problem(seed, jobs=int(rng.integers(1, 6)), nodes=int(rng.integers(1, 6)), size=4, **more)
    state = rng.integers(0, 6, problem.base.shape).astype(np.int16)
    return problem, state, stream_of(rng)


def changed(operator, problem, state, draws):
    """A matrix after an operator."""
    held = packed(state)
    operator(problem, held, np.zeros((3, len(problem.node_gpus)), np.int64), draws)
    return matrix(held)


def instance(seed, base, **more):
    """Nodes of 4 GPUs and jobs that hold `base`."""
    problem, _ = random_problem(seed, jobs=base.shape[0], nodes=base.shape[1], size=4, **more)
    problem.node_gpus[:] = 4
    base = base.astype(np.int16)
    return problem._replace(base=base, packed=packed(base))


@given(SEEDS)
def test_packed_states_are_the_same_matrices(seed):
    """There and back, and every pair where the layout says it is."""
    _, state, _ = case(seed)
    held = packed(state)
    assert (matrix(held) == state).all()
    for row, wanted in zip(held, state, strict=True):
        pairs = {(int(row[1 + 2 * k]), int(row[2 + 2 * k])) for k in range(row[0])}
        assert pairs == {(i, int(gpus)) for i, gpus in enumerate(wanted) if gpus}


@given(SEEDS, st.integers(1, 4))
def test_repaired_matrices_are_allocations(seed, least):
    """Entries only shrink; nothing is taken from an allocation, or elitism would be lost."""
    problem, state, draws = case(seed, least=least)
    after = changed(repair, problem, state, draws)
    assert feasible(problem, after)
    assert (after <= state).all()
    assert (changed(repair, problem, after, draws) == after).all()


@given(SEEDS)
def test_children_exchange_whole_rows(seed):
    """Above one cut; what one has the other has not."""
    _, mother, draws = case(seed)
    father = mother + 10
    daughter, son = packed(mother), packed(mother)
    cross(packed(mother), packed(father), daughter, son, draws)
    daughter, son = matrix(daughter), matrix(son)
    swapped = (daughter == father).all(axis=1)
    assert ((daughter == mother).all(axis=1) == ~swapped).all()
    assert ((son == mother).all(axis=1) == swapped).all()
    assert (np.diff(swapped.astype(int)) <= 0).all()


@given(SEEDS)
def test_mutation_asks_no_node_for_more_than_it_has(seed):
    """One job alone may be given all; what several ask for together is left to the repair."""
    problem, state, draws = case(seed)
    state = changed(mutate, problem, changed(repair, problem, state, draws), draws)
    assert (state <= problem.node_gpus).all()
    assert (state >= 0).all()


def test_how_often_a_full_cluster_changes():
    """A tenth of the jobs gives up a tenth of its nodes; nothing can be raised but there."""
    problem, changes = instance(1, np.ones((4, 8))), 0
    draws = stream_of(stream(3, "mutation"))
    for _ in range(5000):
        changes += bool((changed(mutate, problem, problem.base, draws) != 1).any())
    # A node that is given up may be given back as it was, so that a little less is seen.
    given_up = 1 - (0.9 + 0.1 * 0.9**8) ** 4
    assert 0.8 * given_up < changes / 5000 < given_up + 0.01


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_how_often_an_empty_cluster_is_given_away(jobs):
    """On every node with free GPUs each job is raised with probability 1/jobs, to 0..4 GPUs alike, and by itself."""
    problem = instance(1, np.zeros((jobs, 8)))
    draws = stream_of(stream(0, "mutation"))
    states = np.array([changed(mutate, problem, problem.base, draws) for _ in range(2000)])
    for gpus in range(1, 5):
        assert np.allclose((states == gpus).mean(axis=0), 0.2 / jobs, atol=0.05)
    raised = (states > 0).sum(axis=1)
    assert abs(raised.mean() - 0.8) < 0.03
    assert abs(raised.var() - 0.8 * (1 - 0.8 / jobs)) < 0.05  # binomial: every job by itself


def test_how_often_jobs_on_a_node_are_raised():
    """One job alone on a node with 3 free GPUs always draws, 1..4 GPUs; of two, each with 1/2 + 1/2 x 1/2 = 3/4."""
    alone, two = instance(1, np.eye(2)), instance(1, np.ones((2, 1)))
    draws = stream_of(stream(4, "mutation"))
    # A job is first reset, which changes nothing here, and in 0.01 of cases it loses its node.
    held = np.array([changed(mutate, alone, alone.base, draws)[0, 0] for _ in range(4000)])
    assert np.allclose([(held == gpus).mean() for gpus in range(1, 5)], 0.25, atol=0.025)
    both = np.array([changed(mutate, two, two.base, draws)[:, 0] for _ in range(4000)])
    # Raised, it draws one of 1, 2, 3, 4 GPUs.
    assert np.allclose([(both == gpus).mean() for gpus in range(2, 5)], 0.75 / 4, atol=0.02)


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
    ours = np.array([changed(mutate, problem, state, draws) for _ in range(8000)]).reshape(8000, -1)
    plain = np.array([plain_mutation(problem, state, rng) for _ in range(8000)]).reshape(8000, -1)
    for gpus in range(5):
        assert np.allclose((ours == gpus).mean(axis=0), (plain == gpus).mean(axis=0), atol=0.03)
    assert np.allclose(np.cov(ours.T), np.cov(plain.T), atol=0.15)


def test_how_often_jobs_are_put_back():
    """A full cluster, all of whose jobs were elsewhere before."""
    problem = instance(1, np.eye(4))
    draws, back = stream_of(stream(1, "mutation")), 0
    for _ in range(3000):
        state = changed(mutate, problem, 4 * np.eye(4, dtype=np.int16)[::-1], draws)
        back += sum(state[j, 3 - j] < 4 and state[j, j] > 0 for j in range(4))
    # What is set free may be given back at once, so that a little less is seen.
    assert 0.8 * RESET < back / (3000 * 4) <= RESET + 0.01


def test_uniform_draws():
    """Moments and range of the stream that all chances come from."""
    draws = stream_of(stream(2, "uniform"))
    values = np.array([uniform(draws) for _ in range(20_000)])
    whole = np.bincount([below(draws, 6) for _ in range(30_000)], minlength=6)
    assert values.min() >= 0.0 and values.max() < 1.0
    assert abs(values.mean() - 0.5) < 0.01 and abs(values.var() - 1 / 12) < 0.003
    assert (abs(whole - 5000) < 300).all()
    both = np.array([halves(draws) for _ in range(20_000)])
    assert both.min() >= 0.0 and both.max() < 1.0
    assert np.allclose(both.mean(axis=0), 0.5, atol=0.01) and np.allclose(np.cov(both.T), np.eye(2) / 12, atol=0.003)
