"""Dominant resource fairness: whoever has the smallest share gets the next GPU."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import ClassVar

import numpy as np

from rarlib.allocate.by_type import Types, deal
from rarlib.allocate.placement import Placer
from rarlib.model.decisions import Decision, Start, Stop
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View


def progressive_filling(jobs: Sequence[int], share: Callable[[int], float], grow: Callable[[int], bool]) -> None:
    """Let the job with the smallest share grow, again and again, until none can (Ghodsi et al., Alg. 1).

    Args:
        jobs: in the order that breaks ties.
        share: dominant share a job holds now; it must not fall when the job grows.
        grow: gives a job its next unit; False when it cannot have one, and then it is not asked again. So room must
            only ever shrink.
    """
    heap = [(share(job), position) for position, job in enumerate(jobs)]
    heapify(heap)
    while heap:
        _, position = heappop(heap)
        if grow(jobs[position]):
            heappush(heap, (share(jobs[position]), position))


@dataclass
class Drf:
    """Progressive filling on the dominant share, every job a client of its own.

    At every pass GPUs are dealt anew: the job with the smallest share of the cluster gets its next GPU, at first as
    many as it needs at least, until nothing fits; ties go by submission. GPUs are the only resource that jobs of a
    trace ask for, so theirs is the dominant share. A rigid job takes its whole gang at once, and since all shares start
    at zero, rigid jobs are served in submission order, whatever fits.

    A job whose count is unchanged keeps its GPUs; any other is stopped and started with its new count.

    Jobs with adaptive batches are first dealt to GPU types, each of which is a resource
    (`rarlib.allocate.by_type`, speeds unknown); they grow within their type, up to what they can use there.

    Source: Ghodsi et al., Dominant Resource Fairness: Fair Allocation of Multiple Resource Types, NSDI 2011, Sec. 4.

    Args:
        placement: `any`, `pack`, `spread`, `random` or `one-type` (see `rarlib.allocate.placement`).
    """

    name: ClassVar[str] = "drf"
    label: ClassVar[str] = "DRF"
    paper: ClassVar[str] = ""
    learning: ClassVar[str] = "by-type"
    bootstrap: ClassVar[str] = "oracle"
    batch_limit: ClassVar[str] = "largest"

    placement: str = "pack"
    _placer: Placer | None = field(default=None, init=False, repr=False)
    _types: Types | None = field(default=None, init=False, repr=False)
    _kind: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def decide(self, view: View) -> Iterable[Decision]:
        """Deal all GPUs anew; move only jobs whose count or type changes."""
        if self._placer is None:
            self._placer = Placer(view)
            if view.offers.goodput is not None:
                self._types = Types(view.offers.goodput, view.cluster)
        before = self._kind
        wanted = self._deal(view)
        free = view.free.copy()
        for job, placement, _ in view.running:
            same = self._types is None or before.get(job.row) == self._kind.get(job.row)
            if same and wanted[job.row] == sum(gpus for _, gpus in placement):
                del wanted[job.row]
            else:
                yield Stop(job.row)
                for node, gpus in placement:
                    free[node] += gpus
        for row, gpus in wanted.items():
            of_type = self._types.kind_of == self._kind[row] if gpus and self._types is not None else None
            where = self._placer.take(free, gpus, self.placement, of_type) if gpus else None
            if where is not None:
                yield Start(row, where)

    def _deal(self, view: View) -> dict[int, int]:
        """GPUs of every job in the system, by row, in submission order; notes their types."""
        jobs = sorted([*view.waiting, *(r.job for r in view.running)], key=lambda job: job.row)
        counts = [0] * len(jobs)
        kind, most, spare = [0] * len(jobs), [job.max_gpus for job in jobs], [view.cluster.total_gpus]
        if self._types is not None and jobs:
            kind, most = self._by_type(self._types, jobs)
            spare = self._types.capacity.tolist()

        def grow(position: int) -> bool:
            job, resource = jobs[position], kind[position]
            step = 1 if counts[position] else job.min_gpus
            if resource < 0 or step > spare[resource] or counts[position] + step > most[position]:
                return False
            counts[position] += step
            spare[resource] -= step
            return True

        sizes = list(spare)
        progressive_filling(range(len(jobs)), lambda position: counts[position] / sizes[kind[position]], grow)
        self._kind = {job.row: kind[i] for i, job in enumerate(jobs) if counts[i]}
        return {job.row: count for job, count in zip(jobs, counts, strict=True)}

    def _by_type(self, types: Types, jobs: Sequence[Job]) -> tuple[list[int], list[int]]:
        """GPU type of each job, -1: none has room; and how many GPUs of it the job can use."""
        able = types.rates(np.array([job.row for job in jobs])) > 0.0
        least = np.array([[job.min_gpus] for job in jobs])
        now = np.array([self._kind.get(job.row, -1) for job in jobs])
        gpus = np.arange(able.shape[2])
        rate = np.where(able, gpus, 0).astype(np.float64)
        dealt = deal(rate, np.arange(len(jobs)), least, now, types.capacity, types.capacity.copy())
        return dealt.kind.tolist(), (able * gpus).max(axis=2)[np.arange(len(jobs)), dealt.kind].tolist()
