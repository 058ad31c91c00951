"""The search against brute force on clusters small enough for it, and what must hold of everything it returns."""

import numpy as np
import pytest

from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.nsga2 import search
from tests.schedulers.pollux_parts.instances import all_states, feasible, objectives_of, random_problem, worth


def test_most_searches_end_at_the_optimum_and_none_beyond():
    """Population 20, 20 generations: a twentieth of what Pollux has, on problems of up to thousands of states."""
    hits = 0
    for seed in range(40):
        problem, _ = random_problem(seed, jobs=2 + seed % 2, p=(-1.0, 0.0, 0.5)[seed % 3])
        best = max(-objectives_of(problem, state)[0] for state in all_states(problem))
        found = search(problem, problem.base[None], stream(seed, "search"), size=20, generations=20)
        assert found.fitness <= best * (1 + 1e-12)
        hits += found.fitness >= best * (1 - 1e-12)
    assert hits >= 38


@pytest.mark.parametrize("p", [-1.0, 0.0, 0.5])
def test_objectives_term_by_term(p):
    """Against a plain reading of the formulas; the restart factor is what the tables of moved jobs differ by."""
    for seed in range(10):
        problem, tables = random_problem(seed, p=p)
        rng = stream(seed, "test-genetic")  # the factors are the last that an instance draws
        states = list(all_states(problem))
        factor = _factors(problem, tables)
        for k in rng.choice(len(states), 30):
            mean, used = worth(problem, tables, factor, states[k])
            assert objectives_of(problem, states[k]) == pytest.approx((-mean, -used))


def _factors(problem, tables):
    """From the tables: what one GPU on one node is worth after a restart and without."""
    p, factors = problem.p, []
    for j, table in enumerate(tables):
        at = problem.first[j] + (problem.most[j] + 1) + 1
        moved = np.exp(problem.moved[at]) if p == 0 else problem.moved[at] ** (1 / p) - 1e-3
        factors.append(moved / (table[1, 1] / problem.node_gpus.max()))
    return factors


def test_front_is_feasible_distinct_and_not_dominated():
    """The best comes first, and its fitness is what was reported."""
    for seed in range(10):
        problem, _ = random_problem(seed, jobs=6, nodes=5, size=4)
        found = search(problem, problem.base[None], stream(seed, "search"), size=30, generations=10)
        values = np.array([objectives_of(problem, state) for state in found.front])
        assert all(feasible(problem, state) for state in found.front)
        assert len({state.tobytes() for state in found.front}) == len(found.front)
        assert -found.fitness == values[0, 0] == values[:, 0].min()
        for one in values:
            assert not ((values <= one).all(axis=1) & (values < one).any(axis=1)).any()


def test_more_generations_are_never_worse():
    """Elitism: the best survives. The first generations of a longer search are those of a shorter one."""
    problem, _ = random_problem(3, jobs=8, nodes=6, size=4)
    reached = [search(problem, problem.base[None], stream(1, "s"), size=20, generations=g).fitness for g in (1, 5, 25)]
    assert reached == sorted(reached)
    assert reached[0] < reached[-1]


def test_same_stream_same_front():
    """Another stream takes another way."""
    problem, _ = random_problem(4, jobs=8, nodes=6, size=4)
    runs = [search(problem, problem.base[None], stream(seed, "s"), size=20, generations=8) for seed in (5, 5, 6)]
    assert runs[0].front.tobytes() == runs[1].front.tobytes()
    assert runs[0].front.tobytes() != runs[2].front.tobytes()


def test_search_ends_when_nothing_new_can_be_bred():
    """One job that may have a GPU on one of two nodes: three allocations, or as many generations as it would take."""
    problem, _ = random_problem(0, jobs=1, nodes=2, size=1)
    found = search(problem, problem.base[None], stream(0, "s"), size=10, generations=10_000)
    assert 1 < found.evaluations <= 3


def test_generations_count_as_in_pymoo():
    """The first is what the search begins with: with one nothing is bred, with two a population of children."""
    problem, _ = random_problem(4, jobs=8, nodes=6, size=4)
    evaluations = [
        search(problem, problem.base[None], stream(0, "s"), size=20, generations=g).evaluations for g in (1, 2, 3)
    ]
    assert evaluations == [1, 21, 41]


def test_children_are_bred_until_all_within_reach_are_found():
    """One job on two nodes of one GPU, one of which it may have: three allocations, all found in one generation.

    The rarest, nothing, is a child of one GPU if it is thinned (0.01) and both nodes are raised by 0 (1/4): among 101
    matings of 100 children it is missed with a probability below 1e-10.
    """
    problem, _ = random_problem(0, jobs=1, nodes=2, size=1)
    for seed in range(20):
        states = {state.tobytes() for state in all_states(problem)}
        found = search(problem, problem.base[None], stream(seed, "s"), size=100, generations=2)
        assert found.evaluations == len(states)


def test_infeasible_beginnings_are_repaired():
    """Allocations of the last round, after GPUs and limits have changed."""
    problem, _ = random_problem(7, jobs=4, nodes=3, size=4)
    full = np.full((5, *problem.base.shape), 9, np.int16)
    found = search(problem, full, stream(0, "s"), size=10, generations=1)
    assert all(feasible(problem, state) for state in found.front)
