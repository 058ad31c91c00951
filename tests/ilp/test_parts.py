"""Parts of programs: systems of equations, the knapsack, and programs that grow by columns."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rarlib.ilp.gavel.central_path import CONSTANT, ShareProgram, centre
from rarlib.ilp.gavel.elimination import eliminate
from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import GlopProgram, HighsProgram

SEEDS = st.integers(0, 10**6)


@given(SEEDS)
def test_elimination_solves_what_lapack_solves(seed: int) -> None:
    """Also where the first entries are 0, so that rows must be exchanged."""
    rng = np.random.default_rng(seed)
    n, wide = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    a, b = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.7), rng.normal(size=(n, wide))
    if np.linalg.matrix_rank(a) < n or np.linalg.cond(a) > 1e6:
        return
    expected = np.linalg.solve(a, b)
    eliminate(a, b)
    np.testing.assert_allclose(b, expected, rtol=1e-8, atol=1e-8)


def test_an_unknown_that_nothing_determines_is_zero() -> None:
    a, b = np.array([[2.0, 2.0], [1.0, 1.0]]), np.array([[6.0], [3.0]])
    eliminate(a, b)
    assert b.tolist() == [[3.0], [0.0]]


def test_jobs_that_ask_for_exactly_what_there_is_share_it_evenly() -> None:
    """Eight gangs of 8 on 24, 24 and 16 GPUs: all limits bind at once, and a pivot of the last steps is 0."""
    speed = np.tile([float.fromhex("0x1.e1d29b7382b9fp-1"), 1.0, 1.0], (8, 1))
    none, gangs, capacity = np.zeros(8), np.full(8, 8.0), np.array([24.0, 24.0, 16.0])
    shares, _, _ = centre(ShareProgram(speed, gangs, capacity, speed, CONSTANT, 0.0, none, none, none))
    np.testing.assert_allclose(shares, np.tile([3 / 8, 3 / 8, 1 / 4], (8, 1)), rtol=1e-6)


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
