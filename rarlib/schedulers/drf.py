"""Dominant resource fairness: whoever has the smallest share gets the next GPU."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Decision, Start, Stop
from rarlib.model.placement import place
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

    Source: Ghodsi et al., Dominant Resource Fairness: Fair Allocation of Multiple Resource Types, NSDI 2011, Sec. 4.

    Args:
        placement: `any`, `pack`, `spread` or `random` (see `rarlib.model.placement`).
    """

    name: ClassVar[str] = "drf"
    label: ClassVar[str] = "DRF"
    paper: ClassVar[str] = ""

    placement: str = "pack"
    _random: NDArray[np.uint64] | None = field(default=None, init=False, repr=False)

    def decide(self, view: View) -> Iterable[Decision]:
        """Deal all GPUs anew; move only jobs whose count changes."""
        if self._random is None:
            self._random = view.rng.integers(0, 2**63, 1, dtype=np.uint64)
        wanted = self._deal(view)
        free = view.free.copy()
        for job, placement, _ in view.running:
            if wanted[job.row] == sum(gpus for _, gpus in placement):
                del wanted[job.row]
            else:
                yield Stop(job.row)
                for node, gpus in placement:
                    free[node] += gpus
        for row, gpus in wanted.items():
            where = place(free, gpus, self.placement, view.cluster.gpus, self._random) if gpus else None
            if where is not None:
                for node, taken in where:
                    free[node] -= taken
                yield Start(row, where)

    def _deal(self, view: View) -> dict[int, int]:
        """GPUs of every job in the system, by row, in submission order."""
        jobs = sorted([*view.waiting, *(r.job for r in view.running)], key=lambda job: job.row)
        counts = [0] * len(jobs)
        spare = view.cluster.total_gpus

        def grow(position: int) -> bool:
            nonlocal spare
            job = jobs[position]
            step = 1 if counts[position] else job.min_gpus
            if step > spare or counts[position] + step > job.max_gpus:
                return False
            counts[position] += step
            spare -= step
            return True

        progressive_filling(range(len(jobs)), counts.__getitem__, grow)
        return {job.row: count for job, count in zip(jobs, counts, strict=True)}
