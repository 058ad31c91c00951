"""Moves of one task: the growth rule of AITurbo's exchange rate, and against trying everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.seeds import stream
from rarlib.schedulers.aiturbo_parts.moves import best_moves
from rarlib.schedulers.aiturbo_parts.ranking import DECREASE, INCREASE, KEEP

WEIGHTS = np.array([15.0, 5.0, 5.0])
ONE = np.array([0])


def two_rates(before, after, faster):
    """One job that can run with two allocations only, the second one so many times faster."""
    table = np.full((1, 5, 5, 11), np.inf)
    table[0][before], table[0][after] = 1.0, 1.0 / faster
    return table


@pytest.mark.parametrize(
    ("before", "after", "least"),
    [
        ((1, 0, 1), (2, 0, 1), 1.75),  # R 20 -> 35
        ((2, 0, 1), (3, 0, 1), 10 / 7),  # 35 -> 50
        ((3, 0, 1), (4, 0, 1), 1.30),  # 50 -> 65
        ((1, 0, 1), (1, 0, 2), 1.25),  # one server more: 20 -> 25
        ((0, 1, 1), (0, 2, 1), 1.50),  # on CPUs, 5 a task: 10 -> 15
    ],
)
def test_growth_rule(before, after, least):
    """A task pays when the job becomes faster by more than the service it is charged grows."""
    for faster, wish in ((least * 1.001, INCREASE), (least * 0.999, KEEP)):
        moves = best_moves(two_rates(before, after, faster), ONE, np.array([before]), np.array([7.0]), WEIGHTS)
        assert moves.wish.tolist() == [wish]
        assert moves.tasks.tolist() == [list(after if wish == INCREASE else before)]


def everything_tried(table, tasks, left, weights):
    def cost(x):
        inside = any(x) and all(0 <= a < size for a, size in zip(x, table.shape, strict=True))
        return left * table[x] * (np.dot(x, weights) if weights.any() else 1.0) if inside else np.inf

    now = cost(tuple(tasks))
    options = {}
    for kind in range(3):
        for step in (1, -1):
            x = tuple(t + step * (i == kind) for i, t in enumerate(tasks))
            options[(step, kind)] = (now - cost(x), x)
    add = max((v for (step, _), v in options.items() if step == 1), key=lambda v: v[0])
    remove = max((v for (step, _), v in options.items() if step == -1), key=lambda v: v[0])
    if add[0] > max(remove[0], 0.0):
        return INCREASE, add
    return (DECREASE, remove) if remove[0] > 0 else (KEEP, (0.0, tuple(tasks)))


@given(st.integers(0, 10**6), st.booleans())
def test_against_trying_everything(seed, by_service):
    rng = stream(seed, "test-moves")
    table = rng.uniform(0.2, 2.0, (6, 5, 5, 11))
    table[rng.random(table.shape) < 0.3] = np.inf
    tasks = np.stack([rng.integers(low, size, 6) for low, size in ((1, 5), (0, 5), (0, 11))], axis=1)
    table[:, 0, 0, 0] = np.inf
    table[np.arange(6), *tasks.T] = rng.uniform(0.2, 2.0, 6)
    left, weights = rng.uniform(1, 50, 6), WEIGHTS if by_service else np.zeros(3)
    moves = best_moves(table, np.arange(6), tasks, left, weights)
    for i in range(6):
        wish, (gain, after) = everything_tried(table[i], tasks[i], left[i], weights)
        assert moves.wish[i] == wish
        assert moves.gain[i] == pytest.approx(gain)
        assert tuple(moves.tasks[i]) == after
