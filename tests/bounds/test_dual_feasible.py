"""The bound for gangs that stay where they are, against exhaustive packing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
