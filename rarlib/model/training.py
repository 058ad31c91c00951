"""Jobs whose iteration changes while they run: with the batch, the GPU type, the epoch, their parameter servers.

Under such a cost model a row of the price table holds for a phase of a job's work only. A training writes the next
row whenever a job starts or has come to the end of a phase (`Prices.until`). The truth and what jobs have learned of
themselves are both its business; a scheduler is told of the latter, through `offers`.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement
from rarlib.model.offers import Offers


class Training(Protocol):
    """What the simulator asks for. It is made with the run's own copy of the price table, and writes rows of it."""

    @property
    def offers(self) -> Offers:
        """What schedulers may ask."""

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        """Write the row of a job that is about to start there, `done` of its work being done.

        Raises:
            ValueError: with the rule that placement or variant breaks.
        """

    def renew(self, job: int, done: float) -> bool:
        """Write the next row of a running job, which has come to the end of a phase.

        Returns:
            Whether schedulers should be asked at once (at the next round, where there are rounds).
        """

    def progressed(self, jobs: NDArray[np.int64]) -> None:
        """Learn from what was observed: these running jobs have made progress where they are (before each pass).

        Their rows may be written anew; those that have changed hold from now on.
        """
