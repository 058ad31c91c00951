"""Random numbers that compiled loops use, computed once more in plain Python."""

import numpy as np
import pytest

from rarlib.model.draws import below, halves, remainder, stream_of, uniform

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
