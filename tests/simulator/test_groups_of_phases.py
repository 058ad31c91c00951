"""Times of a group of connected jobs, by hand."""

import numpy as np
import pytest

from rarlib.cost.links.phase_group import BEGINNING, STEADY_ITERATIONS, LinkedJob, PhaseGroup

LINK = np.zeros(1, np.int64)


def group_of(*members, now=0.0):
    return PhaseGroup(members, np.ones(1), 0.0, now)


def member(row, size=0.3, **more):
    return LinkedJob(row, 1.0, size, size, LINK, 1e6, BEGINNING, 0.0, **more)


def test_time_is_spent_following_phases_or_at_mean_paces():
    """A group that began at 50 s: until it is steady all of its time is followed, and none after."""
    group = group_of(member(0), member(1, 0.5), now=50.0)
    group.advance(60.0)
    assert group.spent_s(60.0) == (pytest.approx(2 * 10.0), 0.0)
    assert group.spent_s(75.0) == (pytest.approx(2 * 25.0), 0.0)
    late = 50.0 + 5.0 * STEADY_ITERATIONS
    group.advance(late)
    assert group.is_steady
    followed_s, steady_s = group.spent_s(late)
    assert followed_s + steady_s == pytest.approx(2 * (late - 50.0))
    # The slower of both computes for 1 s and sends for 0.5 s to 0.8 s in each of 2000 iterations.
    assert 2 * 2 * STEADY_ITERATIONS * 1.5 <= followed_s <= 2 * 2 * STEADY_ITERATIONS * 1.8 + 2.0
    later = group.spent_s(late + 7.0)
    assert later == (followed_s, pytest.approx(steady_s + 14.0))
