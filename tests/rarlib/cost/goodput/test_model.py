"""Throughput model, efficiency and batch search against formulas written out in plain numpy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.goodput.batch import CANDIDATES, NOTED, Bounds, best_batch
from rarlib.cost.goodput.throughput import exchange_s, gain, iteration_s, overlapped

SECONDS = st.floats(1e-4, 10.0)
P = np.array([0.1, 0.01, 0.3, 0.02, 0.05, 0.004, 1.5])


@given(SECONDS, SECONDS, st.floats(1.0, 10.0))
def test_overlap_lies_between_all_and_none(a: float, b: float, gamma: float) -> None:
    """And is the p-norm, where that stays in the range of numbers."""
    found = overlapped(a, b, gamma)
    assert max(a, b) * (1 - 1e-12) <= found <= (a + b) * (1 + 1e-12)
    assert found == pytest.approx((a**gamma + b**gamma) ** (1 / gamma), rel=1e-9)


def test_exchange_by_hand() -> None:
    """Nothing alone; alpha_r for two GPUs of a node; alpha_n + 2 beta_n for four on two nodes."""
    assert exchange_s(P, 1, 1) <= 1e-8
    assert exchange_s(P, 1, 2) == pytest.approx(0.05, rel=1e-6)
    assert exchange_s(P, 1, 4) == pytest.approx(0.058)
    assert exchange_s(P, 2, 4) == pytest.approx(0.34)


def test_accumulation_adds_computing_only() -> None:
    """T_iter = s T_grad + T_opt."""
    once = iteration_s(P, 2.0, 4.0, 8.0, 0.0)
    assert iteration_s(P, 2.0, 4.0, 8.0, 3.0) == pytest.approx(once + 3 * 0.18)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(1.0, 100.0))
def test_gain_lies_between_one_and_the_scale(square: float, variance: float, scale: float) -> None:
    """More samples never hurt an iteration, and are never worth more than their number."""
    assert 1.0 - 1e-12 <= gain(square, variance, scale) <= scale * (1 + 1e-12)


def test_gain_by_hand() -> None:
    """No noise: nothing gained; nothing but noise: all of it; v = g^2: 2 / (1/4 + 1)."""
    assert gain(1.0, 0.0, 4.0) == 1.0
    assert gain(0.0, 1.0, 4.0) == pytest.approx(4.0)
    assert gain(1.0, 1.0, 4.0) == pytest.approx(1.6)
    assert gain(-1.0, 1.0, 4.0) == 1.0  # measured squares may be negative: no statement


@given(st.integers(1, 16), st.integers(1, 4), st.floats(1e-2, 1e3), st.integers(0, 3), st.integers(4, 40))
def test_search_is_the_best_of_fifty(replicas: int, nodes: int, noise: float, wider: int, largest: int) -> None:
    """The same candidates, one by one, in plain Python."""
    nodes, first, least = min(nodes, replicas), 12.0, 4
    low, high = max(first, float(least * replicas)), 48.0 * 2**wider
    best = (-1.0, 0, 0)
    for batch in np.geomspace(low, high, CANDIDATES):
        local = batch / replicas
        s = math.ceil(local / largest - 1e-8) - 1
        if replicas == 1 and local > first + 1e-8:
            s = max(s, 1)
        b = math.ceil(local / (s + 1) - 1e-8)
        value = 0.0
        if least <= b <= largest:
            total = replicas * b * (s + 1)
            efficiency = (noise + 1) / (noise * first / total + 1) / (total / first)
            value = total / iteration_s(P, nodes, replicas, b, s) * efficiency
        if value > best[0] * (1 + 1e-9):
            best = (value, b, s)
    found = best_batch(P, 1.0, noise, nodes, replicas, Bounds(first, low, high, least, largest), np.zeros(NOTED))
    assert found[0] == pytest.approx(best[0], rel=1e-6)
    if best[0] > 0:
        assert found[1] * (found[2] + 1) * replicas <= high + replicas * (found[2] + 1)


def test_noise_makes_batches_large() -> None:
    """Without noise the smallest batch is best; with much of it nearly the largest."""
    bounds = Bounds(12.0, 16.0, 384.0, 4, 48)
    quiet = best_batch(P, 1.0, 1e-6, 1, 4, bounds, np.zeros(NOTED))
    loud = best_batch(P, 1.0, 1e6, 1, 4, bounds, np.zeros(NOTED))
    assert quiet[1] * (quiet[2] + 1) == 4
    assert loud[1] * (loud[2] + 1) >= 90
