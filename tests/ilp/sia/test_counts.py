"""Counts of alike jobs: the best decision within the allowance."""

import numpy as np

from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.lagrangian import dual
from rarlib.ilp.sia.problem import SCALE, choices
from rarlib.ilp.sia.repair import excesses
from tests.ilp.sia.cases import best_by_trying, small


def alike(seed):
    """Few jobs, some of them twice or three times, and a random part of their choices."""
    problem, rng = small(seed), np.random.default_rng(seed)
    like = rng.integers(0, len(problem.skip), int(rng.integers(2, 5)))
    problem = problem._replace(**{name: getattr(problem, name)[like] for name in ("cost", "gpus", "skip", "current")})
    c = choices(problem)
    slack = excesses(c, dual(c, problem.capacity))
    return problem, c, slack


def test_counts_find_the_best_decision_within_the_allowance():
    """Also where it is just within, and each choice occurs as often as it can; none exists, none is found."""
    found_none = 0
    for seed in range(60):
        problem, c, slack = alike(seed)
        _, weight = best_by_trying(problem)
        excess = weight - dual(c, problem.capacity).bound[0]
        for allowed in (excess, excess + 0.5, 2.0 * excess + 3.0 * SCALE):
            groups = classes_of(c, slack <= allowed)
            answer, solved = best_counts(c, groups, problem.capacity, slack, allowed, 5.0)
            assert solved
            assert c.weight[answer].sum() == weight
            assert (problem.used(c.column[answer]) <= problem.capacity).all()
            assert (np.diff(c.first) > answer - c.first[:-1]).all() and (answer >= c.first[:-1]).all()
        if excess > SCALE:
            groups = classes_of(c, slack <= 0.0)
            answer, solved = best_counts(c, groups, problem.capacity, slack, 0.0, 5.0)
            assert solved
            assert answer is None or c.weight[answer].sum() >= weight
            found_none += answer is None
    assert found_none > 0
