"""Gradient statistics between measured batches: the line through the two neighbours."""

import numpy as np
import pytest

from rarlib.cost.goodput.batch import NOTED
from rarlib.cost.goodput.progress import JOB, MODEL, TrainingState, between

BATCHES = np.array([[32, 64, 256, 256], [8, 16, 32, 64]])
"""The first application has three batches; the last one is repeated."""

VALUES = np.array([[[[5.0], [1.0], [7.0], [7.0]]], [[[2.0], [3.0], [3.5], [-1.0]]]])


@pytest.fixture(scope="module")
def state() -> TrainingState:
    return TrainingState(
        job=np.zeros(1, JOB),
        curves=np.zeros(1, np.int64),
        times=np.zeros(1),
        batches=BATCHES,
        gradients=VALUES,
        model=np.zeros((1, 1), MODEL),
        params=np.zeros((1, 1, 7)),
        observed=np.zeros((1, 1, 1, 5)),
        noted=np.zeros((0, NOTED)),
    )


@pytest.mark.parametrize("app", [0, 1])
@pytest.mark.parametrize("batch", [1.0, 8.0, 20.0, 32.0, 33.5, 48.0, 64.0, 100.0, 256.0, 1000.0])
def test_linear_between_batches_and_constant_outside(state: TrainingState, app: int, batch: float) -> None:
    expected = np.interp(batch, BATCHES[app], VALUES[app, 0, :, 0])
    assert between(state, app, 0, 0, batch) == pytest.approx(expected)
