"""Reserved bandwidth as a cost model: nothing slows a job down (GADGET, see `rarlib.model.tree_network`)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices


@dataclass(frozen=True)
class ReservedCost:
    """Jobs on reserved bandwidth: what their rings need is theirs alone, so nothing slows them down (section IV).

    A job progresses in proportion to its workers, wherever they are. The simulator refuses a run in which rings reserve
    more of a link than it has; finding places for them is the schedulers' part (`rarlib.allocate.rings`).

    Attributes:
        gbps: b_i, one number or shape (jobs,), Gbit/s each way.
    """

    name: ClassVar[str] = "reserved"
    gbps: Any

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` = recorded duration on the requested gang, seconds."""
        gbps = np.array(np.broadcast_to(np.asarray(self.gbps, dtype=np.float64), (len(jobs),)))
        return TraceCost().price(jobs, cluster)._replace(gbps=gbps)
