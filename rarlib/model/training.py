"""Jobs whose iteration time changes while they run: with batch, GPU type, epoch or parameter servers.

Under such a cost model, a row of the price table is valid only for one phase of a job's work. A training writes the
next row whenever a job starts or reaches the end of a phase (`Prices.until`). It knows both the true speeds and what
jobs have learned of them; schedulers see only the latter, through `offers`.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement
from rarlib.model.offers import Offers


class Training(Protocol):
    """What the simulator needs of a training, which holds the run's own copy of the price table and writes its rows."""

    @property
    def offers(self) -> Offers:
        """The questions that schedulers may ask."""

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        """Write the row of a job that is about to start on `placement` with `done` of its work already done.

        Raises:
            ValueError: if placement or variant is not allowed; states the rule that is broken.
        """

    def renew(self, job: int, done: float) -> bool:
        """Write the next row of a running job that has reached the end of a phase.

        Returns:
            Whether the scheduler should be called at once (with rounds: at the next round).
        """

    def progressed(self, jobs: NDArray[np.int64]) -> None:
        """Learn from running jobs that have made progress in their current placement; called before each pass.

        Their rows may be rewritten; a changed row is valid from now on.
        """
