"""Gavel's policies against SciPy's linear programs, and which of several optima they take."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rarlib.ilp.gavel.policies import finish_time_fairness, isolated, max_min_fairness, max_sum_throughput

TOLERANCE = 1e-4
"""Shares have five decimals."""


def case(seed):
    """Jobs of a few applications (so that optima are many) on one to three types."""
    rng = np.random.default_rng(seed)
    jobs, types = int(rng.integers(1, 25)), int(rng.integers(1, 4))
    application = np.array([30.0, 8.0, 1.0, 0.05])[rng.integers(0, 4, jobs)]
    rate = application[:, None] * np.array([1.0, 2.0, 4.0])[:types] ** rng.uniform(0.5, 1.5)
    return rate, 2 * rng.integers(1, 9, jobs), 8 * rng.integers(2, 9, types)


def program(rate, gpus, capacity, demand=None):
    """Matrix and limits of shares, in the order job by job; with a demand, a last column that scales it."""
    jobs, types = rate.shape
    time = np.kron(np.eye(jobs), np.ones(types))
    room = np.kron(gpus, np.eye(types))
    matrix, limits = np.vstack([time, room]), np.concatenate([np.ones(jobs), capacity])
    if demand is None:
        return matrix, limits
    speed = np.kron(np.eye(jobs), np.ones(types)) * rate.ravel()
    matrix = np.block([[matrix, np.zeros((len(matrix), 1))], [-speed, demand[:, None]]])
    return matrix, np.concatenate([limits, np.zeros(jobs)])


def largest_scale(rate, gpus, capacity, demand):
    """How much of everybody's demand can be met."""
    matrix, limits = program(rate, gpus, capacity, demand)
    return -linprog(np.eye(matrix.shape[1])[-1] * -1.0, matrix, limits).fun


def check_feasible(shares, gpus, capacity):
    assert (shares >= 0.0).all()
    assert (shares.sum(axis=1) <= 1.0 + TOLERANCE).all()
    assert (gpus @ shares <= capacity + TOLERANCE * gpus.sum()).all()


def test_shares_of_the_most_throughput_have_five_decimals():
    """Seven GPUs for one job of 21: a third of its time, as the code of Sia's authors rounds it."""
    shares = max_sum_throughput(np.array([[2.0]]), np.array([21]), np.array([7]))
    assert shares.tolist() == [[0.33333]]


@given(st.integers(0, 10_000))
def test_no_allocation_has_more_throughput(seed):
    rate, gpus, capacity = case(seed)
    shares = max_sum_throughput(rate, gpus, capacity)
    check_feasible(shares, gpus, capacity)
    best = -linprog(-rate.ravel(), *program(rate, gpus, capacity)).fun
    assert (rate * shares).sum() == pytest.approx(best, rel=TOLERANCE)


@given(st.integers(0, 10_000))
def test_nobody_can_be_given_more_than_the_poorest_has(seed):
    rate, gpus, capacity = case(seed)
    shares = max_min_fairness(rate, gpus, capacity)
    check_feasible(shares, gpus, capacity)
    equal = (rate * capacity / capacity.sum()).sum(axis=1) / gpus
    poorest = ((rate * shares).sum(axis=1) / equal).min()
    assert poorest == pytest.approx(largest_scale(rate, gpus, capacity, equal), rel=20 * TOLERANCE)


@given(st.integers(0, 10_000))
def test_no_allocation_has_a_smaller_worst_finish_time_ratio(seed):
    """The demands at the worst ratio can just be met: their largest common scale is 1."""
    rate, gpus, capacity = case(seed)
    rng = np.random.default_rng(seed + 1)
    left, age = rate.max(axis=1) * rng.uniform(100, 9000, len(gpus)), rng.uniform(0, 5000, len(gpus))
    alone = age + left / (rate * isolated(gpus, capacity)).sum(axis=1)
    shares = finish_time_fairness(rate, gpus, capacity, age_s=age, left=left, alone_s=alone)
    check_feasible(shares, gpus, capacity)
    worst = ((age + left / np.maximum((rate * shares).sum(axis=1), 1e-12)) / alone).max()
    demand = left / (worst * alone - age)
    assert largest_scale(rate, gpus, capacity, demand) == pytest.approx(1.0, abs=30 * TOLERANCE)


def test_the_centre_of_the_optimal_face_by_hand():
    """Two types, equally fast, 2 and 1 GPUs, one job of one GPU: x + y = 1 is optimal.

    Its centre maximises log x + log y + log(2 - x) + log(1 - y); with y = 1 - x: 2 log x + log(1 - x) + log(2 - x). The
    derivative vanishes at 4 x^2 - 9 x + 4 = 0.
    """
    shares = max_sum_throughput(np.ones((1, 2)), np.array([1]), np.array([2, 1]))
    x = (9.0 - np.sqrt(17.0)) / 8.0
    np.testing.assert_allclose(shares, [[x, 1.0 - x]], atol=TOLERANCE)


@settings(max_examples=60)
@given(st.integers(0, 10_000))
@example(2048)
def test_the_order_of_jobs_does_not_matter(seed):
    rate, gpus, capacity = case(seed)
    order = np.random.default_rng(seed).permutation(len(gpus))
    one, other = (max_sum_throughput(rate[by], gpus[by], capacity) for by in (np.arange(len(gpus)), order))
    assert (rate * one).sum() == pytest.approx((rate[order] * other).sum(), rel=1e-7)
    # Jobs that gain all but the same from a type may share it in all but any way: in steps of 1e-7 of the optimum.
    np.testing.assert_allclose(one[order], other, atol=0.02)
