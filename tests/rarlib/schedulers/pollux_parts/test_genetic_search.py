"""The search against brute force on clusters small enough for it, and what must hold of everything it returns."""

import numpy as np
import pytest

from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.nsga2 import search
from rarlib.schedulers.pollux_parts.packed import pack_states
from rarlib.schedulers.pollux_parts.problem import cannot_improve
from tests.rarlib.schedulers.pollux_parts.instances import all_states, feasible, objectives_of, random_problem, worth


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


@pytest.mark.parametrize("p", [-1.0, 0.0, 0.5])
def test_nothing_is_better_than_an_allocation_that_cannot_improve(p):
    """Against every other allocation, on nodes with space for all that jobs want, and on others."""
    settled = []
    for seed in range(12):
        problem, _ = random_problem(seed, jobs=2, nodes=2, size=4, p=p)
        states = list(all_states(problem))
        for base in states:
            held = problem._replace(base=base, packed=pack_states(base[None])[0])
            if cannot_improve(held):
                settled.append(seed)
                assert objectives_of(held, base)[0] == min(objectives_of(held, state)[0] for state in states)
    assert 0 < len(set(settled)) < 12


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


def test_patience_ends_a_search_after_generations_without_a_greater_power_mean():
    """As a search of just so many generations, found from the fitness of searches of 1, 2, 3, ... generations."""
    for seed, patience in ((0, 1), (1, 2), (2, 4), (3, 4)):
        problem, _ = random_problem(seed, jobs=8, nodes=6, size=4)

        def made(generations, patience=1000, problem=problem, seed=seed):
            rng = stream(seed, "s")
            return search(problem, problem.base[None], rng, size=20, generations=generations, patience=patience)

        assert made(1).front.tolist() == [problem.base.tolist()], "as in pymoo, the start is the first generation"
        fitness = [made(g).fitness for g in range(1, 41)]
        last = next(g for g in range(patience, 39) if fitness[g] == fitness[g - patience])
        assert made(40, patience).front.tolist() == made(last + 1).front.tolist() != made(40).front.tolist()
