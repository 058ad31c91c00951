"""Random numbers inside compiled loops: xorshift64 (Marsaglia 2003), shifts only, so plain Python never overflows."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, inlined

Stream = NDArray[np.uint64]
"""State of a stream, shape (1,), never 0."""


def stream_of(rng: np.random.Generator) -> Stream:
    """A separate stream, seeded by one draw from `rng`."""
    return rng.integers(1, 2**64, size=1, dtype=np.uint64)


@inlined
def _advance(stream: Stream) -> np.uint64:
    z = stream[0]
    z ^= z << np.uint64(13)
    z ^= z >> np.uint64(7)
    z ^= z << np.uint64(17)
    stream[0] = z
    return z


@inlined
def uniform(stream: Stream) -> float:
    """Draw from [0, 1)."""
    return (_advance(stream) >> np.uint64(11)) * 2.0**-53


@inlined
def halves(stream: Stream) -> tuple[float, float]:
    """Two draws from [0, 1), of 32 bits each."""
    z = _advance(stream)
    return (z >> np.uint64(32)) * 2.0**-32, (z & np.uint64(0xFFFFFFFF)) * 2.0**-32


@inlined
def below(stream: Stream, bound: int) -> int:
    """Draw from 0..bound-1."""
    return int(uniform(stream) * bound)


@hot_kernel
def remainder(stream: Stream, bound: int) -> int:
    """Draw from 0..bound-1 in integers only; the probabilities of two numbers differ by at most 2**-48."""
    return int((_advance(stream) >> np.uint64(16)) % np.uint64(bound))
