"""Ring all-reduce with contention and per-server overhead, for three kinds of knowledge of the constants.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, eq. 6-8.

| paper | here | unit |
|---|---|---|
| m_j | `gradient` | data |
| M_j | `batch` | samples |
| Df_j, Db_j | `forward_s`, `backward_s` | s per sample, s |
| b^e, b^i | `between`, `within` | data per s |
| C | `reduce` | data per s |
| xi1, xi2 | `xi`, `overhead_s` | 1, s per server |
| F_j | `iterations` | iterations |
| w_j | `jobs.gpus` | workers |

The paper gives none of these constants. `PhysicalRingCost` is eq. 8 as printed, where they are known; `RingCost`
normalises it for traces, which record only how long a job ran; `SlottedRingCost` takes the range of iteration times
that section 7 of the paper states.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.contention import Degradation, linear, sharing_factors
from rarlib.cost.table import linear_speedup, price_table
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, require_numbers
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices


def _most_sharers(cluster: Cluster) -> int:
    """A server with O_s GPUs holds workers of at most O_s jobs (section 5)."""
    return int(cluster.gpus.max())


@dataclass(frozen=True)
class RingCost:
    """Eq. 6-8 relative to a recorded duration, which is taken to be that of the job alone on one server.

    One iteration is a second of that duration. A gang that spans S servers, with p jobs on the busiest of them, takes
    1 + share/(1 - share) f(alpha, max(1, xi p)) + overhead S seconds for it.

    Attributes:
        alpha: loss per further job on a link.
        xi: share of a server's spanning jobs that contend (xi1).
        share: part of an iteration, without overhead, that an uncontended spanning gang communicates, in [0, 1).
        overhead: added per server of a spanning gang, as a fraction of the iteration on one server (xi2 / tau).
        gbps: link capacity at which `share` holds; slower links of the cluster, and rack uplinks of gangs that span
            racks, lengthen communication in proportion.
        degradation: f(alpha, k).

    By default a gang on two servers that meets one other job there takes 13 % longer than on one server: the paper
    bounds contention and overhead by 15 %.
    """

    name: ClassVar[str] = "ring"
    alpha: float = 0.3
    xi: float = 1.0
    share: float = 0.05
    overhead: float = 0.005
    gbps: float = 10.0
    degradation: Degradation = linear

    def __post_init__(self) -> None:
        if not 0.0 <= self.share < 1.0:
            raise InputError(f"must be at least 0 and below 1, found {self.share}", field="share")
        require_numbers(self, "overhead", zero=True)
        require_numbers(self, "gbps")
        sharing_factors(64, self.alpha, self.xi, self.degradation)

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` = recorded duration in seconds."""
        curve, speedup = linear_speedup(jobs, cluster)
        return price_table(
            jobs,
            cluster,
            work=jobs.duration_s,
            link_s=self.share / (1.0 - self.share),
            server_s=self.overhead,
            sharing=sharing_factors(_most_sharers(cluster), self.alpha, self.xi, self.degradation),
            node_speed=cluster.speed,
            node_link=np.full(cluster.nodes, self.gbps / cluster.node_gbps),
            rack_link=self.gbps / cluster.rack_gbps,
            curve=curve,
            speedup=speedup,
        )


@dataclass(frozen=True)
class PhysicalRingCost:
    """Eq. 8 as printed. Arrays have shape (jobs,); scalars stand for every job.

    tau = (m/w) 2(w-1)/B + (m/w)(w-1)/C + xi2 (servers) + Df M + Db, with B = b^i on one server and b^e / f(alpha, k)
    otherwise. On one server the overhead of that one server is charged, too.
    """

    name: ClassVar[str] = "ring-physical"
    iterations: NDArray[np.float64]
    gradient: NDArray[np.float64] | float
    batch: NDArray[np.float64] | float
    forward_s: NDArray[np.float64] | float
    backward_s: NDArray[np.float64] | float
    between: float
    within: float
    reduce: float
    overhead_s: float = 0.0
    alpha: float = 0.3
    xi: float = 1.0
    slot_s: float = 0.0
    degradation: Degradation = linear

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table in the units of the arguments."""
        step = np.asarray(self.gradient) / jobs.gpus * (jobs.gpus - 1)  # (m/w)(w-1): data each worker sends per phase
        return price_table(
            jobs,
            cluster,
            work=self.iterations,
            base_s=step / self.reduce + np.asarray(self.forward_s) * self.batch + self.backward_s,
            local_s=2.0 * step / self.within + self.overhead_s,
            link_s=2.0 * step / self.between,
            server_s=self.overhead_s,
            sharing=sharing_factors(_most_sharers(cluster), self.alpha, self.xi, self.degradation),
            slot_s=self.slot_s,
        )


@dataclass(frozen=True)
class SlottedRingCost:
    """The evaluation's model: iteration times in slots, contention and overhead as fractions of them.

    tau = min(cap, tau0 (1 + extra (f(alpha, k) + servers))) for a spanning gang, tau0 on one server; only whole
    iterations per slot count.
    """

    name: ClassVar[str] = "ring-slotted"
    iterations: NDArray[np.float64]  # F_j, shape (jobs,)
    tau0: NDArray[np.float64]  # iteration time alone on one server, slots, shape (jobs,)
    extra: float  # weight of contention and of each server
    cap: NDArray[np.float64] | float  # upper limit of tau, slots, a number or shape (jobs,)
    alpha: float = 0.0  # loss per further job on a link
    xi: float = 1.0  # share of a server's spanning jobs that contend

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with a slot as the unit of time."""
        return price_table(
            jobs,
            cluster,
            work=self.iterations,
            base_s=self.tau0,
            link_s=self.extra * self.tau0,
            server_s=self.extra * self.tau0,
            cap_s=self.cap,
            sharing=sharing_factors(_most_sharers(cluster), self.alpha, self.xi),
            slot_s=1.0,
        )
