"""The bound on Shockwave's program: above every plan of small instances, equal to the best where nothing is split."""

from itertools import product

import numpy as np
import pytest

from rarlib.ilp.shockwave_bound import plan_bound


def best_of_all(gain, gpus, total, tail):
    """By enumeration of every plan, round by round."""
    jobs, rounds = gain.shape
    fits = [runs for runs in product((0, 1), repeat=jobs) if np.dot(runs, gpus) <= total]
    found = -np.inf
    for plan in product(fits, repeat=rounds):
        held = np.sum(plan, axis=0)
        worth = sum(gain[j, : held[j]].sum() for j in range(jobs))
        found = max(found, worth - max(tail[j, held[j]] for j in range(jobs)))
    return found


def instance(seed, weight):
    rng = np.random.default_rng(seed)
    gain = np.sort(rng.uniform(0.0, 1.0, (3, 3)), axis=1)[:, ::-1]
    left_s = rng.uniform(0.5, 6.0, 3)
    return gain, rng.integers(1, 4, 3), 4, weight * np.maximum(left_s[:, None] - np.arange(4), 0.0)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("weight", [0.0, 0.3, 5.0])
def test_no_plan_is_above_the_bound(seed, weight):
    given = instance(seed, weight)
    assert plan_bound(*given) >= best_of_all(*given) - 1e-9


def test_it_is_the_best_where_jobs_of_one_gpu_share_one():
    """Two jobs, two rounds, one GPU: one each is worth 3 and leaves 1 s; both for the first is worth 3.5, less 2."""
    gain, gpus = np.array([[2.0, 1.5], [1.0, 0.5]]), np.array([1, 1])
    tail = np.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    best = best_of_all(gain, gpus, 1, tail)
    assert best == pytest.approx(2.0)
    assert best <= plan_bound(gain, gpus, 1, tail) <= best + 2.0 / 299 + 1e-9
    assert plan_bound(gain, gpus, 1, np.zeros((2, 3))) == pytest.approx(3.5)  # without a tail, the largest gains


def test_needs_that_do_not_fit_are_not_counted():
    """Two jobs of a whole cluster and one round: one of them keeps its 3 s, whatever is done."""
    gain, gpus, tail = np.zeros((2, 1)), np.array([2, 2]), np.array([[3.0, 0.0], [3.0, 0.0]])
    assert -3.0 <= plan_bound(gain, gpus, 2, tail) <= -1.5 + 1e-9 + 3.0 / 299
