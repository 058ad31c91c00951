"""List scheduling (LS), a baseline of SJF-BCO: every gang gets the GPUs with the least level.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7, after Stavrinides and Karatza 2011.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.board import LEVELS
from rarlib.schedulers.shared.planning.planner import Planner, choice
from rarlib.schedulers.shared.planning.search import Method, Plan, Search


@dataclass
class ListScheduling(Planner):
    """List scheduling without a search: its limit changes nothing.

    A limit only removes GPUs of high level from those a gang may have, and this rule takes those of the lowest. Under
    any limit that admits a schedule it is the same schedule, so one pass without a limit is all there is.

    Attributes:
        rank: `busy` (accumulated estimated time, as printed) or `finish` (the clock, gang idling included).
        order: `gang` (ascending size) or `submission`.
        availability: `queue` on busy GPUs, or `idle` GPUs only.
        horizon: latest finish allowed; None: as late as it takes.
        tau_hat: estimated iteration time of every job; None: each job's upper bound.
        u: bound on estimated over true execution time.
        replan: `arrivals` or `events` (see `Planner`).
    """

    name: ClassVar[str] = "list-scheduling"
    label: ClassVar[str] = "LS"
    paper: ClassVar[str] = "sjf-bco"

    rank: str = "busy"
    order: str = "gang"
    availability: str = "queue"
    horizon: float | None = None
    tau_hat: float | None = None
    u: float = 1.0
    replan: str = "arrivals"

    def __post_init__(self) -> None:
        choice(self.rank, LEVELS, "rank")
        choice(self.availability, ("idle", "queue"), "availability")
        self.keeps_order = self.availability == "idle"

    def plan(self, view: View, batch: Batch, horizon: float) -> Plan | None:
        """One pass."""
        level = LEVELS[self.rank]
        method = Method(self.availability == "idle", level, level, "literal", 1.0, horizon, view.now_s)
        search = Search(batch, view.cluster, method)
        return search.improve(np.inf, int(batch.gang.max()), np.inf)
