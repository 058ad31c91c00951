"""Programs in matrix form, the knapsack and programs that grow by columns, against trying everything and HiGHS."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import GlopProgram, HighsProgram
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


SEEDS = st.integers(0, 10**6)


@given(SEEDS)
def test_the_knapsack_is_the_best_of_all_choices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, capacity = int(rng.integers(1, 7)), int(rng.integers(0, 15))
    size, profit = rng.integers(1, 7, n), rng.integers(0, 9, n).astype(float)
    chosen = np.zeros(n, np.bool_)
    value = knapsack(size, profit, capacity, chosen)
    choices = np.array(list(product([0, 1], repeat=n)))
    fits = choices @ size <= capacity
    assert value == (choices[fits] @ profit).max() == profit[chosen].sum()
    assert size[chosen].sum() <= capacity


@given(SEEDS, st.sampled_from([GlopProgram, HighsProgram]))
def test_a_program_that_grows_has_the_optimum_of_the_whole(seed: int, kind: type) -> None:
    """Covering programs, column by column, then with other limits; prices prove the value."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    matrix = rng.integers(0, 4, (rows, columns)).astype(float)
    matrix = np.column_stack([matrix, np.eye(rows)])
    cost = np.concatenate([rng.integers(1, 9, columns), np.full(rows, 50)]).astype(float)
    upper = np.concatenate([rng.choice([1.0, np.inf], columns), np.full(rows, np.inf)])
    program = kind()
    for least in rng.integers(0, 6, (2, rows)).astype(float):
        if not program.amounts().size and program.row(least[0]) == 0:
            assert [program.row(each) for each in least[1:]] == list(range(1, rows))
            for at in range(len(cost)):
                program.column(cost[at], [(row, matrix[row, at]) for row in range(rows)], upper[at])
        for row in range(rows):
            program.change(row, least[row])
        found, amounts = program.solve(), program.amounts()
        whole = linprog(cost, -matrix, -least, bounds=list(zip(np.zeros(len(cost)), upper, strict=True)))
        assert found.value == pytest.approx(whole.fun, abs=1e-6)
        assert cost @ amounts == pytest.approx(whole.fun, abs=1e-6)
        assert (matrix @ amounts >= least - 1e-6).all()
        assert (found.prices >= 0.0).all()
        reduced = cost - found.prices @ matrix
        gift = np.where(np.isinf(upper), 0.0, np.minimum(reduced, 0.0) * np.where(np.isinf(upper), 0.0, upper))
        assert found.prices @ least + gift.sum() == pytest.approx(whole.fun, abs=1e-6)
