"""First fit (FF), a baseline of SJF-BCO: the first GPUs, server by server, whose level stays within the limit.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7, after Stavrinides and Karatza 2011.
"""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.board import BUSY, LEVELS
from rarlib.schedulers.shared.planning.planner import Planner, choice
from rarlib.schedulers.shared.planning.search import Method, Plan, Search, least_feasible


@dataclass
class FirstFit(Planner):
    """First fit under the smallest limit that lets every gang find GPUs.

    The paper speaks of a limit "returned by" each policy without saying how it is found.

    Attributes:
        order: `gang` (ascending size) or `submission`.
        limit: `finish` (the clock of a GPU) or `busy` (its accumulated estimated time).
        availability: `queue` on busy GPUs, or `idle` GPUs only.
        horizon: latest finish allowed; None: as late as it takes.
        tau_hat: estimated iteration time of every job; None: each job's upper bound.
        u: bound on estimated over true execution time.
        replan: `arrivals` or `events` (see `Planner`).
    """

    name: ClassVar[str] = "first-fit"
    label: ClassVar[str] = "FF"
    paper: ClassVar[str] = "sjf-bco"

    order: str = "gang"
    limit: str = "finish"
    availability: str = "queue"
    horizon: float | None = None
    tau_hat: float | None = None
    u: float = 1.0
    replan: str = "arrivals"

    def __post_init__(self) -> None:
        choice(self.limit, LEVELS, "limit")
        choice(self.availability, ("idle", "queue"), "availability")
        self.keeps_order = self.availability == "idle"

    def plan(self, view: View, batch: Batch, horizon: float) -> Plan | None:
        """Bisect for the least feasible limit."""
        idle = self.availability == "idle"
        method = Method(idle, LEVELS[self.limit], BUSY, "first", 1.0, horizon, view.now_s)
        search = Search(batch, view.cluster, method)
        everyone = int(batch.gang.max())
        return least_feasible(lambda theta: search.improve(theta, everyone, float("inf")), horizon)
