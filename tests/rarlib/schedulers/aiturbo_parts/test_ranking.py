"""Borda count and feedback queues: by hand, and the properties the note asks for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from rarlib.schedulers.aiturbo_parts.ranking import INCREASE, borda_scores, levels, ranks


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_ranks_agree_with_scipy(keys):
    assert ranks(np.array(keys, dtype=float)).tolist() == rankdata(keys).tolist()


def test_scores_by_hand():
    service = np.array([10.0, 0.0, 20.0, 30.0])
    predictable = np.array([True, False, True, False])
    gain, wish = np.array([1.0, 99.0, 5.0, 99.0]), np.array([INCREASE] * 4)
    # r_srv 2 1 3 4; r_gain of jobs 0 and 2 is 2 and 1.
    assert borda_scores(service, predictable, gain, wish).tolist() == [4, 2, 4, 8]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_without_predictable_jobs_the_order_is_least_attained_service(service):
    service = np.array(service)
    n = len(service)
    scores = borda_scores(service, np.zeros(n, bool), np.zeros(n), np.zeros(n, np.int64))
    assert np.argsort(scores, kind="stable").tolist() == np.argsort(service, kind="stable").tolist()


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=40))
def test_with_equal_service_the_order_of_predictable_jobs_is_that_of_gain(gain):
    gain = np.array(gain)
    n = len(gain)
    scores = borda_scores(np.full(n, 7.0), np.ones(n, bool), gain, np.full(n, INCREASE))
    assert np.argsort(scores, kind="stable").tolist() == np.argsort(-gain, kind="stable").tolist()


def test_levels_count_thresholds_reached():
    assert levels(np.array([0.0, 29.0, 30.0, 179.0, 180.0]), (30.0, 180.0)).tolist() == [0, 0, 1, 1, 2]
