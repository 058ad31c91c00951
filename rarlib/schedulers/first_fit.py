"""First fit (FF), a baseline of SJF-BCO: the first GPUs, in server order, whose level stays within the limit.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7, after Stavrinides and Karatza 2011.
"""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.planner import SearchingPlanner, choice
from rarlib.schedulers.shared.planning.search import BatchSchedule, least_feasible


@dataclass
class FirstFit(SearchingPlanner):
    """First fit under the smallest limit that lets every gang find GPUs.

    The paper mentions a limit "returned by" each policy but does not say how it is found.

    Attributes:
        limit: `finish` (the clock of a GPU) or `busy` (its accumulated estimated time).
    """

    name: ClassVar[str] = "first-fit"
    label: ClassVar[str] = "FF"
    paper: ClassVar[str] = "sjf-bco"

    limit: str = "finish"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.limit, LEVELS, "limit")

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Bisect for the least feasible limit."""
        search = self.search(view, batch, horizon, LEVELS[self.limit], BUSY, "first")
        everyone = int(batch.gang.max())
        return least_feasible(lambda theta: search.improve(theta, everyone, float("inf")), horizon)
