"""Optima behind the guarantees of GADGET, by hand; and the guarantees on a few instances."""

import numpy as np
import pytest

from rarlib.cost.reserved import TreeNetwork
from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.papers.gadget.instance import Instance
from rarlib.papers.gadget.theory import best_horizon, competitive, feasible_counts, greedy_horizon, small_case


def case(network, arrival=(0, 0), **jobs):
    table = SlotJobs.build(**{"bandwidth": 1.0, "budget_counts": "worker-slots", **jobs})
    return Instance(network, table, table, np.array(arrival))


def test_what_one_slot_holds():
    """Two servers of one GPU: two workers of one job need the links, one of each job does not."""
    jobs = {"utility": SquareRoot([1, 1]), "largest": 2}
    assert feasible_counts(case(TreeNetwork.build([1, 1], 1.0, [0, 0], 1.0), **jobs)).tolist() == [
        [0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0],
    ]  # fmt: skip
    assert feasible_counts(case(TreeNetwork.build([1, 1], 0.5, [0, 0], 1.0), **jobs)).tolist() == [
        [0, 0], [0, 1], [1, 0], [1, 1],
    ]  # fmt: skip


def test_best_horizon_by_hand():
    """One GPU, four slots: two slots each for equal jobs; a job that comes in the last slot gets that one."""
    network, jobs = TreeNetwork.build([1], 1.0, [0], 1.0), {"utility": SquareRoot([1, 1]), "largest": 1}
    together, late = case(network, **jobs), case(network, (0, 3), **jobs)
    for instance, best in ((together, 2 * np.sqrt(2)), (late, np.sqrt(3) + 1)):
        counts = feasible_counts(instance)
        assert best_horizon(instance, counts) == pytest.approx(best)
        assert greedy_horizon(instance, counts) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_competitive_ratios(seed):
    """Nothing beats the optimum, and each theorem and the lemma hold."""
    found = {name: value for name, value, _ in competitive(seed)}
    for name in ("theorem6", "theorem10", "lemma7"):
        assert found[f"{name}_ratio"] <= 1 + 1e-9
        assert found[name] == 1.0


def test_small_cases_are_tight_enough_to_tell():
    """In some of them links or GPUs exclude what the jobs could take, so that the optimum is no matter of course."""
    tight = 0
    for seed in range(5):
        small = small_case(seed)
        tight += len(feasible_counts(small)) < np.prod(small.jobs.largest + 1)
    assert tight >= 3
