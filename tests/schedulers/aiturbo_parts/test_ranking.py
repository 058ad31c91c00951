"""Borda count and feedback queues: by hand, and the properties the note asks for."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from rarlib.schedulers.aiturbo_parts.ranking import DECREASE, INCREASE, KEEP, borda_scores, gain_ranks, levels, ranks

quick = settings(derandomize=True, database=None, deadline=None, max_examples=50)


def test_ranks_start_at_one_and_equal_keys_share_the_mean_of_their_places():
    assert ranks(np.array([3.0, 1.0, 3.0, 0.0])).tolist() == [3.5, 2, 3.5, 1]


@quick
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_ranks_agree_with_scipy(keys):
    assert ranks(np.array(keys, dtype=float)).tolist() == rankdata(keys).tolist()


def test_largest_gain_ranks_first_inside_its_list():
    gain = np.array([5.0, 9.0, 7.0, 1.0, 0.0])
    wish = np.array([INCREASE, DECREASE, INCREASE, DECREASE, KEEP])
    assert gain_ranks(gain, wish).tolist() == [2, 1, 1, 2, 5]


def test_scores_by_hand():
    service = np.array([10.0, 0.0, 20.0, 30.0])
    predictable = np.array([True, False, True, False])
    gain, wish = np.array([1.0, 99.0, 5.0, 99.0]), np.array([INCREASE] * 4)
    # r_srv 2 1 3 4; r_gain of jobs 0 and 2 is 2 and 1.
    assert borda_scores(service, predictable, gain, wish).tolist() == [4, 2, 4, 8]


@quick
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_without_predictable_jobs_the_order_is_least_attained_service(service):
    service = np.array(service)
    n = len(service)
    scores = borda_scores(service, np.zeros(n, bool), np.zeros(n), np.zeros(n, np.int64))
    assert np.argsort(scores, kind="stable").tolist() == np.argsort(service, kind="stable").tolist()


@quick
@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=40))
def test_with_equal_service_the_order_of_predictable_jobs_is_that_of_gain(gain):
    gain = np.array(gain)
    n = len(gain)
    scores = borda_scores(np.full(n, 7.0), np.ones(n, bool), gain, np.full(n, INCREASE))
    assert np.argsort(scores, kind="stable").tolist() == np.argsort(-gain, kind="stable").tolist()


@quick
@given(st.integers(2, 30), st.data())
def test_a_predictable_job_with_a_gain_rank_below_its_service_rank_wins(n, data):
    """Doubling puts one-ballot jobs on the scale of two ballots."""
    service = np.array(data.draw(st.lists(st.floats(0, 100), min_size=n, max_size=n, unique=True)))
    gain = np.array(data.draw(st.lists(st.floats(0, 100), min_size=n, max_size=n, unique=True)))
    job = data.draw(st.integers(0, n - 1))
    predictable = np.ones(n, bool)
    both = borda_scores(service, predictable, gain, np.full(n, INCREASE))[job]
    predictable[job] = False
    one = borda_scores(service, predictable, gain, np.full(n, INCREASE))[job]
    rank_srv, rank_gain = ranks(service)[job], ranks(-gain)[job]
    assert (both < one) == (rank_gain < rank_srv)


def test_levels_count_thresholds_reached():
    assert levels(np.array([0.0, 29.0, 30.0, 179.0, 180.0]), (30.0, 180.0)).tolist() == [0, 0, 1, 1, 2]
