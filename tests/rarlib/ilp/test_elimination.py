"""Gaussian elimination of Gavel's programs: against LAPACK, and where nothing determines an unknown."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.ilp.gavel.central_path import CONSTANT, ShareProgram, centre
from rarlib.ilp.gavel.elimination import eliminate

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
