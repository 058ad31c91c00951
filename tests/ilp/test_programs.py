"""Programs in matrix form, against trying every point and against HiGHS, at any scale of the gains."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from rarlib.ilp.programs import IntegerOptimum, Program, integer_optimum, linear_optimum, proven_bound


def packing(seed: int, scale: float) -> Program:
    """Up to five variables of 0 to 3 in two rows with limits, so that 0 is feasible and no gain is without end."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    matrix = rng.integers(0, 5, (2, n)).astype(float)
    gain = scale * rng.integers(-2, 20, n)
    upper = rng.integers(0, 12, 2).astype(float)
    return Program(gain, csr_matrix(matrix), np.full(2, -np.inf), upper, rng.integers(1, 4, n).astype(float))


def best_by_trying(program: Program) -> float:
    points = np.array(list(product(*(range(int(most) + 1) for most in program.most))))
    feasible = (points @ program.matrix.toarray().T <= program.upper).all(axis=1)
    return float((points[feasible] @ program.gain).max())


SCALES = st.sampled_from([1e-12, 1e-3, 1.0, 1e9])


@given(st.integers(0, 10**6), SCALES)
def test_the_best_of_all_points(seed: int, scale: float) -> None:
    program = packing(seed, scale)
    best, found = best_by_trying(program), integer_optimum(program)
    assert found.status == "optimal"
    assert found.value == pytest.approx(best, rel=1e-9)
    assert found.value == float(program.gain @ found.x)
    assert (program.matrix @ found.x <= program.upper).all()
    assert ((found.x >= 0) & (found.x <= program.most)).all()
    # The bound is the optimum, raised by the precision of the solver: a millionth of the largest gain or of the value.
    largest = float(np.abs(program.gain).max()) or 1.0
    assert best <= found.bound <= best + 1.1e-6 * max(abs(best), largest)


@given(st.integers(0, 10**6), SCALES)
def test_the_linear_optimum_and_its_prices(seed: int, scale: float) -> None:
    """Prices prove the optimum: at the solver's own, weak duality leaves nothing."""
    program = packing(seed, scale)
    limits = list(zip(np.zeros(len(program.most)), program.most, strict=True))
    best = -scale * linprog(-program.gain / scale, program.matrix, program.upper, bounds=limits).fun
    found = linear_optimum(program)
    assert found.value == pytest.approx(best, rel=1e-7, abs=1e-9 * scale)
    assert proven_bound(program, found.dual, program.most) == pytest.approx(best, rel=1e-7, abs=1e-9 * scale)


def test_no_effort_at_all_is_told() -> None:
    """No solution was found, and nothing is known of the optimum."""
    program = packing(1, 1.0)
    found = integer_optimum(program, effort=0.0)
    n = len(program.gain)
    assert found[:3] == IntegerOptimum("limit", 0.0, np.inf, np.zeros(n))[:3] and not found.x.any()


def test_a_program_that_is_infeasible_is_refused() -> None:
    """A row that 0 does not keep, with a limit that no point reaches."""
    one = np.ones(1)
    program = Program(one, csr_matrix(one[None]), 5.0 * one, 9.0 * one, 3.0 * one)
    with pytest.raises(ArithmeticError, match="CP-SAT ended with"):
        integer_optimum(program)
    with pytest.raises(ArithmeticError, match="GLOP ended with"):
        linear_optimum(program)
