"""The trace model and reserved bandwidth: a job runs for its recorded duration, wherever it is placed."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rarlib.cost.table import linear_speedup, price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices


@dataclass(frozen=True)
class TraceCost:
    """Recorded durations, no communication cost, no contention, all GPUs equally fast.

    An iteration is one second of the recorded duration. An elastic job on g GPUs progresses g / (requested gang) as
    fast.
    """

    name: ClassVar[str] = "trace"

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` = recorded duration in seconds."""
        curve, speedup = linear_speedup(jobs, cluster)
        return price_table(jobs, cluster, work=jobs.duration_s, shared=True, curve=curve, speedup=speedup)


@dataclass(frozen=True)
class ReservedCost:
    """Jobs on reserved bandwidth: what their rings need is theirs alone, so nothing slows them down (section IV).

    A job progresses in proportion to its workers, wherever they are. The simulator refuses a run in which rings reserve
    more of a link than it has; finding places for them is the schedulers' part (`rarlib.allocate.rings`).
    """

    name: ClassVar[str] = "reserved"
    gbps: Any  # b_i, one number or shape (jobs,), Gbit/s each way

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` = recorded duration on the requested gang, seconds."""
        gbps = np.array(np.broadcast_to(np.asarray(self.gbps, dtype=np.float64), (len(jobs),)))
        return TraceCost().price(jobs, cluster)._replace(gbps=gbps)
