"""Shapes of fabrics: which directed links lead from one server to another, and what they carry.

A link up and the link down beside it are two links: `h3+` leads from server 3 to its switch, `h3-` back. A path goes up
only as far as it must. On the way up every switch may offer several equal next hops; the way down is unique.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

LinkNames = tuple[str, ...]


class Shape(Protocol):
    """A fabric of servers, switches and links."""

    @property
    def servers(self) -> int:
        """Number of servers."""

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """Number of equal next hops at each switch on the way up from one server to another."""

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> LinkNames:
        """Links between the switches of two servers, given the hop taken at each switch on the way up."""

    def link_gbps(self, link: str) -> float:
        """Capacity of a link, Gbit/s."""


@dataclass(frozen=True)
class OneSwitch:
    """Servers on one switch, with a link each way."""

    servers: int
    nic_gbps: float

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """No choice."""
        return ()

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> LinkNames:
        """Nothing lies between."""
        return ()

    def link_gbps(self, link: str) -> float:
        """All links are those of servers."""
        return self.nic_gbps


@dataclass(frozen=True)
class LeafSpine:
    """Racks of servers on leaf switches, each with one link each way to every spine: `r0s1+` up, `r0s1-` down."""

    racks: int
    servers_per_rack: int
    spines: int
    nic_gbps: float
    uplink_gbps: float

    @property
    def servers(self) -> int:
        """Number of servers."""
        return self.racks * self.servers_per_rack

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """A spine, unless both servers are in one rack."""
        return () if source // self.servers_per_rack == target // self.servers_per_rack else (self.spines,)

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> LinkNames:
        """Up to a spine and down."""
        up, down = source // self.servers_per_rack, target // self.servers_per_rack
        return (f"r{up}s{hops[0]}+", f"r{down}s{hops[0]}-") if up != down else ()

    def link_gbps(self, link: str) -> float:
        """Of a server, or of an uplink."""
        return self.nic_gbps if link.startswith("h") else self.uplink_gbps


@dataclass(frozen=True)
class FatTree:
    """Fat tree of degree k (Al-Fares, Loukissas, Vahdat 2008).

    k pods have k/2 edge and k/2 aggregation switches each, and an edge switch has k/2 servers. `e3a1+` leads from edge
    switch 3, counted over all pods, to aggregation switch 1 of its pod; `p0a1c0+` from that of pod 0 to its core 0.
    """

    k: int
    nic_gbps: float
    uplink_gbps: float

    @property
    def servers(self) -> int:
        """Number of servers."""
        return self.k**3 // 4

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """An aggregation switch between edge switches, and a core switch between pods."""
        half = self.k // 2
        up, down = source // half, target // half
        return () if up == down else (half,) if up // half == down // half else (half, half)

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> LinkNames:
        """Up to an aggregation or a core switch and down."""
        half = self.k // 2
        up, down = source // half, target // half
        if up == down:
            return ()
        core: LinkNames = ()
        if len(hops) > 1:
            core = (f"p{up // half}a{hops[0]}c{hops[1]}+", f"p{down // half}a{hops[0]}c{hops[1]}-")
        return (f"e{up}a{hops[0]}+", *core, f"e{down}a{hops[0]}-")

    def link_gbps(self, link: str) -> float:
        """Of a server, or of an uplink."""
        return self.nic_gbps if link.startswith("h") else self.uplink_gbps


@dataclass(frozen=True)
class SwitchTree:
    """Servers below layers of switches, each switch with one link each way to the one above: `ASW/r0+` and `ASW/r0-`.

    Attributes:
        switches: switches above each server, the nearest first; the last ones meet in one layer without uplinks.
        layers: names of the layers, the nearest first.
        nic_gbps: capacity of a server's links.
        uplinks_gbps: capacity of the uplink of a switch, by layer; the last layer has none.
    """

    switches: tuple[LinkNames, ...]
    layers: LinkNames
    nic_gbps: float
    uplinks_gbps: tuple[float, ...]
    above: ClassVar[str] = "/"

    @property
    def servers(self) -> int:
        """Number of servers."""
        return len(self.switches)

    def choices(self, source: int, target: int) -> tuple[int, ...]:
        """No choice."""
        return ()

    def between(self, source: int, target: int, hops: tuple[int, ...]) -> LinkNames:
        """Up to the first switch that is above both servers, and down."""
        up: list[str] = []
        down: list[str] = []
        for layer, one, other in zip(self.layers, self.switches[source], self.switches[target], strict=True):
            if one == other:
                break
            up.append(f"{layer}{self.above}{one}+")
            down.append(f"{layer}{self.above}{other}-")
        return (*up, *reversed(down))

    def link_gbps(self, link: str) -> float:
        """Of a server, or of the uplink of a switch."""
        layer, _, switch = link.partition(self.above)
        return self.uplinks_gbps[self.layers.index(layer)] if switch else self.nic_gbps


def rack_tree(racks: int, servers_per_rack: int, nic_gbps: float, uplink_gbps: float) -> SwitchTree:
    """Racks with one uplink each below one switch: a link each way per rack, `rack/0+` and `rack/0-`."""
    rows = tuple((str(server // servers_per_rack), "") for server in range(racks * servers_per_rack))
    return SwitchTree(rows, ("rack", "core"), nic_gbps, (uplink_gbps,))
