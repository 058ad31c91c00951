"""The contract's side of every planner: plan when new jobs wait, otherwise release what is planned."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from rarlib.model.decisions import Decision
from rarlib.model.errors import InfeasibleError, InputError
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View
from rarlib.schedulers.planning.batch import Batch
from rarlib.schedulers.planning.prepare import in_order, prepare
from rarlib.schedulers.planning.release import Release
from rarlib.schedulers.planning.search import Plan


def choice(value: str, known: Iterable[str], field: str) -> str:
    """`value`, if it is one of the known ones.

    Raises:
        InputError: otherwise.
    """
    if value not in known:
        raise InputError(f"unknown value {value!r}; known: {', '.join(known)}", field=field)
    return value


class Planner:
    """Base of all planners. A subclass says in which order and how a batch is planned.

    Jobs that arrive later are planned together with all that still wait, on top of the jobs that run.

    Attributes:
        last_plan: the plan being released, None before the first.
    """

    name: ClassVar[str] = ""
    order = "gang"
    horizon: float | None = None
    tau_hat: float | None = None
    u: float = 1.0
    keeps_order = False
    last_plan: Plan | None = None
    _release: Release | None = None
    _arrivals_left = -1

    def plan(self, view: View, batch: Batch, horizon: float) -> Plan | None:
        """A plan of the batch within the horizon (latest finish), or None."""
        raise NotImplementedError

    def decide(self, view: View) -> Iterable[Decision]:
        """Start what the plan starts now.

        Raises:
            InfeasibleError: when new jobs wait and no plan ends within the horizon.
        """
        running = [r.job.row for r in view.running]
        if view.arrivals_left != self._arrivals_left:
            self._arrivals_left = view.arrivals_left
            self._plan_again(view, view.waiting)
        return self._release.starts(running) if self._release else ()

    def _plan_again(self, view: View, waiting: Any) -> None:
        held = self._release.held() if self._release else {}
        jobs: list[Job] = in_order(waiting, self.order)
        batch, ample = prepare(view, jobs, held, self.tau_hat, self.u)
        latest = view.now_s + ample if self.horizon is None else self.horizon
        self.last_plan = self.plan(view, batch, latest)
        if self.last_plan is None:
            raise InfeasibleError(
                f"{self.name} found no schedule of {len(jobs)} jobs that ends by {latest:g}", field="horizon"
            )
        server = np.repeat(np.arange(view.cluster.nodes), view.cluster.gpus)
        self._release = Release(self.last_plan, server, keeps_order=self.keeps_order)
