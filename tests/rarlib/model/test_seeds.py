"""The seed tree and the random numbers of compiled loops."""

import numpy as np
import pytest

from rarlib.model.draws import below, halves, remainder, stream_of, uniform
from rarlib.model.seeds import stream


def test_one_name_one_stream():
    first = stream(7, "instance", 3).random(5)
    stream(7, "something else").random(100)
    assert (stream(7, "instance", 3).random(5) == first).all()


def test_names_and_seeds_differ():
    names = [("a", "b"), ("ab",), ("a", "b", ""), ("b", "a"), ("a",), (), ("a", 1), ("a", 2), ("a", 12), ("a1", 2)]
    draws = {stream(seed, *name).integers(2**63) for seed in (0, 1) for name in names}
    assert len(draws) == 2 * len(names)


def test_uniform_first_draws():
    """First draws over many names fill the unit interval (Kolmogorov's 0.1 % bound, 1.95 / sqrt(n))."""
    first = np.sort([stream(0, "first", i).random() for i in range(2_000)])
    assert np.abs(first - (np.arange(2_000) + 0.5) / 2_000).max() < 1.95 / np.sqrt(2_000)


SEEDS = range(8)


def xorshift(state):
    """Marsaglia's generator with the shifts 13, 7 and 17, on Python's integers."""
    while True:
        state ^= (state << 13) % 2**64
        state ^= state >> 7
        state ^= (state << 17) % 2**64
        yield state


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_are_those_of_marsaglia(seed):
    """The upper 53 bits as a fraction, two halves of 32 bits, a share of a bound, and the upper 48 bits modulo it."""
    state = stream_of(np.random.default_rng(seed))
    assert state.tolist() == [int(np.random.default_rng(seed).integers(1, 2**64, dtype=np.uint64))]
    numbers = xorshift(int(state[0]))
    for bound in (1, 2, 3, 10, 1_000_003):
        assert uniform(state) == (next(numbers) >> 11) / 2**53
        upper, lower = divmod(next(numbers), 2**32)
        assert halves(state) == (upper / 2**32, lower / 2**32)
        assert below(state, bound) == (next(numbers) >> 11) * bound // 2**53
        assert remainder(state, bound) == (next(numbers) >> 16) % bound
    assert stream_of(np.random.default_rng(seed))[0] != 0
