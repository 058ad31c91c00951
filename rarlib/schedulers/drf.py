"""Dominant resource fairness: the job with the smallest share gets the next GPU."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.by_type import Types, assign_types
from rarlib.allocate.placement import Placer
from rarlib.allocate.present import held_gpus, reserved_gbps, rows_in_system
from rarlib.allocate.rings import RESERVED, Residual
from rarlib.model.decisions import Allocation, Decision, Start, Stop, Wake
from rarlib.model.errors import InputError
from rarlib.model.jit import kernel
from rarlib.model.scheduler import View
from rarlib.model.settings import INTERVAL_OR_NONE, OneOf, check_settings
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.shared.rounds import Rounds


def progressive_filling(jobs: Sequence[int], share: Callable[[int], float], grow: Callable[[int], bool]) -> None:
    """Let the job with the smallest share grow, again and again, until none can (Ghodsi et al., Alg. 1).

    Ties go to the first of `jobs`. `grow` gives a job its next unit, by which its share must not fall; a job to which
    it returns False is not asked again, so free capacity must never increase.
    """
    heap = [(share(job), position) for position, job in enumerate(jobs)]
    heapify(heap)
    while heap:
        _, position = heappop(heap)
        if grow(jobs[position]):
            heappush(heap, (share(jobs[position]), position))


@kernel
def filled(
    kind: NDArray[np.int64], least: NDArray[np.int64], most: NDArray[np.int64], capacity: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Progressive filling of GPUs of several types, where a job's share is that of the GPUs of its type.

    A job of type -1 gets none, others `least` GPUs at once, and then one at a time up to `most`; ties go to the first.
    """
    counts, spare = np.zeros(len(kind), np.int64), capacity.copy()
    heap = [(0.0, i) for i in range(len(kind))]
    while heap:
        _, i = heap[0]
        step = 1 if counts[i] else least[i]
        if kind[i] < 0 or step > spare[kind[i]] or counts[i] + step > most[i]:
            heappop(heap)
            continue
        counts[i] += step
        spare[kind[i]] -= step
        heapreplace(heap, (counts[i] / capacity[kind[i]], i))
    return counts


