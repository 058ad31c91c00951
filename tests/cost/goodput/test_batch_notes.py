"""What a search for a batch notes: candidates, places and times, one by one from the docstrings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.goodput.batch import NOTED, Bounds, _note_batches, best_batch, no_batches, place_of
from rarlib.model.offers import MOST_REPLICAS

P = np.array([0.11, 0.013, 0.31, 0.023, 0.053, 0.0041, 1.7])
BOUNDS = Bounds(12.0, 16.0, 384.0, 4, 40)


def noted_for(bounds: Bounds, replicas: int) -> tuple[list[float], list[list[float]]]:
    """Head and batches (samples, steps, size, seconds) of a fresh note."""
    noted = np.full(NOTED, np.nan)
    _note_batches(bounds, replicas, noted)
    return noted[:9].tolist(), noted[12 : 12 + 4 * int(noted[6])].reshape(-1, 4).tolist()


@given(
    st.integers(1, 16),
    st.floats(1.0, 40.0),
    st.floats(0.1, 100.0),
    st.integers(1, 8),
    st.integers(8, 60),
)
def test_candidates_are_those_of_the_authors(
    replicas: int, first: float, times: float, least: int, largest: int
) -> None:
    """NumPy's `geomspace` with its default of fifty, as their code calls it; equal neighbours once, with their size."""
    low = max(first, float(least * replicas))
    bounds = Bounds(first, low, low * times, least, largest)
    expected: list[list[float]] = []
    for batch in np.geomspace(low, low * times):
        local = batch / replicas
        steps = math.ceil(local / largest - 1e-8) - 1
        if replicas == 1 and local > first + 1e-8:
            steps = max(steps, 1)
        each = math.ceil(local / (steps + 1) - 1e-8)
        size = replicas * each * (steps + 1) / first if least <= each <= largest else 0.0
        if not expected or expected[-1][:2] != [each, steps]:
            expected.append([each, steps, size])
    head, found = noted_for(bounds, replicas)
    assert head[:8] == [*bounds, replicas, len(found), 0.0]
    assert math.isnan(head[8]), "no times are known yet"
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected])


def test_fifty_batches_are_tried() -> None:
    """Far enough apart, none of them is another's neighbour."""
    _, found = noted_for(Bounds(1.0, 1e3, 1e9, 1, 10**9), 2)
    assert len(found) == 50
    assert [found[0][0], found[-1][0]] == [500.0, 5e8]


def test_one_batch_alone_is_tried_once() -> None:
    """A fixed batch of 48 on 4 GPUs."""
    assert [row[:3] for row in noted_for(Bounds(12.0, 48.0, 48.0, 4, 40), 4)[1]] == [[12.0, 0.0, 4.0]]


def test_each_group_has_a_place_for_every_number_of_replicas() -> None:
    """And one for all numbers above, which no usual number shares; places lie within the space for notes."""
    groups, usual = 3, range(1, MOST_REPLICAS + 1)
    places = [place_of(group, replicas) for group in range(groups) for replicas in usual]
    assert len(set(places)) == len(places) == groups * 64
    rest = [{place_of(group, MOST_REPLICAS + more) for more in (1, 2, 100)} for group in range(groups)]
    assert [len(each) for each in rest] == [1] * groups
    others = set.union(*rest)
    assert len(others) == groups and not others & set(places)
    assert others | set(places) == set(range(len(no_batches(groups))))
    assert no_batches(groups).shape[1] == NOTED and not no_batches(groups).any()


@pytest.mark.parametrize(("nodes", "replicas"), [(1, 1), (1, 2), (1, 4), (2, 4)])
def test_times_are_forgotten_with_any_parameter(nodes: int, replicas: int) -> None:
    """Also when the new value of a parameter is what another one was, or one is all that changes."""
    changes = [P * factor for factor in (np.where(np.arange(7) == at, 1.5, 1.0) for at in range(7))]
    for at, like in itertools.permutations(range(7), 2):
        if at != 6 or P[like] >= 1.0:
            changes.append(P.copy())
            changes[-1][at] = P[like]
    for square, variance in ((1.0, 0.1), (1.0, 30.0), (1.0, 1e4)):
        for changed in changes:
            noted = np.zeros(NOTED)
            best_batch(P, square, variance, nodes, replicas, BOUNDS, noted)
            again = best_batch(changed, square, variance, nodes, replicas, BOUNDS, noted)
            assert again == best_batch(changed, square, variance, nodes, replicas, BOUNDS, np.zeros(NOTED))


@given(
    st.tuples(*[st.floats(1e-3, 1.0)] * 6, st.floats(1.0, 10.0)),
    st.floats(1e-2, 1e3),
    st.integers(1, 3),
    st.integers(1, 12),
    st.floats(1.0, 40.0),
)
def test_the_best_of_the_noted(p: tuple[float, ...], noise: float, nodes: int, replicas: int, times: float) -> None:
    """Goodput = samples / T_iter x (1 + noise) / (scale + noise), of every batch within its bounds, by hand."""
    bounds = Bounds(12.0, max(12.0, 4.0 * replicas), 12.0 * replicas * times, 4, 40)
    if bounds.high < bounds.low:
        bounds = bounds._replace(high=bounds.low)
    compute, each, alpha_n, beta_n, alpha_r, beta_r, gamma = p
    alpha, beta = (alpha_n, beta_n) if nodes > 1 else (alpha_r, beta_r)
    sync = alpha + beta * max(replicas - 2, 1e-8) if nodes > 1 or replicas > 1 else 1e-8
    worth = []
    for local, steps, scale, _ in noted_for(bounds, replicas)[1]:
        grad = compute + each * local
        seconds = steps * grad + (grad**gamma + sync**gamma) ** (1 / gamma)
        worth.append(12.0 * scale / seconds * (1 + noise) / (scale + noise) if scale else 0.0)
    found = best_batch(np.array(p), 1.0, noise, nodes, replicas, bounds, np.zeros(NOTED))
    assert found[0] == pytest.approx(max(worth), rel=1e-6)
    rows = noted_for(bounds, replicas)[1]
    assert worth[[row[:2] for row in rows].index(list(found[1:]))] == pytest.approx(max(worth), rel=1e-6)
