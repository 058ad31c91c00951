"""Shapes of fabrics: which directed links lead from one server to another, and what they carry.

All shapes are layers of switches above servers. A link up and the link down beside it are two links: `h3+` leads from
server 3 to its switch, `h3-` back. A path goes up only as far as it must, layer by layer, until both servers are below
the same switches. On the way up every switch may offer several equal next hops; the way down is unique.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LinkNames = tuple[str, ...]


class SwitchLayer(NamedTuple):
    """Switches that traffic passes between servers of different groups."""

    # group of each server, shape (servers,); servers of one group need not go through this layer's uplinks
    group: NDArray[np.int64]
    hops: int  # equal next hops of a switch
    gbps: NDArray[np.float64]  # capacity of each of its uplinks, each way, shape (groups,)
    # the uplink's name without its direction, from the group and the hops taken so far, the last one included
    name: Callable[[int, tuple[int, ...]], str]


class Shape(NamedTuple):
    """A fabric."""

    nic_gbps: NDArray[np.float64]  # capacity of each server's link, each way, shape (servers,)
    # layers of switches, the nearest to the servers first; the last ones meet in one switch above
    layers: tuple[SwitchLayer, ...] = ()

    @property
    def servers(self) -> int:
        """Number of servers."""
        return len(self.nic_gbps)

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """Number of equal next hops at each switch on the way up from one server to another."""
        apart = [layer.hops for layer in self.layers if layer.group[source] != layer.group[target]]
        return tuple(apart)

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> dict[str, float]:
        """Links between the switches of two servers with their capacities, Gbit/s, given the hops on the way up."""
        up: dict[str, float] = {}
        down: dict[str, float] = {}
        for taken, layer in enumerate(self.layers[: len(hops)], start=1):
            one, other = int(layer.group[source]), int(layer.group[target])
            up[f"{layer.name(one, hops[:taken])}+"] = float(layer.gbps[one])
            down[f"{layer.name(other, hops[:taken])}-"] = float(layer.gbps[other])
        return up | dict(reversed(down.items()))

    def path(self, source: int, target: int, hops: tuple[int, ...]) -> dict[str, float]:
        """All links from one server to another with their capacities, Gbit/s, given the hop taken at each switch."""
        first, last = {f"h{source}+": float(self.nic_gbps[source])}, {f"h{target}-": float(self.nic_gbps[target])}
        return first | self.between(source, target, hops) | last


def one_switch(servers: int, nic_gbps: float) -> Shape:
    """Servers on one switch, with a link each way."""
    return Shape(np.full(servers, nic_gbps))


def leaf_spine(racks: int, servers_per_rack: int, spines: int, nic_gbps: float, uplink_gbps: float) -> Shape:
    """Racks of servers on leaf switches, each with one link each way to every spine: `r0s1+` up, `r0s1-` down."""
    leaf = SwitchLayer(
        group=np.arange(racks * servers_per_rack) // servers_per_rack,
        hops=spines,
        gbps=np.full(racks, uplink_gbps),
        name=lambda rack, hops: f"r{rack}s{hops[0]}",
    )
    return Shape(np.full(racks * servers_per_rack, nic_gbps), (leaf,))


def fat_tree(k: int, nic_gbps: float, uplink_gbps: float) -> Shape:
    """Fat tree of degree k (Al-Fares, Loukissas, Vahdat 2008).

    k pods have k/2 edge and k/2 aggregation switches each, and an edge switch has k/2 servers. `e3a1+` leads from edge
    switch 3, counted over all pods, to aggregation switch 1 of its pod; `p0a1c0+` from that of pod 0 to its core 0.
    """
    half = k // 2
    server = np.arange(k * half * half)
    edge = SwitchLayer(server // half, half, np.full(k * half, uplink_gbps), lambda edge, hops: f"e{edge}a{hops[0]}")
    pod = SwitchLayer(
        group=server // half**2,
        hops=half,
        gbps=np.full(k, uplink_gbps),
        name=lambda pod, hops: f"p{pod}a{hops[0]}c{hops[1]}",
    )
    return Shape(np.full(len(server), nic_gbps), (edge, pod))


def switch_tree(
    switches: Sequence[LinkNames], layers: LinkNames, nic_gbps: float, uplinks_gbps: tuple[float, ...]
) -> Shape:
    """Servers below layers of switches, each switch with one link each way to the one above: `ASW/r0+` and `ASW/r0-`.

    Switches and layers are named from the nearest on, without the root that all servers share; `uplinks_gbps` is by
    layer.
    """
    found = []
    for at, (layer, gbps) in enumerate(zip(layers, uplinks_gbps, strict=True)):
        names = list(dict.fromkeys(above[at] for above in switches))
        group = np.array([names.index(above[at]) for above in switches], dtype=np.int64)
        found.append(SwitchLayer(group, 1, np.full(len(names), gbps), _named(layer, names)))
    return Shape(np.full(len(switches), nic_gbps), tuple(found))


def _named(layer: str, switches: Sequence[str]) -> Callable[[int, tuple[int, ...]], str]:
    return lambda group, hops: f"{layer}/{switches[group]}"


def rack_tree(rack: NDArray[np.int64], nic_gbps: NDArray[np.float64], uplink_gbps: NDArray[np.float64]) -> Shape:
    """Racks with one uplink each below one switch: a link each way for each rack, `rack/0+` and `rack/0-`."""
    return Shape(nic_gbps, (SwitchLayer(rack, 1, uplink_gbps, lambda group, hops: f"rack/{group}"),))
