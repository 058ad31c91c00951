"""First fit (FF), a baseline of SJF-BCO: the first GPUs, in server order, whose level stays within the limit.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7, after Stavrinides and Karatza 2011.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from rarlib.model.scheduler import View
from rarlib.model.settings import OneOf
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.planner import SearchingPlanner
from rarlib.schedulers.shared.planning.search import BatchSchedule, bisect, least_conceivable, least_feasible


@dataclass
class FirstFit(SearchingPlanner):
    """First fit under the smallest limit that lets every gang find GPUs.

    The paper mentions a limit "returned by" each policy but does not say how it is found. In slotted time limits are
    whole slots and the smallest that serves is taken, since a larger limit may fail where a smaller one serves. In
    continuous time the limit is found by bisection, and a smaller one may exist.

    Attributes:
        limit: `finish` (the clock of a GPU) or `busy` (its accumulated estimated time).
        search_by: `scan` or `bisect`; None: `scan` in slotted time, else `bisect`.
    """

    name: ClassVar[str] = "first-fit"
    label: ClassVar[str] = "FF"
    paper: ClassVar[str] = "sjf-bco"

    limit: Annotated[str, OneOf(*LEVELS)] = "finish"
    search_by: Annotated[str, OneOf("scan", "bisect")] | None = None

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Search for the least feasible limit."""
        level, everyone = LEVELS[self.limit], int(batch.gang.max())
        search = self.search(view, batch, horizon, level, BUSY, "first")
        if (self.search_by or ("scan" if batch.prices.slot_s > 0.0 else "bisect")) == "bisect":
            return bisect(lambda theta, _: search.improve(theta, everyone, float("inf")), horizon / self.step_s)
        first = 1 if batch.running[0] else least_conceivable(batch, view.cluster.total_gpus, level, self.step_s)
        return least_feasible(search, everyone, first, horizon / self.step_s)
