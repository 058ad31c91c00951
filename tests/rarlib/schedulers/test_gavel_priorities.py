"""Gavel's round mechanism by hand, and what it does in the long run."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.schedulers.gavel import Priorities


def played(shares, gpus, capacity, rounds):
    """Rounds that each job has had on each type."""
    jobs, priorities = np.arange(len(gpus)), Priorities(len(capacity), 360.0)
    had = np.zeros(shares.shape)
    for _ in range(rounds):
        priorities.admit(jobs)
        chosen = priorities.choose(jobs, shares, gpus, capacity)
        for kind, positions in enumerate(chosen):
            assert gpus[positions].sum() <= capacity[kind]
            had[positions, kind] += 1
        served = [job for positions in chosen for job in positions]
        assert len(set(served)) == len(served)
        priorities.serve(jobs, chosen)
    return had


def test_what_does_not_fit_is_passed_over():
    """The second has the larger claim after the first round, but not the room."""
    had = played(np.array([[0.5], [0.5], [0.1]]), np.array([3, 3, 1]), np.array([4]), 10)
    assert had[0] == had[1] == 5
    assert had[2] == 10


def test_a_new_job_has_half_a_round_to_its_credit():
    """One GPU. The old job has 180 + 1440 s to its credit; the new one, with 180 s, goes on until it has as much."""
    priorities, gpus, capacity = Priorities(1, 360.0), np.array([1, 1]), np.array([1])
    for _ in range(4):
        priorities.admit(np.array([7]))
        priorities.serve(np.array([7]), priorities.choose(np.array([7]), np.ones((1, 1)), gpus[:1], capacity))
    jobs, turns = np.array([7, 8]), []
    for _ in range(6):
        priorities.admit(jobs)
        chosen = priorities.choose(jobs, np.full((2, 1), 0.5), gpus, capacity)
        priorities.serve(jobs, chosen)
        turns.append(chosen[0][0])
    assert turns == [1, 1, 1, 1, 0, 1]


@settings(max_examples=40)
@given(st.lists(st.integers(1, 10), min_size=2, max_size=6), st.integers(1, 3))
def test_time_comes_to_be_what_the_shares_say(weights, capacity):
    """Jobs of one GPU with shares that add up to the GPUs there are."""
    shares = np.array(weights, dtype=float)
    shares = shares / shares.sum() * capacity
    if shares.max() > 1.0 or capacity > len(weights):
        return
    rounds = 2000
    had = played(shares[:, None], np.ones(len(weights), np.int64), np.array([capacity]), rounds)
    assert had[:, 0] / rounds == pytest.approx(shares, abs=0.01)
