"""Reserved bandwidth: a tree network, and the load that ring all-reduce jobs put on it.

Source: Yu, Tian, Ji, Wu, Rajan, Liu, "GADGET: Online Resource Optimization for Scheduling Ring-All-Reduce Learning
Jobs", INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section IV; its time of an
iteration (section III, eq. 1) is that of `rarlib.cost.ring.PhysicalRingCost` on one server, gamma being the overhead.

| paper | here | unit |
|---|---|---|
| C_s^r | `TreeNetwork.capacity` | units of resource r |
| B_min^p | the links on the path: `link_gbps`, `rack_gbps` | Gbit/s each way |
| b_i | `bandwidth` | Gbit/s |
| l_i^r | `demand` | units of resource r per worker |
| y_is | `workers` | workers |

The paper's network is a directed graph with paths. Here it is the tree of its evaluation: a core, racks, servers,
full duplex. A ring that visits its servers one after the other, and the servers of a rack in a row, sends b_i up and
b_i down the link of each of its servers, and up and down the uplink of each of its racks; nothing on one server,
nothing above a single rack. No ring over the same servers needs less, since each of them has at least one flow out and
one flow in (eq. 9: degree two). So the load of a job depends on its workers per server alone.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


class Loads(NamedTuple):
    """Load of allocations on a network.

    Attributes:
        node: load of each server's resources, shape (servers, resources).
        link: load of each server's link, each way, Gbit/s, shape (servers,).
        uplink: load of each rack's uplink, each way, Gbit/s, shape (racks,).
    """

    node: NDArray[np.float64]
    link: NDArray[np.float64]
    uplink: NDArray[np.float64]


@dataclass(frozen=True)
class TreeNetwork:
    """A two-level tree: a core, racks below it, servers below them; links are full duplex.

    Build it with `TreeNetwork.build` or `TreeNetwork.of`, which check their arguments.

    Attributes:
        capacity: capacity of each server, GPUs first, shape (servers, resources).
        link_gbps: each server's link, each way, shape (servers,).
        rack: rack of each server, shape (servers,).
        rack_gbps: each rack's uplink, each way, shape (racks,).
    """

    capacity: NDArray[np.float64]
    link_gbps: NDArray[np.float64]
    rack: NDArray[np.int64]
    rack_gbps: NDArray[np.float64]

    @classmethod
    def build(cls, capacity: Any, link_gbps: Any, rack: Any, rack_gbps: Any) -> "TreeNetwork":
        """Check and store; one-dimensional `capacity` means GPUs only, scalars stand for every server or rack.

        Raises:
            InputError: for a capacity below 0, a rack that does not exist, or a link without capacity: what lies below
                it would be cut off.
        """
        space = np.atleast_1d(np.asarray(capacity, dtype=np.float64))
        space = space[:, None] if space.ndim == 1 else space
        racks = np.asarray(rack, dtype=np.int64)
        up = np.atleast_1d(np.asarray(rack_gbps, dtype=np.float64))
        link = np.array(np.broadcast_to(np.asarray(link_gbps, dtype=np.float64), (len(space),)))
        valid = np.all(np.isfinite(space) & (space >= 0), axis=1)
        _require(valid, "must be a number of at least 0", "capacity", "server")
        if racks.shape != (len(space),):
            raise InputError(f"needs one rack for each of {len(space)} servers, found {racks.shape}", field="rack")
        _require((racks >= 0) & (racks < len(up)), f"there are racks 0 to {len(up) - 1} only", "rack", "server")
        _require(link > 0, "the topology is disconnected: a link needs a capacity above 0", "link_gbps", "server")
        _require(up > 0, "the topology is disconnected: an uplink needs a capacity above 0", "rack_gbps", "rack")
        return cls(space, link, racks, up)

    @classmethod
    def of(cls, cluster: Cluster) -> "TreeNetwork":
        """The tree of a cluster; GPUs are the only resource."""
        return cls.build(cluster.gpus, cluster.node_gbps, cluster.rack, cluster.rack_gbps)

    def part(self, servers: NDArray[np.int64]) -> "TreeNetwork":
        """The same tree with these servers only."""
        return replace(
            self, capacity=self.capacity[servers], link_gbps=self.link_gbps[servers], rack=self.rack[servers]
        )

    @property
    def servers(self) -> int:
        """Number of servers."""
        return len(self.capacity)

    @property
    def racks(self) -> int:
        """Number of racks."""
        return len(self.rack_gbps)

    def loads(self, workers: NDArray[np.int64], demand: NDArray[np.float64], bandwidth: NDArray[np.float64]) -> Loads:
        """Load of allocations that hold at the same time.

        Args:
            workers: workers of each job on each server, shape (jobs, servers).
            demand: demand of one worker, shape (jobs, resources).
            bandwidth: bandwidth reserved by each job, shape (jobs,).
        """
        used = workers > 0
        by_rack = np.zeros((len(workers), self.racks), dtype=bool)
        for r in range(self.racks):
            by_rack[:, r] = used[:, self.rack == r].any(axis=1)
        spans = used.sum(axis=1) > 1
        crosses = by_rack.sum(axis=1) > 1
        return Loads(
            node=workers.T.astype(np.float64) @ demand,
            link=(bandwidth * spans) @ used,
            uplink=(bandwidth * crosses) @ by_rack,
        )


def _require(ok: NDArray[np.bool_], rule: str, field: str, what: str) -> None:
    if not ok.all():
        raise InputError(rule, field=f"{field} of {what} {int(np.argmin(ok))}")
