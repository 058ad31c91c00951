"""Crossover, mutation and repair: properties for every matrix, and the rates of chance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.draws import below, stream_of, uniform
from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.operators import RESET, cross, mutate, repair
from tests.schedulers.pollux_parts.instances import feasible, random_problem

SEEDS = st.integers(0, 10_000)


def case(seed, **more):
    rng = stream(seed, "test-operators")
    problem, _ = random_problem(seed, jobs=int(rng.integers(1, 6)), nodes=int(rng.integers(1, 6)), size=4, **more)
    state = rng.integers(0, 6, problem.base.shape).astype(np.int16)
    return problem, state, stream_of(rng)


def scratch(problem):
    return np.zeros((3, len(problem.node_gpus)), np.int64)


@given(SEEDS, st.integers(1, 4))
def test_repaired_matrices_are_allocations(seed, least):
    """Entries only shrink; the first job loses nothing that its own limits and the nodes allow."""
    problem, state, draws = case(seed, least=least)
    before = state.copy()
    repair(problem, state, scratch(problem), draws)
    assert feasible(problem, state)
    assert (state <= before).all()


@given(SEEDS)
def test_repair_leaves_allocations_alone(seed):
    """Otherwise elitism would be lost."""
    problem, state, draws = case(seed)
    repair(problem, state, scratch(problem), draws)
    before = state.copy()
    repair(problem, state, scratch(problem), draws)
    assert (state == before).all()


@given(SEEDS)
def test_children_exchange_whole_rows(seed):
    """Above one cut; what one has the other has not."""
    _, mother, draws = case(seed)
    father = mother + 10
    daughter, son = np.empty_like(mother), np.empty_like(mother)
    cross(mother, father, daughter, son, draws)
    swapped = (daughter == father).all(axis=1)
    assert ((daughter == mother).all(axis=1) == ~swapped).all()
    assert ((son == mother).all(axis=1) == swapped).all()
    assert (np.diff(swapped.astype(int)) <= 0).all()


@given(SEEDS)
def test_mutation_asks_no_node_for_more_than_it_has(seed):
    """One job alone may be given all; what several ask for together is left to the repair."""
    problem, state, draws = case(seed)
    repair(problem, state, scratch(problem), draws)
    mutate(problem, state, scratch(problem), draws)
    assert (state <= problem.node_gpus).all()
    assert (state >= 0).all()


def test_how_often_a_full_cluster_changes():
    """A tenth of the jobs gives up a tenth of its nodes; nothing can be raised but there."""
    problem, _ = random_problem(1, jobs=4, nodes=8, size=4)
    problem.node_gpus[:] = 4
    problem.base[:] = 1
    draws, changed = stream_of(stream(3, "mutation")), 0
    for _ in range(5000):
        state = problem.base.copy()
        mutate(problem, state, scratch(problem), draws)
        changed += bool((state != 1).any())
    # A node that is given up may be given back as it was, so that a little less is seen.
    given_up = 1 - (0.9 + 0.1 * 0.9**8) ** 4
    assert 0.8 * given_up < changed / 5000 < given_up + 0.01


def test_how_often_an_empty_cluster_is_given_away():
    """On every node with free GPUs one job on average is raised to 0..4 GPUs: 0.8 entries, of 2.5 GPUs each."""
    problem, _ = random_problem(1, jobs=5, nodes=8, size=4)
    problem.node_gpus[:] = 4
    problem.base[:] = 0
    draws, states = stream_of(stream(0, "mutation")), np.zeros((2000, 5, 8), np.int16)
    for state in states:
        mutate(problem, state, scratch(problem), draws)
    assert abs((states > 0).sum() / (2000 * 8) - 0.8) < 0.03
    assert abs(states[states > 0].mean() - 2.5) < 0.03


def test_how_often_jobs_are_put_back():
    """A full cluster, all of whose jobs were elsewhere before."""
    problem, _ = random_problem(1, jobs=4, nodes=4, size=4)
    problem.node_gpus[:] = 4
    problem.base[:] = np.eye(4, dtype=np.int16)
    draws, back = stream_of(stream(1, "mutation")), 0
    for _ in range(3000):
        state = 4 * np.eye(4, dtype=np.int16)[::-1].copy()
        mutate(problem, state, scratch(problem), draws)
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
