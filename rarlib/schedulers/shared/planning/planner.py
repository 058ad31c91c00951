"""What all planners share: they plan again after certain events, and release the plan otherwise.

Arrivals are such events, and so is being asked for the first time, when jobs may run already. If plans cannot be exact
(lengths are predictions, or iteration times change while a job runs), `replan` adds deviations from the plan: a job
ends at another time than planned, or is still running after its planned end when another job ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from rarlib.allocate.present import numbered_gpus
from rarlib.model.decisions import Decision
from rarlib.model.errors import InfeasibleError
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View
from rarlib.model.settings import ABOVE_0, LENGTH_S, TIME_STEP, OneOf, check_settings
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.prepare import planning_order, prepare
from rarlib.schedulers.shared.planning.release import Release
from rarlib.schedulers.shared.planning.search import BatchSchedule, Method, Search

_ROUNDING = 1e-9
"""A finish that is later than the horizon by this fraction, the error of sums of many times, is still within it."""

SLACK_S = 1.0
"""Ends that differ from the plan by less than this count as planned."""


class Planner:
    """Base of all planners. A subclass defines in which order and how a batch is planned.

    Jobs that arrive later are planned together with all jobs that still wait; running jobs keep their GPUs.

    Attributes:
        replan: when to plan again: on `arrivals`, or on `events`, which are arrivals and ends that deviate from the
            plan.
        step_s: horizons and limits on levels are whole multiples of this.
        last_plan: the plan that is being released, None before the first one.
    """

    name: ClassVar[str] = ""
    order = "gang"
    horizon: float | None = None
    tau_hat: float | None = None
    u: float = 1.0
    step_s: float = 1.0
    replan: str = "arrivals"
    keeps_order = False
    last_plan: BatchSchedule | None = None
    _release: Release | None = None
    _arrivals_left = -1

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """A plan of the batch within the horizon (latest finish), or None."""
        raise NotImplementedError

    def decide(self, view: View) -> Iterable[Decision]:
        """Start the jobs that the plan starts now.

        Raises:
            InfeasibleError: when new jobs wait and no plan ends within the horizon.
        """
        running = view.running_rows.tolist()
        late = self.replan == "events" and self._departs(view, running)
        if (late or view.arrivals_left != self._arrivals_left) and len(view.waiting_rows):
            self._arrivals_left = view.arrivals_left
            self._plan_again(view, view.waiting)
        return self._release.starts(running) if self._release else ()

    def _departs(self, view: View, running: Sequence[int]) -> bool:
        """Whether jobs wait and some job has ended at another time than planned, or should have ended by now."""
        if self.last_plan is None or self._release is None or not len(view.waiting_rows):
            return False
        batch, held, runs = self.last_plan.batch, self._release.held(), set(running)
        gone = wrong = False
        for row, finish in zip(batch.row.tolist(), batch.finish.tolist(), strict=True):
            if row in held:
                ended = row not in runs
                gone = gone or ended
                wrong = wrong or (abs(finish - view.now_s) > SLACK_S if ended else finish < view.now_s - SLACK_S)
        return gone and wrong

    def _plan_again(self, view: View, waiting: Any) -> None:
        held = self._release.held() if self._release else numbered_gpus(view)
        jobs: list[Job] = planning_order(waiting, self.order)
        batch, ample = prepare(view, jobs, held, self.tau_hat, self.u, self.step_s)
        latest = view.now_s + ample if self.horizon is None else self.horizon
        self.last_plan = self.plan(view, batch, latest * (1.0 + _ROUNDING))
        if self.last_plan is None:
            raise InfeasibleError(
                f"{self.name} found no schedule of {len(jobs)} jobs that ends by {latest:g}", field="horizon"
            )
        server = np.repeat(np.arange(view.cluster.nodes), view.cluster.gpus)
        self._release = Release(self.last_plan, server, keeps_order=self.keeps_order)


@dataclass(kw_only=True)
class SearchingPlanner(Planner):
    """Base of planners that search for a limit, with their common parameters.

    Attributes:
        order: `gang` (ascending size) or `submission`.
        availability: `idle` GPUs only, or `queue` on busy ones.
        horizon: T, latest finish allowed; None: no limit.
        tau_hat: estimated iteration time of every job; None: each job's upper bound tau^u.
        u: bound on estimated over true execution time.
        step_s: limits on the level of a GPU are whole multiples of this: a second, or a slot in slotted time.
        replan: `arrivals` or `events` (see `Planner`).
    """

    order: Annotated[str, OneOf("gang", "submission")] = "gang"
    availability: Annotated[str, OneOf("idle", "queue")] = "queue"
    horizon: Annotated[float, LENGTH_S] | None = None
    tau_hat: Annotated[float, LENGTH_S] | None = None
    u: Annotated[float, ABOVE_0] = 1.0
    step_s: Annotated[float, TIME_STEP] = 1.0
    replan: Annotated[str, OneOf("arrivals", "events")] = "arrivals"

    def __post_init__(self) -> None:
        check_settings(self)
        self.keeps_order = self.availability == "idle"

    def search(
        self, view: View, batch: Batch, horizon: float, limit: int, rank: int, small_rule: str, widening: float = 1.0
    ) -> Search:
        """Set up passes over a batch, beginning now; for the other arguments see `Method`."""
        idle = self.availability == "idle"
        method = Method(idle, limit, rank, small_rule, widening, horizon, view.now_s, self.step_s)
        return Search(batch, view.cluster, method)
