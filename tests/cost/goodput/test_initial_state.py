"""What is known of a job that was profiled on one GPU before it starts, and of any after an epoch."""

import numpy as np
import pytest

from rarlib.cost.goodput.descent import LOCAL, REPLICAS
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.initial_state import PROFILED, _some_alone
from tests.cost.goodput.test_training import OPTIONS, ROWS, training_of


@pytest.mark.parametrize("batches", [1, 3, PROFILED, 4 * PROFILED])
def test_batches_on_one_gpu_spread_over_those_measured(batches: int) -> None:
    """Each batch was measured twice on one GPU, and on two as well, where a batch of 1000 was the largest."""
    sizes = np.arange(1.0, batches + 1.0) * 8.0
    rows = np.zeros((3 * batches + 1, 5))
    rows[:, LOCAL] = [*sizes, *sizes[::-1], *sizes, 1000.0]
    rows[:, REPLICAS] = [*np.ones(2 * batches), *np.full(batches + 1, 2.0)]
    found = _some_alone(rows)
    assert (found[:, REPLICAS] == 1.0).all()
    assert (np.diff(found[:, LOCAL]) > 0.0).all()
    assert found[0, LOCAL] == sizes[0]
    assert found[-1, LOCAL] == sizes[-1]
    assert len(found) == min(batches, PROFILED)
    assert np.diff(found[:, LOCAL]).max(initial=8.0) - np.diff(found[:, LOCAL]).min(initial=8.0 * batches) <= 8.0


def test_the_end_of_an_epoch_is_observed(cost: GoodputCost) -> None:
    """A job that no scheduling pass has looked at is known from its first epoch on."""
    training = training_of(cost)
    training.begin(0, ((0, 1),), 0, 0.0)
    assert not training.goodputs(ROWS, OPTIONS).any()
    training.renew(0, 100.0)
    assert training.limits(ROWS).tolist() == [[2, 1]]
    assert training.goodputs(ROWS, OPTIONS)[0, 0] > 0
