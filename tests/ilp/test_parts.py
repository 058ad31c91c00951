"""Parts of programs: systems of equations, the knapsack, and programs that grow by columns."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import GlopProgram, HighsProgram

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
