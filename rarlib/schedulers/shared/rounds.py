"""When the next round is due: at multiples of a period, or a period after the last one; and what jobs do in it."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InfeasibleError
from rarlib.model.jobs import Job
from rarlib.model.offers import needed
from rarlib.model.scheduler import View


class Rounds:
    """Rounds at multiples of a period, whether or not there are jobs."""

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self._next = 0.0

    def due(self, now_s: float) -> bool:
        """Whether a round begins now, or has become due since the last one without a pass."""
        if now_s < self._next - 1e-9 * self.period_s:
            return False
        self._next = self.next(now_s)
        return True

    def pass_over(self, now_s: float) -> None:
        """Skip all rounds before now, in which there were no jobs."""
        self._next = max(self._next, math.ceil(now_s / self.period_s - 1e-9) * self.period_s)

    def next(self, now_s: float) -> float:
        """Beginning of the next round after now."""
        return (math.floor(now_s / self.period_s + 1e-9) + 1) * self.period_s


class SpacedRounds:
    """Rounds at least a period apart, beginning with the first pass; the next one is due at `next_s`."""

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.next_s = -math.inf

    def due(self, now_s: float) -> bool:
        """Whether a round begins now; if so, the next one is due a period later."""
        if now_s < self.next_s - 1e-6 * self.period_s:
            return False
        self.next_s = now_s + self.period_s
        return True

    def restart(self) -> None:
        """Make the next pass a round."""
        self.next_s = -math.inf


def requested_rates(view: View, jobs: Sequence[Job], name: str) -> NDArray[np.float64]:
    """Iterations per second by GPU type, 0 where the type has too few GPUs, shape (jobs, types).

    These are true speeds: Gavel's policies know the speed of a job on every type.

    Raises:
        InfeasibleError: for a job that fits on no type.
        InputError: if the cost model does not offer speeds as requested; names the scheduler (`name`).
    """
    rate = needed(view.offers.requested, name, "requested").rates(np.array([job.row for job in jobs]))
    stuck = np.flatnonzero(~(rate > 0.0).any(axis=1))
    if len(stuck):
        job = jobs[int(stuck[0])]
        raise InfeasibleError(f"job {job.job_id} asks for {job.gpus} GPUs, more than any type has", field="gpus")
    return rate


def iterations(view: View, jobs: Sequence[Job], name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Iterations left and in all, above 0, with the GPUs and the batch requested, each of shape (jobs,)."""
    rows = np.array([job.row for job in jobs])
    return needed(view.offers.requested, name, "requested").iterations(rows, view.work_done(rows))
