"""Which path a flow takes: ECMP by a stated hash.

The hash is splitmix64, folded over job, source, target and hop. A path depends on these alone, never on who else runs,
so that two schedulers that give a job the same servers give it the same paths.
"""

from collections.abc import Callable

import numpy as np

from rarlib.fabric.modulo import folded
from rarlib.fabric.shapes import Shape
from rarlib.model.jit import hot_kernel

Paths = Callable[[int, int, int], dict[str, float]]
"""Links from a server to another with their capacities, Gbit/s, for a job: called with job, source and target."""

STARTS = 2**32
"""A job's key is its row, plus this for every start before the present one: a restarted job is hashed anew."""


@hot_kernel
def next_hop(many: int, seed: np.uint64, job: np.uint64, source: int, target: int, hop: int) -> int:
    """Which of `many` equal next hops a flow takes."""
    x = folded(seed, job)
    x = folded(x, np.uint64(source))
    x = folded(x, np.uint64(target))
    x = folded(x, np.uint64(hop))
    return int(x % np.uint64(many))


def ecmp(shape: Shape, seed: int) -> Paths:
    """Paths by hash.

    Args:
        shape: the fabric.
        seed: of the hash, 0 to 2^64 - 1.
    """

    def path(job: int, source: int, target: int) -> dict[str, float]:
        given = np.uint64(seed), np.uint64(job)
        hops = [next_hop(n, *given, source, target, hop) for hop, n in enumerate(shape.choices(source, target))]
        return shape.path(source, target, tuple(hops))

    return path
