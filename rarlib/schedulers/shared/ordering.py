"""What the queue disciplines have in common: an ordering of jobs combined with a placement of gangs.

The simulator runs a declared `Discipline` compiled. `decide` implements the same in plain Python; tests check that both
give the same schedule.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import RULES, Placer
from rarlib.allocate.present import held_gpus, reserved_gbps, rows_in_system
from rarlib.allocate.rings import RESERVED, Residual
from rarlib.model.decisions import Allocation, Decision, Start, Stop
from rarlib.model.jobs import Job
from rarlib.model.scheduler import Discipline, View
from rarlib.model.settings import OneOf, check_settings
from rarlib.model.tree_network import TreeNetwork


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

    def _keys(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sort keys of jobs, smallest first, shape of `rows`; ties are broken by submission."""
        if self.order == "duration":
            return np.array([view.job(row).duration_s for row in rows.tolist()], np.float64)
        if self.order == "remaining":
            return np.asarray(view.remaining_s(rows))
        return np.zeros(len(rows))

    def _ranked(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows in the order in which their jobs are served."""
        return rows[np.lexsort((rows, self._keys(view, rows)))]

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
        size, gbps = np.array([view.job(row).gpus for row in rows.tolist()], np.int64), reserved_gbps(view, rows)
        order = np.lexsort((rows, self._keys(view, rows)))
        left, gpus = Residual(self._network), np.zeros((len(rows), view.cluster.nodes), np.int64)
        if not preemptive:
            gpus = held_gpus(view, rows)
            runs = gpus.sum(axis=1) > 0
            for i in np.flatnonzero(runs):
                left.take(gpus[i], float(gbps[i]))
            order = order[~runs[order]]
        left.whole(order, size, gbps, gpus, head_blocks=self.head_blocks)
        return Allocation(rows, gpus)

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
        waiting = view.waiting_rows
        return map(view.job, (waiting if self.order == "submission" else self._ranked(view, waiting)).tolist())

    def _exchange(self, view: View, placer: Placer) -> Iterable[Decision]:
        rows = self._ranked(view, np.concatenate([view.running_rows, view.waiting_rows]))
        granted = self._granted(view, rows)
        stopped = [held for held in view.running if held.job.row not in granted]
        free = view.free.copy()
        waits = granted.difference(view.running_rows.tolist())
        for held in stopped:
            yield Stop(held.job.row)
            for node, gpus in held.placement:
                free[node] += gpus
        for row in filter(waits.__contains__, rows.tolist()):
            placement = placer.take(free, view.job(row).gpus, self.placement)
            if placement is not None:
                yield Start(row, placement)

    @staticmethod
    def _granted(view: View, rows: NDArray[np.int64]) -> set[int]:
        """Those of `rows`, in order, whose gangs fit together on all GPUs; a gang that does not fit is passed over."""
        spare, granted = view.cluster.total_gpus, set[int]()
        for row in rows.tolist():
            gpus = view.job(row).gpus
            if gpus <= spare:
                spare -= gpus
                granted.add(row)
                if not spare:
                    break
        return granted
