"""Shockwave's plans: without search, and out of effort."""

import numpy as np
import pytest

from rarlib.ilp import shockwave
from rarlib.ilp.shockwave import plan_rounds


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
