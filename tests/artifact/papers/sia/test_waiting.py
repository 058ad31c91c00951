"""Why jobs wait under Sia as coded: a job without GPUs costs little, and halving the gang of another costs more."""

import itertools

import numpy as np
import pytest

from rarlib.ilp.sia.decide import Decider
from rarlib.ilp.sia.problem import RoundProblem

P = -0.5


def problem(held, factor, lam):
    """A job that holds all `held` GPUs of a cluster, and a newcomer that may have one.

    Columns: one GPU, half of those held, all of them. Speed is the number of GPUs; the running job's other
    configurations are multiplied by its restart factor.
    """
    sizes = np.array([1, held // 2, held])
    value = np.array([sizes * factor, sizes], dtype=float)
    value[0, 2] = held
    cost = np.rint(100.0 * np.round(value**P, 2)).astype(np.int64)
    gpus = np.array([sizes, [1, 0, 0]])
    skip = np.full(2, round(100 * lam))
    return RoundProblem(cost, gpus, np.zeros(3, np.int64), np.array([held]), skip, np.array([2, -1]))


def cheapest(given):
    """The least cost of all choices, counted out."""
    choices = [np.array(each) for each in itertools.product((-1, 0, 1, 2), repeat=2)]
    allowed = [
        each
        for each in choices
        if (given.used(each) <= given.capacity).all()
        and all(column < 0 or given.gpus[job, column] for job, column in enumerate(each))
    ]
    return min(given.value(each) for each in allowed)


def newcomer_runs(given):
    """Whether the optimum gives the newcomer a GPU."""
    columns = Decider().decide(given).column
    assert given.value(columns) == cheapest(given)
    return bool(columns[1] >= 0)


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("held", [2, 4, 8])
def test_a_newcomer_waits_as_coded(held, factor):
    """Keeping costs n^p + 1.1, sharing (r n / 2)^p + 1: even without a restart factor the first is less up to n = 8."""
    assert held**P + 1.1 < (factor * held / 2) ** P + 1.0
    assert not newcomer_runs(problem(held, factor, 1.1))


@pytest.mark.parametrize(("held", "factor"), [(2, 0.5), (2, 0.3), (4, 0.5), (8, 0.3)])
def test_with_lambda_two_running_jobs_shrink(held, factor):
    """Shared if (r n / 2)^p - n^p < 1: for n = 2 if r > 0.343, for more GPUs sooner."""
    shared = (factor * held / 2) ** P - held**P < 1.0
    assert newcomer_runs(problem(held, factor, 2.0)) == shared
