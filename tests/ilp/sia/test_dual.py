"""Prices of GPUs: what they prove is the linear relaxation, by HiGHS, and a bound on all decisions at any prices."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rarlib.ilp.sia.lagrangian import bound_at
from rarlib.ilp.sia.problem import SCALE, Choices, choices
from rarlib.model.seeds import stream
from tests.ilp.sia.cases import best_by_trying, small


def relaxed(c: Choices, capacity: np.ndarray) -> float:
    """Least weight of fractions of choices, in hundredths."""
    used = int(c.first[-1])
    job = np.repeat(np.arange(len(c.first) - 1), np.diff(c.first))
    one = np.equal.outer(np.arange(len(c.first) - 1), job).astype(float)
    takes = np.equal.outer(np.arange(len(capacity)), c.kind[:used]) * c.size[:used]
    weight = c.weight[:used] / SCALE
    return float(linprog(weight, takes, capacity, one, np.ones(len(one))).fun)


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_any_prices_bound_every_decision(seed: int) -> None:
    """And the excess demand is a slope: no other prices prove more than along it."""
    problem, rng = small(seed), stream(seed, "prices")
    c, types = choices(problem), len(problem.capacity)
    _, weight = best_by_trying(problem)
    one, other = rng.integers(0, 60 * SCALE, (2, types)).astype(float)
    slope, ignored = np.zeros(types), np.zeros(types)
    value, elsewhere = bound_at(c, problem.capacity, one, slope), bound_at(c, problem.capacity, other, ignored)
    assert max(value, elsewhere) <= weight
    assert elsewhere <= value + slope @ (other - one) + 1e-3
