"""The trace model: a job runs for its recorded duration, wherever it is placed."""

from dataclasses import dataclass
from typing import ClassVar

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
