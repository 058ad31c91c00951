"""Shockwave's plans of rounds and their bound, against all plans there are."""

from itertools import product

import numpy as np
import pytest

from rarlib.ilp import shockwave
from rarlib.ilp.shockwave import EARLY, plan_rounds


def value(runs, gain, tail=None):
    """Utility of a plan, with what early rounds are worth, less the largest tail."""
    rounds = gain.shape[1]
    utility = sum(gain[j, : runs[j].sum()].sum() for j in range(len(gain)))
    early = (runs * np.arange(rounds - 1, -1, -1)).sum(axis=1) @ gain.mean(axis=1) * EARLY
    return utility + early - (0.0 if tail is None else max(tail[j, runs[j].sum()] for j in range(len(gain))))


def all_plans(gpus, total, least, rounds):
    """Every plan that fits."""
    rows = [np.array(row) for row in product((False, True), repeat=rounds)]
    for choice in product(rows, repeat=len(gpus)):
        runs = np.array(choice)
        if (gpus @ runs <= total).all() and (runs.sum(axis=1) >= least).all():
            yield runs


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_is_better(seed):
    rng = np.random.default_rng(seed)
    gain = -np.sort(-rng.uniform(0.0, 1.0, (3, 3)), axis=1)
    gpus, total, least = rng.integers(1, 5, 3), int(rng.integers(4, 8)), rng.integers(0, 2, 3)
    best = max((value(runs, gain) for runs in all_plans(gpus, total, least, 3)), default=None)
    plan = plan_rounds(gain, gpus, total, least, limit=1.0)
    assert (plan is None) == (best is None)
    if plan is not None:
        assert plan.optimal
        assert (gpus @ plan.runs <= total).all()
        assert (plan.runs.sum(axis=1) >= least).all()
        assert value(plan.runs, gain) == pytest.approx(best, rel=1e-5)
        assert plan.value * gain.max() == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("weight", [0.02, 0.3, 5.0])
@pytest.mark.parametrize("seed", range(6))
def test_no_plan_is_better_with_a_regulariser(seed, weight):
    """Weights at which the utilities, neither and the longest time left decide."""
    rng = np.random.default_rng(100 + seed)
    gain = -np.sort(-rng.uniform(0.0, 1.0, (3, 3)), axis=1)
    gpus, total, least = rng.integers(1, 5, 3), int(rng.integers(4, 8)), np.zeros(3, np.int64)
    tail = weight * np.maximum(rng.uniform(0.5, 6.0, (3, 1)) - np.arange(4), 0.0)
    best = max(value(runs, gain, tail) for runs in all_plans(gpus, total, least, 3))
    plan = plan_rounds(gain, gpus, total, least, limit=1.0, tail=tail)
    assert plan.optimal
    assert (gpus @ plan.runs <= total).all()
    assert value(plan.runs, gain, tail) == pytest.approx(best, rel=1e-5, abs=1e-5)
    assert plan.value * gain.max() == pytest.approx(best, rel=1e-4, abs=1e-4)


def test_the_regulariser_serves_the_longest_job():
    """One GPU and one round: utility prefers the first job, a heavy tail the second."""
    gain, gpus, none = np.array([[1.0], [0.1]]), np.array([1, 1]), np.zeros(2, np.int64)
    tail = np.array([[1.0, 0.0], [5.0, 3.0]])
    assert plan_rounds(gain, gpus, 1, none, limit=1.0).runs.tolist() == [[True], [False]]
    assert plan_rounds(gain, gpus, 1, none, limit=1.0, tail=tail).runs.tolist() == [[False], [True]]


def test_what_cannot_be_had_is_said():
    assert plan_rounds(np.ones((2, 2)), np.array([4, 4]), 4, np.array([2, 1]), limit=1.0) is None


def instance(seed, jobs=3, rounds=3):
    """Gains that do not rise, gangs, and tails that do not rise either."""
    rng = np.random.default_rng(seed)
    gain = -np.sort(-rng.uniform(0.1, 1.0, (jobs, rounds)), axis=1)
    left_s = rng.uniform(0.5, rounds + 2.0, (jobs, 1))
    return gain, rng.integers(1, 4, jobs), 4, rng.uniform(0.1, 3.0) * np.maximum(left_s - np.arange(rounds + 1), 0.0)


def fits(runs, gpus, total):
    return (gpus @ runs <= total).all()


def test_out_of_effort_a_plan_built_without_search_is_returned(monkeypatch):
    """If asked for; its value is its own, and no bound is known."""

    class Nothing:
        """A solver that gives up at once."""

        def __init__(self):
            self.parameters = type("Parameters", (), {})()

        def solve(self, model):
            assert self.parameters.num_workers == 1
            return shockwave.cp_model.UNKNOWN

    for seed in range(30):
        gain, gpus, total, tail = instance(seed)
        if gpus.sum() <= total:
            continue
        none = np.zeros(3, np.int64)
        with monkeypatch.context() as patch:
            patch.setattr(shockwave.cp_model, "CpSolver", Nothing)
            plan = plan_rounds(gain, gpus, total, none, limit=1.0, tail=tail)
            assert plan_rounds(gain, gpus, total, none, limit=1.0, tail=tail, built=False) is None
            assert plan_rounds(gain, gpus, total, np.array([1, 0, 0]), limit=1.0, tail=tail) is None
        assert not plan.optimal and plan.bound == np.inf
        assert fits(plan.runs, gpus, total)
        count = plan.runs.sum(axis=1)
        worth = sum(gain[j, : count[j]].sum() for j in range(3)) - max(tail[j, count[j]] for j in range(3))
        assert plan.value * gain.max() == pytest.approx(worth, abs=1e-5)