@dataclass
class Drf:
    """Progressive filling on the dominant share, with every job a client of its own.

    At every pass all GPUs are reallocated: the job with the smallest share of the cluster gets its next GPU (at first,
    its smallest number of GPUs) until nothing fits; ties are broken by submission. GPUs are the only resource that jobs
    of a trace request, so the share of GPUs is the dominant one. A rigid job takes its whole gang at once, and since
    all shares start at zero, rigid jobs are served in submission order; jobs that do not fit are passed over.

    A job whose number of GPUs is unchanged keeps them; any other is stopped and started with its new number.

    Jobs with adaptive batches are first assigned to GPU types, each of which is a resource (`rarlib.allocate.by_type`,
    without knowledge of speeds); they grow within their type, up to the number of GPUs they can use there.

    If bandwidth is reserved along rings (`placement` reserved), the total bandwidth of all nodes' links is a second
    resource, and a job gets its GPUs one by one where its ring can be extended: on its own nodes if possible, else in
    its racks, else in other racks.

    Source: Ghodsi et al., Dominant Resource Fairness: Fair Allocation of Multiple Resource Types, NSDI 2011, Sec. 4.

    Args:
        placement: `any`, `pack`, `spread`, `random` or `one-type` (see `rarlib.allocate.placement`), or `reserved`
            (see `rarlib.allocate.rings`).
        slot_s: seconds; GPUs are also reallocated at multiples of this, and no job gets more GPUs than its remaining
            GPU-seconds fill in such a slot; with `reserved` only. 0: at events only, as many GPUs as a job can use.
        holds: a job keeps the GPUs it has been given until it ends, and only free GPUs are allocated; with `reserved`
            only.
    """

    name: ClassVar[str] = "drf"
    label: ClassVar[str] = "DRF"
    paper: ClassVar[str] = ""
    one_type: ClassVar[str] = "fewest"
    learning: ClassVar[str] = "by-type"

    placement: Annotated[str, OneOf("any", "pack", "spread", "random", "one-type", RESERVED)] = "pack"
    slot_s: Annotated[float, INTERVAL_OR_NONE] = 0.0
    holds: bool = False
    _asked: bytes = field(default=b"", init=False, repr=False)
    _placer: Placer | None = field(default=None, init=False, repr=False)
    _types: Types | None = field(default=None, init=False, repr=False)
    _kind: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        if self.placement != RESERVED and (self.slot_s or self.holds):
            raise InputError("slot_s and holds need placement reserved", field="placement")

    def decide(self, view: View) -> Iterable[Decision]:
        """Reallocate all GPUs; move only jobs whose number of GPUs or type changes."""
        if self.placement == RESERVED:
            yield from self._reserve(view)
            return
        if self._placer is None:
            self._placer = Placer(view)
            if view.offers.goodput is not None:
                self._types = Types(view.offers.goodput, view.cluster)
        before = self._kind
        wanted = self._assign(view)
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

    def _assign(self, view: View) -> dict[int, int]:
        """GPUs of every job in the system, by row, in submission order; records their types."""
        rows = rows_in_system(view)
        least, most = _limits(view, rows)
        kind, capacity = np.zeros(len(rows), np.int64), np.array([view.cluster.total_gpus])
        if self._types is not None and len(rows):
            kind, most = self._by_type(view, self._types, rows, least)
            capacity = self._types.capacity
        counts = filled(kind, least, most, capacity).tolist()
        wanted = dict(zip(rows.tolist(), counts, strict=True))
        self._kind = {row: kind for row, kind in zip(wanted, kind.tolist(), strict=True) if wanted[row]}
        return wanted

    def _reserve(self, view: View) -> Iterable[Decision]:
        """The same with bandwidth along rings; if jobs and limits are unchanged, so is the allocation."""
        rows = rows_in_system(view)
        if not len(rows):
            return
        least, most = _limits(view, rows)
        if self.slot_s:
            gpu_s = np.array([job.gpus * job.duration_s for job in map(view.job, rows.tolist())])
            left = gpu_s * view.work_left(rows) / view.prices.work[rows] / self.slot_s
            most = np.clip(np.floor(left + 1e-9), least, most).astype(np.int64)
        asked = rows.tobytes() + most.tobytes()
        if asked != self._asked:
            self._asked = asked
            yield Allocation(rows, self._rings(view, rows, least, most))
        if self.slot_s:
            yield Wake(Rounds(self.slot_s).next(view.now_s))

    def _rings(
        self, view: View, rows: NDArray[np.int64], least: NDArray[np.int64], most: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """GPUs by job and node, shape (rows, nodes)."""
        network, gbps = TreeNetwork.of(view.cluster), reserved_gbps(view, rows)
        left, gpus = Residual(network), np.zeros((len(rows), view.cluster.nodes), np.int64)
        if self.holds:
            gpus = held_gpus(view, rows)
            for i in np.flatnonzero(gpus.any(axis=1)):
                while gpus[i].sum() > most[i]:
                    gpus[i, np.flatnonzero(gpus[i])[-1]] -= 1
                left.take(gpus[i], float(gbps[i]))
        all_gpus, all_gbps = network.capacity[:, 0].sum(), network.link_gbps.sum()

        def share(i: int) -> float:
            nodes = np.count_nonzero(gpus[i])
            reserved = gbps[i] * nodes if nodes > 1 else 0.0
            return float(max(gpus[i].sum() / all_gpus, reserved / all_gbps))

        def grow(i: int) -> bool:
            if gpus[i].any() or least[i] == 1:
                return bool(gpus[i].sum() < most[i]) and left.one_more(gpus[i], float(gbps[i]))
            left.whole(np.array([i]), least, gbps, gpus)
            return bool(gpus[i].any())

        progressive_filling(range(len(rows)), share, grow)
        return gpus

    def _by_type(
        self, view: View, types: Types, rows: NDArray[np.int64], least: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """GPU type of each job (-1 if none fits), and how many GPUs of it the job can use."""
        able = types.rates(view, rows) > 0.0
        now = np.array([self._kind.get(row, -1) for row in rows.tolist()])
        gpus = np.arange(able.shape[2])
        rate = np.where(able, gpus, 0).astype(np.float64)
        jobs = np.arange(len(rows))
        assigned = assign_types(rate, jobs, least[:, None], now, types.capacity, types.capacity.copy())
        return assigned.kind, (able * gpus).max(axis=2)[jobs, assigned.kind]


def _limits(view: View, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest number of GPUs of each job, shapes (rows,)."""
    jobs = [view.job(row) for row in rows.tolist()]
    return np.array([job.min_gpus for job in jobs], np.int64), np.array([job.max_gpus for job in jobs], np.int64)
