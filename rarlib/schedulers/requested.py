"""First come first served, or shortest remaining time first, on the GPUs and CPU task slots that users requested."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.tasks import Holdings, grant, requested
from rarlib.model.decisions import Decision
from rarlib.model.scheduler import View
from rarlib.model.settings import OneOf, Within, check_settings


@dataclass
class Requested:
    """The baselines without dynamic allocation in the study of AITurbo's laboratory [LAB].

    `submission` never preempts: running jobs come first, then the others in submission order; jobs that do not fit are
    passed over. `remaining` serves the jobs with the least estimated time left on the requested allocation first (a
    guess for unpredictable jobs) and stops others for them.

    Args:
        order: `submission` or `remaining`.
        at_once: most jobs that may run at a time, 0 for any number; in that study 2 for first come, first served.
    """

    name: ClassVar[str] = "requested"
    label: ClassVar[str] = "As requested"
    paper: ClassVar[str] = ""
    uses_cpu: ClassVar[bool] = True

    order: Annotated[str, OneOf("submission", "remaining")] = "submission"
    at_once: Annotated[int, Within(0, 1_000_000)] = 0
    _held: Holdings | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)

    def decide(self, view: View) -> Iterable[Decision]:
        """Serve jobs in order."""
        if self._held is None:
            self._held = Holdings(view, (0.0, 0.0, 0.0))
        self._held.catch_up(view)
        running = view.running_rows
        jobs = np.concatenate([running, view.waiting_rows])
        tasks = requested(view, jobs)
        keys = self._left_s(view, jobs, tasks) if self.order == "remaining" else np.arange(len(jobs)) >= len(running)
        order, given = np.lexsort((jobs, keys)), np.empty_like(tasks)
        grant(order, tasks[:, None], self._held.capacity.copy(), given)
        wanted = given[order]
        if self.at_once:
            wanted[np.cumsum(wanted.any(axis=1)) > self.at_once] = 0
        yield from self._held.exchange(view, jobs[order], wanted)

    @staticmethod
    def _left_s(view: View, jobs: NDArray[np.int64], tasks: NDArray[np.int64]) -> NDArray[np.float64]:
        known = view.offers.tasks
        if known is None:
            return np.asarray(view.remaining_s(jobs))
        step_s = known.predicted_step_s[jobs, tasks[:, 0], tasks[:, 1], tasks[:, 2]]
        return np.asarray(known.guessed_left(jobs, view.work_done(jobs)) * step_s)
