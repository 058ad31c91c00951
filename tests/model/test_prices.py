"""The price of an iteration, against SJF-BCO eq. 6 to 9 worked out by hand."""

import numpy as np
import pytest

from rarlib.model.prices import Prices, alone_per_s, first_pass, iteration_s, iterations_per_s, slot_end


def prices(slot=0.0, cap=np.inf):
    """One job: 0.2 s alone, 0.01 s within a server, 0.1 s on an idle link, 0.03 s per server; f = k + 0.5 (k - 1)."""
    one = np.ones(1)
    sharing = np.array([1.0, 1.0, 2.5, 4.0])
    return Prices(
        100 * one, 0.2 * one, 0.01 * one, 0.1 * one, 0.03 * one, cap * one,
        one, np.inf * one, 0 * one, 0 * one, sharing, slot, one,
        one, np.zeros(1, np.int64), one, -np.ones(1, np.int64),
        np.ones((1, 2)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("servers", "sharers", "tau"),
    [(1, 0, 0.21), (1, 3, 0.21), (2, 1, 0.36), (2, 0, 0.36), (2, 2, 0.51), (4, 3, 0.72)],
)
def test_iteration(servers, sharers, tau):
    """One server: no link. Several: base + link f(p) + overhead per server."""
    assert iteration_s(prices(), 0, servers, sharers) == pytest.approx(tau)


def test_slow_link():
    """A link of half the capacity doubles the transfer, and nothing else."""
    assert iteration_s(prices(), 0, 2, 1, 2.0) == pytest.approx(0.36 + 0.1)
    assert iteration_s(prices(), 0, 1, 1, 2.0) == pytest.approx(0.21)


def test_more_sharers_than_the_table_knows():
    """Reading past the end of the table would price with whatever lies there."""
    assert iteration_s(prices(), 0, 2, 9) == pytest.approx(0.66)


def test_cap():
    """The upper limit holds on one server and on several."""
    assert iteration_s(prices(cap=0.4), 0, 4, 3) == 0.4
    assert iteration_s(prices(cap=0.15), 0, 1, 1) == 0.15


@pytest.mark.parametrize(
    ("tau", "whole"), [(0.3, 3), (0.25, 4), (0.1, 10), (0.07, 14), (1.0, 1), (1.5, 0), (1 / 3, 3), (0.2501, 3)]
)
def test_whole_iterations_per_slot(tau, whole):
    """phi = floor(1 / tau); 1 / 0.1 must be 10 although 0.1 is not a binary fraction."""
    assert iterations_per_s(prices(slot=1.0), 0, tau) == whole


def test_progress_without_slots():
    """Continuous time keeps the fraction."""
    assert iterations_per_s(prices(), 0, 0.3) == pytest.approx(10 / 3)


def test_longer_slots_waste_less():
    """A slot of 10 s holds 33 iterations of 0.3 s."""
    assert iterations_per_s(prices(slot=10.0), 0, 0.3) == pytest.approx(3.3)


def test_rates_alone():
    """0.21 s on one server, nobody beside: 100 / 21 iterations per second, and 47 whole ones in a slot of 10 s."""
    assert alone_per_s(prices(), np.zeros(2, np.int64)) == pytest.approx([100 / 21] * 2)
    assert alone_per_s(prices(slot=10.0), np.zeros(1, np.int64)) == pytest.approx([4.7])


def test_first_passes_by_hand():
    """Multiples of 10 on the trace's clock, which is 3 ahead: 7, 17, ...; none below the time itself, none is -0."""
    time = np.array([0.0, 0.5, 7.0, 7.0 + 1e-10, 7.1, 17.0])
    assert first_pass(time, 10.0, 3.0) == pytest.approx([7.0, 7.0, 7.0, 7.0, 17.0, 17.0])
    assert first_pass(time, 10.0).tolist() == pytest.approx([0.0, 10.0, 10.0, 10.0, 10.0, 20.0])
    assert first_pass(time, 0.0) is time
    assert first_pass(time, 0.5).tolist() == pytest.approx([0.0, 0.5, 7.0, 7.0, 7.5, 17.0])
    assert first_pass(np.array([0.25, 0.5, 0.75]), 1.0, 0.5).tolist() == [0.5, 0.5, 1.5]
    assert (first_pass(time, 10.0, 3.0) >= time).all()
    for zero in (0.0, -0.0, 1e-12):
        assert not np.signbit(first_pass(np.array([zero]), 10.0)).any()
    assert not np.signbit(first_pass(np.array([-0.0]), 5.0, 5.0)).any()


@pytest.mark.parametrize("seed", range(5))
def test_ends_of_slots_are_the_first_multiples_not_before(seed):
    """By counting; a rounding error past the end of a slot does not count as the next one."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        slot, ahead, time = rng.choice([0.5, 1.0, 7.0]), float(rng.integers(0, 4)), float(rng.integers(0, 60)) / 4.0
        end = next(n * slot - ahead for n in range(1000) if n * slot - ahead >= time)
        assert slot_end(time, slot, ahead) == pytest.approx(end)
        assert slot_end(time + 1e-11, slot, ahead) == pytest.approx(end)
    assert slot_end(0.3, 0.0) == 0.3
