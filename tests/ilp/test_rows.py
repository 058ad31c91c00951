"""What prices prove of a program that was written row by row."""

import numpy as np
import pytest

from rarlib.ilp.programs import integer_optimum, linear_optimum, proven_bound
from rarlib.ilp.rows import Rows


def test_terms_add_up_and_what_does_not_exist_counts_as_nothing():
    """x0 + 2 x1 <= 3, x1 = 1 (twice half of it), and a row of a variable that is not there."""
    rows = Rows()
    x = rows.declare(np.array([True, True, False]))
    most, equal = rows.add(np.array([[3.0], [9.0]])), rows.add(np.array([1.0]), equal=True)
    assert (most.tolist(), equal.tolist(), rows.rows) == ([[0], [1]], [2], 3)
    rows.term(most[0], x, [1.0, 2.0, 5.0])
    rows.term(most[1], x[2])
    rows.term(equal, x[1], 0.5)
    rows.term(equal, x[1], 0.5)
    program = rows.program(np.array([1.0, 1.0]), np.array([7.0, 8.0]))
    assert program.matrix.toarray().tolist() == [[1.0, 2.0], [0.0, 0.0], [0.0, 1.0]]
    assert program.lower.tolist() == [-np.inf, -np.inf, 1.0]
    assert program.upper.tolist() == [3.0, 9.0, 1.0]
    assert (program.gain.tolist(), program.most.tolist()) == ([1.0, 1.0], [7.0, 8.0])
    found = integer_optimum(program._replace(lower=np.full(3, -np.inf)))
    assert found.x.tolist() == [3, 0]
    whole = linear_optimum(program)
    assert whole.x.tolist() == pytest.approx([1.0, 1.0])
    # Prices 1 for the first row and -1 for the equation: 3 - 1 = 2; any others prove no less.
    for price, bound in (((1.0, 0.0, -1.0), 2.0), ((1.0, 5.0, -1.0), 47.0), ((0.0, 0.0, 0.0), 15.0)):
        assert proven_bound(program, np.array(price), program.most) == pytest.approx(bound)


def test_proven_bounds_at_random_prices():
    """Rows at their limits by the sign of their price, and what every variable still wins beyond its column."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = Rows()
        x = rows.declare(np.ones(4, bool))
        matrix = rng.integers(-3, 4, (5, 4)).astype(float)
        upper = rng.integers(0, 9, 5).astype(float)
        rows.term(rows.add(upper[:3])[:, None], x, matrix[:3])
        rows.term(rows.add(upper[3:], equal=True)[:, None], x, matrix[3:])
        most = rng.integers(1, 5, 4).astype(float)
        program = rows.program(rng.normal(size=4), most)
        dual = rng.normal(size=5)
        price = np.where(np.arange(5) < 3, np.maximum(dual, 0.0), dual)
        wanted = price @ upper + np.maximum(program.gain - matrix.T @ price, 0.0) @ most
        found = proven_bound(program, dual, most)
        assert wanted <= found <= wanted + 1e-12 * (1.0 + np.abs(matrix).sum() * 100)
        # Lower limits, where there are no upper ones: a price above 0 counts as 0.
        turned = program._replace(lower=upper, upper=np.full(5, np.inf))
        price = np.minimum(dual, 0.0)
        wanted = price @ upper + np.maximum(program.gain - matrix.T @ price, 0.0) @ most
        assert proven_bound(turned, dual, most) == pytest.approx(wanted)
