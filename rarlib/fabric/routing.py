"""Which path a flow takes: ECMP by a stated hash.

The hash is splitmix64, folded over job, source, target and hop. A path depends on these alone, never on who else runs,
so that two schedulers that give a job the same servers give it the same paths.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rarlib.fabric.shapes import Shape
from rarlib.model.jit import hot_kernel

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@hot_kernel
def sum64(a: np.uint64, b: np.uint64) -> np.uint64:
    """Low 64 bits of a + b."""
    low = (a & _LOW) + (b & _LOW)
    high = (a >> _HALF) + (b >> _HALF) + (low >> _HALF)
    return (high << _HALF) | (low & _LOW)


@hot_kernel
def product64(a: np.uint64, b: np.uint64) -> np.uint64:
    """Low 64 bits of a b."""
    low = (a & _LOW) * (b & _LOW)
    cross = ((a >> _HALF) * (b & _LOW) & _LOW) + ((a & _LOW) * (b >> _HALF) & _LOW) + (low >> _HALF)
    return (cross << _HALF) | (low & _LOW)


@hot_kernel
def folded(x: np.uint64, value: np.uint64) -> np.uint64:
    """One step of splitmix64 (Steele, Lea, Flood 2014) that folds a value into the state x."""
    x ^= product64(sum64(value, _ONE), np.uint64(0x9E3779B97F4A7C15))
    x = product64(x ^ (x >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    x = product64(x ^ (x >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return x ^ (x >> np.uint64(31))


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
    """Paths by hash with a seed of 0 to 2^64 - 1."""

    def path(job: int, source: int, target: int) -> dict[str, float]:
        given = np.uint64(seed), np.uint64(job)
        hops = [next_hop(n, *given, source, target, hop) for hop, n in enumerate(shape.choices(source, target))]
        return shape.path(source, target, tuple(hops))

    return path


RING_KINDS = ("lockstep", "independent")


class Flow(NamedTuple):
    """Bytes that are sent at one rate."""

    bytes_: float  # how many
    # how often the flow crosses each of its links; with rate r it takes that many times r of the link
    links: Mapping[str, int]


def ring_flows(
    paths: Paths, job: int, servers: Sequence[int], ring: str, sent: float
) -> tuple[tuple[Flow, ...], dict[str, float]]:
    """Flows of a ring, and the links that they cross with their capacities, Gbit/s; one server sends nothing.

    In lockstep the ring has one rate, because its pieces wait for one another: it is one flow that takes a link as
    often as it crosses it. Otherwise each edge is a flow of its own, and the exchange ends with the slowest.

    `servers` stand in the order of the ring, each sends `sent` bytes to the next; `ring` is one of `RING_KINDS`.
    """
    if len(servers) < 2:
        return (), {}
    every = [paths(job, source, target) for source, target in zip(servers, (*servers[1:], servers[0]), strict=True)]
    links = {link: gbps for path in every for link, gbps in path.items()}
    if ring == "independent":
        return tuple(Flow(sent, Counter(path.keys())) for path in every), links
    return (Flow(sent, Counter(link for path in every for link in path)),), links
