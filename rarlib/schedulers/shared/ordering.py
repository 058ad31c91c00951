"""What the queue disciplines have in common: an ordering of jobs combined with a placement of gangs.

The simulator runs a declared `Discipline` compiled. `decide` implements the same in plain Python; tests check that both
give the same schedule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import RULES, Placer
from rarlib.allocate.present import held_gpus, reserved_gbps, rows_in_system
from rarlib.allocate.rings import RESERVED, Residual
from rarlib.cost.reserved import TreeNetwork
from rarlib.model.decisions import Allocation, Decision, Start, Stop
from rarlib.model.jobs import Job
from rarlib.model.scheduler import Discipline, View
from rarlib.model.settings import OneOf, check_settings


@dataclass
class Ordered:
    """Base of schedulers that serve jobs in an order and place gangs by a rule.

    Args:
        placement: `any`, `pack`, `spread`, `random`, `consolidate`, `one-type` or `adjacent` (see
            `rarlib.allocate.placement`); or `reserved`, under a cost model that reserves bandwidth (see
            `rarlib.allocate.rings`): a preemptive order then places all jobs anew at every pass, since only placing the
            rings shows which jobs fit.
    """

    name: ClassVar[str] = ""
    label: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    order: ClassVar[str] = "submission"
    head_blocks: ClassVar[bool] = False
    preemptive: ClassVar[bool] = False

    placement: Annotated[str, OneOf(*RULES, RESERVED)] = "any"
    _placer: Placer | None = field(default=None, init=False, repr=False)
    _network: TreeNetwork | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def discipline(self) -> Discipline | None:
        """The same scheduler as a discipline; None if it cannot run compiled."""
        if self.placement == RESERVED:
            return None
        return Discipline(self.order, self.head_blocks, self.preemptive, self.placement, self._levels())

    def _levels(self) -> tuple[float, ...]:
        return ()

    def _key(self, view: View, job: Job) -> float:
        """Sort key of a job, smallest first; ties are broken by submission."""
        if self.order == "duration":
            return job.duration_s
        if self.order == "remaining":
            return view.remaining_s(job.row)
        return 0.0

    def decide(self, view: View) -> Iterable[Decision]:
        """Start (and, if preemptive, stop) jobs in order; jobs that do not fit are passed over."""
        return self._serve(view, preemptive=self.preemptive)

    def _serve(self, view: View, *, preemptive: bool) -> list[Decision]:
        if self.placement == RESERVED:
            return [self._reserve(view, preemptive=preemptive)]
        self._placer = self._placer or Placer(view)
        return list(self._exchange(view, self._placer) if preemptive else self._fill(view, self._placer))

    def _reserve(self, view: View, *, preemptive: bool) -> Allocation:
        """Place whole gangs in order, with bandwidth along their rings."""
        if self._network is None:
            self._network = TreeNetwork.of(view.cluster)
        rows = rows_in_system(view)
        jobs = [view.job(row) for row in rows.tolist()]
        size, gbps = np.array([job.gpus for job in jobs], np.int64), reserved_gbps(view, rows)
        order = np.lexsort((rows, self._keys(view, jobs)))
        left, gpus = Residual(self._network), np.zeros((len(rows), view.cluster.nodes), np.int64)
        if not preemptive:
            gpus = held_gpus(view, rows)
            runs = gpus.sum(axis=1) > 0
            for i in np.flatnonzero(runs):
                left.take(gpus[i], float(gbps[i]))
            order = order[~runs[order]]
        left.whole(order, size, gbps, gpus, head_blocks=self.head_blocks)
        return Allocation(rows, gpus)

    def _keys(self, view: View, jobs: Sequence[Job]) -> NDArray[np.float64]:
        return np.array([self._key(view, job) for job in jobs], np.float64)

    def _fill(self, view: View, placer: Placer) -> Iterable[Decision]:
        free = view.free.copy()
        for job in self._queue(view):
            placement = placer.take(free, job.gpus, self.placement)
            if placement is not None:
                yield Start(job.row, placement)
            elif self.head_blocks:
                return

    def _queue(self, view: View) -> Iterable[Job]:
        """Waiting jobs in order; by submission, no job is looked at before it is asked for."""
        if self.order == "submission":
            return map(view.job, view.waiting_rows.tolist())
        return sorted(view.waiting, key=lambda j: (self._key(view, j), j.row))

    def _exchange(self, view: View, placer: Placer) -> Iterable[Decision]:
        running = {r.job.row: r for r in view.running}
        jobs = [r.job for r in view.running] + list(view.waiting)
        spare, granted = view.cluster.total_gpus, set()
        for job in sorted(jobs, key=lambda j: (self._key(view, j), j.row)):
            if job.gpus <= spare:
                spare -= job.gpus
                granted.add(job.row)
        free = view.free.copy()
        for row, held in running.items():
            if row not in granted:
                yield Stop(row)
                for node, gpus in held.placement:
                    free[node] += gpus
        for job in sorted(view.waiting, key=lambda j: (self._key(view, j), j.row)):
            if job.row in granted:
                placement = placer.take(free, job.gpus, self.placement)
                if placement is not None:
                    yield Start(job.row, placement)
