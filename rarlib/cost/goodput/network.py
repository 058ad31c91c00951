"""What the network does to jobs that were measured alone: contention, overhead per server, slower links.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, eq. 6 to 8. The measured exchange of
gradients stands for the paper's m/w 2(w-1)/b^e of an uncontended ring, everything else of the measured step for its
computing.

| paper | here | unit |
|---|---|---|
| alpha | `alpha` | 1 |
| xi1, xi2 | `xi`, `overhead_s` | 1, s per server |
| f(alpha, k) | `sharing_factors` | 1 |
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.contention import sharing_factors
from rarlib.model.cluster import Cluster
from rarlib.model.errors import require_numbers


@dataclass(frozen=True)
class SpanningNetwork:
    """How an iteration of a gang that spans servers lengthens.

    Attributes:
        alpha: loss per further job on a link.
        xi: share of a server's spanning jobs that contend (xi1).
        overhead_s: added per server of a spanning gang (xi2).
        contended: whether jobs on one server slow each other down at all; if not, f is 1.
        gbps: link capacity at which times were measured; slower links of the cluster, and rack uplinks of gangs that
            span racks, lengthen the exchange in proportion.
    """

    alpha: float = 0.3
    xi: float = 1.0
    overhead_s: float = 0.001
    contended: bool = True
    gbps: float = 10.0

    def __post_init__(self) -> None:
        require_numbers(self, "overhead_s", zero=True)
        require_numbers(self, "gbps")
        sharing_factors(64, self.alpha, self.xi)

    def sharing(self, cluster: Cluster) -> NDArray[np.float64]:
        """Values of f by number of spanning jobs on the busiest server, shape (p_max + 1,)."""
        most = int(cluster.gpus.max())
        return sharing_factors(most, self.alpha, self.xi) if self.contended else np.ones(most + 1)

    def links(self, cluster: Cluster) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Relative transfer times over each node's link, shape (nodes,), and each rack's uplink, shape (racks,)."""
        return np.full(cluster.nodes, self.gbps / cluster.node_gbps), self.gbps / cluster.rack_gbps
