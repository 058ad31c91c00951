"""List scheduling (LS), a baseline of SJF-BCO: every gang gets the GPUs with the lowest level.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7, after Stavrinides and Karatza 2011.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from rarlib.model.scheduler import View
from rarlib.model.settings import OneOf
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import LEVELS
from rarlib.schedulers.shared.planning.planner import SearchingPlanner
from rarlib.schedulers.shared.planning.search import BatchSchedule


@dataclass
class ListScheduling(SearchingPlanner):
    """List scheduling without a search, since the limit has no effect.

    A limit only excludes GPUs of high level, while this rule takes those of the lowest level. Every limit that admits a
    schedule gives the same schedule, so one pass without a limit suffices.

    Attributes:
        rank: `busy` (accumulated estimated time, as printed) or `finish` (the clock, gang idling included).
    """

    name: ClassVar[str] = "list-scheduling"
    label: ClassVar[str] = "LS"
    paper: ClassVar[str] = "sjf-bco"

    rank: Annotated[str, OneOf(*LEVELS)] = "busy"

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """One pass."""
        level = LEVELS[self.rank]
        search = self.search(view, batch, horizon, level, level, "literal")
        return search.improve(np.inf, int(batch.gang.max()), np.inf)
