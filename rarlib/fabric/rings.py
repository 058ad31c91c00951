"""Flows of a ring all-reduce: each server sends the same bytes to the next one.

In lockstep the ring has one rate, because its pieces wait for one another: it is one flow that takes a link as often as
it crosses it. Otherwise each edge is a flow of its own, and the exchange ends with the slowest.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarlib.fabric.routing import Paths

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

    `servers` stand in the order of the ring, each sends `sent` bytes to the next; `ring` is one of `RING_KINDS`.
    """
    if len(servers) < 2:
        return (), {}
    every = [paths(job, source, target) for source, target in zip(servers, (*servers[1:], servers[0]), strict=True)]
    links = {link: gbps for path in every for link, gbps in path.items()}
    if ring == "independent":
        return tuple(Flow(sent, Counter(path.keys())) for path in every), links
    return (Flow(sent, Counter(link for path in every for link in path)),), links
