"""What the queue disciplines have in common: an ordering of jobs combined with a placement of gangs.

The simulator runs a declared `Discipline` compiled. `decide` here says the same in plain Python; tests hold
both to the same schedule.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from rarlib.allocate.placement import Placer
from rarlib.model.decisions import Decision, Start, Stop
from rarlib.model.jobs import Job
from rarlib.model.scheduler import Discipline, View


@dataclass
class Ordered:
    """Base of schedulers that serve jobs in an order and place gangs by a rule.

    Args:
        placement: `any`, `pack`, `spread`, `random`, `consolidate` or `one-type` (see `rarlib.allocate.placement`).
    """

    name: ClassVar[str] = ""
    label: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    order: ClassVar[str] = "submission"
    head_blocks: ClassVar[bool] = False
    preemptive: ClassVar[bool] = False

    placement: str = "any"
    _placer: Placer | None = field(default=None, init=False, repr=False)

    @property
    def discipline(self) -> Discipline:
        """The same scheduler as a declaration."""
        return Discipline(self.order, self.head_blocks, self.preemptive, self.placement, self._levels())

    def _levels(self) -> tuple[float, ...]:
        return ()

    def _key(self, view: View, job: Job) -> float:
        """Order of a job, smaller first; ties go by submission."""
        if self.order == "duration":
            return job.duration_s
        if self.order == "remaining":
            return view.remaining_s(job.row)
        return 0.0

    def decide(self, view: View) -> Iterable[Decision]:
        """Start (and, if preemptive, stop) jobs in order, whatever fits."""
        self._placer = self._placer or Placer(view)
        return list(self._exchange(view, self._placer) if self.preemptive else self._fill(view, self._placer))

    def _fill(self, view: View, placer: Placer) -> Iterable[Decision]:
        free = view.free.copy()
        for job in sorted(view.waiting, key=lambda j: (self._key(view, j), j.row)):
            placement = placer.take(free, job.gpus, self.placement)
            if placement is not None:
                yield Start(job.row, placement)
            elif self.head_blocks:
                return

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
