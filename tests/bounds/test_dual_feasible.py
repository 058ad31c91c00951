"""The bound for gangs that stay where they are, against exhaustive packing."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.bounds import dual_feasible
from rarlib.bounds.dual_feasible import gangs_that_stay


def least_makespan(time, gpus):
    """Shortest makespan of single-GPU jobs: every assignment is tried."""
    loads = (np.bincount(at, weights=time, minlength=gpus).max() for at in product(range(gpus), repeat=len(time)))
    return min(loads)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=7), st.integers(1, 3), st.booleans())
def test_never_above_the_optimum(durations, gpus, whole):
    """One counter-example would make every certificate worthless."""
    time = np.array(durations, float)
    known = max(time.max(), time.sum() / gpus)
    bound = gangs_that_stay(np.ones(len(time), np.int64), time, gpus, np.ceil(known) if whole else known, float(whole))
    assert known <= bound <= least_makespan(time, gpus) + 1e-9


@pytest.mark.parametrize(
    ("time", "gpus", "optimum"),
    [
        ([6, 6, 6], 2, 12),  # two jobs longer than half the makespan never share a GPU: area says 9
        ([7, 7, 7, 4, 4], 3, 11),  # a 4 fits beside a 7 only from 11 on: area says 9.67
        ([4, 4, 4, 4, 4], 2, 12),  # three thirds of 12 on one GPU: below 12 none holds three, area says 10
    ],
)
def test_meets_the_optimum_where_the_area_does_not(time, gpus, optimum):
    """Otherwise the families add nothing to the area bound."""
    time = np.array(time, float)
    assert least_makespan(time, gpus) == optimum
    area = np.ceil(time.sum() / gpus)
    assert gangs_that_stay(np.ones(len(time), np.int64), time, gpus, max(area, time.max()), 1.0) == optimum


def test_a_gang_counts_on_each_of_its_gpus():
    """Three gangs of 2 on 4 GPUs: two of them follow one another."""
    assert gangs_that_stay(np.full(3, 2), np.array([6.0, 6.0, 6.0]), 4, 9.0, 1.0) == 12.0


def test_nothing_to_do():
    assert gangs_that_stay(np.array([], np.int64), np.array([]), 4, 0.0) == 0.0


def long_and_short(p, e, makespan):
    """The first family, as stated."""
    return makespan if p > makespan - e else 0 if p < e else p


def rounding(p, k, makespan):
    """The second one, in fractions."""
    parts = Fraction(p * (k + 1), makespan)
    return p if parts.denominator == 1 else Fraction(int(parts) * makespan, k)


def test_the_families_are_tried_as_stated():
    """Every e that makes a difference, and 20 roundings; a function less would only weaken the bound, unnoticed."""
    last = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, makespan = int(rng.integers(1, 7)), int(rng.integers(30, 60))
        time, gang = np.sort(rng.integers(1, makespan + 1, n)), rng.integers(1, 5, n)
        both = list(zip(gang.tolist(), time.tolist(), strict=True))
        ends = [Fraction(e, 2) for e in range(makespan + 1)]
        first = max(sum(g * long_and_short(p, e, makespan) for g, p in both) for e in ends)
        sums = [sum(g * rounding(p, k, makespan) for g, p in both) for k in range(1, 21)]
        given = gang.astype(float), time.astype(float), float(makespan)
        assert dual_feasible._long_and_short(*given) == first
        assert dual_feasible._rounding(*given) == pytest.approx(float(max(sums)), rel=1e-12)
        last += sums[-1] > max(sums[:-1])
    assert last


def refuted(gang, time, gpus, makespan):
    """Whether a function of the families refutes a whole makespan, in fractions; a longer job does, too."""
    if max(time) > makespan:
        return True
    ends = [Fraction(e, 2) for e in range(makespan + 1)]
    both = list(zip(gang, time, strict=True))
    sums = [sum(g * long_and_short(p, e, makespan) for g, p in both) for e in ends]
    sums += [sum(g * rounding(p, k, makespan) for g, p in both) for k in range(1, 21)]
    return max(sums) > gpus * makespan


def test_the_bisection_ends_where_refutation_ends():
    """In steps of a quantum, and of a millionth without one: one step less is refuted, the bound itself is not."""
    raised = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n, gpus = int(rng.integers(1, 8)), int(rng.integers(2, 6))
        gang, time = rng.integers(1, gpus + 1, n), rng.integers(1, 30, n)
        known = float(max(time.max(), -(-gang @ time // gpus)))
        order = rng.permutation(n)
        bound = gangs_that_stay(gang[order], time[order].astype(float), gpus, known, 1.0)
        assert bound == int(bound) >= known
        assert not refuted(gang.tolist(), time.tolist(), gpus, int(bound))
        if bound > known:
            assert refuted(gang.tolist(), time.tolist(), gpus, int(bound) - 1)
            raised += 1
        fine = gangs_that_stay(gang, time.astype(float), gpus, known)
        by_time = np.argsort(time, kind="stable")
        ascending = gang[by_time].astype(float), time[by_time].astype(float), gpus
        assert dual_feasible._fits(*ascending, fine + 1.001e-6 * known)
        if fine > known:
            assert not dual_feasible._fits(*ascending, fine - 1e-9 * known)
    assert raised > 15


def test_a_job_longer_than_the_bound_known_already():
    assert gangs_that_stay(np.array([1]), np.array([5.0]), 4, 2.0, 1.0) == 5.0
    assert gangs_that_stay(np.array([1]), np.array([5.0]), 4, 5.0, 1.0) == 5.0
    assert not dual_feasible._fits(np.array([1.0]), np.array([5.0]), 4, 4.999)
    assert dual_feasible._fits(np.array([1.0]), np.array([5.0]), 4, 5.0)


def test_nothing_known_is_nothing_proven():
    """A bound of 0 gives no step to begin with."""
    assert gangs_that_stay(np.array([1]), np.array([5.0]), 1, 0.0) == 0.0
