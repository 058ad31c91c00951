"""Backfilling with reservations: EASY, conservative, and as Slurm does it.

Sources: Lifka, The ANL/IBM SP Scheduling System, JSSPP 1995 (EASY: only the first job that does not fit has a
reservation); Mu'alem, Feitelson, Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the
IBM SP2 with Backfilling, IEEE TPDS 12(6), 2001 (conservative: every job has one). Slurm's `sched/backfill` is
conservative among the first `depth` jobs, looks at the queue once in an interval, knows limits in whole minutes, and
reserves whole servers (`rarlib.schedulers.shared.free_over_time`).

    limit of a job = padding times its predicted length, rounded up to a multiple of limit_step_s

A job may start out of order if, as far as limits tell, it delays no reservation. Reservations are made anew at every
pass, in the order of submission. A job that is still running at its limit is assumed to need twice the limit, then four
times, and so on; Slurm would end it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import RULES, Placer
from rarlib.model.decisions import Decision, Placement, Start, Wake
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View
from rarlib.model.settings import INTERVAL_OR_NONE, LENGTH_S_OR_0, OneOf, Within, check_settings
from rarlib.schedulers.shared.free_over_time import EndWindows, GpusOverTime, RunningGang, ServersOverTime
from rarlib.schedulers.shared.rounds import Rounds

EASY, CONSERVATIVE = "easy", "conservative"


@dataclass
class Backfill:
    """Submission order; later jobs may start first if they delay no reservation of a job before them.

    Args:
        reservations: `easy`: for the first job that does not fit; `conservative`: for every job that does not fit.
        padding: limit that users state, as a multiple of the predicted length.
        limit_step_s: limits are rounded up to multiples of this many seconds (60 in Slurm); 0: they are exact.
        interval_s: seconds between two looks at the queue behind the first job that does not fit (`bf_interval`); until
            then jobs start in order only. 0: at every event.
        depth: number of waiting jobs looked at for backfilling (`bf_max_job_test`); 0: all.
        whole_servers: whether a reservation blocks whole servers, as in Slurm; if not, it blocks GPUs.
        window_s: with `whole_servers`, ends within a window of so many seconds count as one (30 in Slurm); 0: no.
        window_wider_s: by how much each further window is wider (`bf_window_linear`); 0: it is twice as wide.
        placement: a rule of `rarlib.allocate.placement` by which a gang fits wherever enough GPUs are free.
    """

    name: ClassVar[str] = "backfill"
    label: ClassVar[str] = "Backfill, reserved"
    paper: ClassVar[str] = ""

    reservations: Annotated[str, OneOf(EASY, CONSERVATIVE)] = EASY
    padding: Annotated[float, Within(1.0, 1e6)] = 1.0
    limit_step_s: Annotated[float, LENGTH_S_OR_0] = 0.0
    interval_s: Annotated[float, INTERVAL_OR_NONE] = 0.0
    depth: Annotated[int, Within(0, 1_000_000)] = 0
    whole_servers: bool = False
    window_s: Annotated[float, LENGTH_S_OR_0] = 0.0
    window_wider_s: Annotated[float, LENGTH_S_OR_0] = 0.0
    placement: Annotated[str, OneOf(*(rule for rule in RULES if rule != "consolidate"))] = "any"
    _placer: Placer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        self._rounds = Rounds(self.interval_s) if self.interval_s else None

    def decide(self, view: View) -> Iterable[Decision]:
        """Start jobs in order as far as they fit; if a look at the rest is due, backfill."""
        waiting, free = list(view.waiting), view.free.copy()
        placer = self._placer = self._placer or Placer(view)
        endings = [RunningGang(self._end_s(r.job, r.since_s, view.now_s), r.placement) for r in view.running]
        while waiting:
            placement = placer.take(free, waiting[0].gpus, self.placement)
            if placement is None:
                break
            job = waiting.pop(0)
            endings.append(RunningGang(self._end_s(job, view.now_s, view.now_s), placement))
            yield Start(job.row, placement)
        if not waiting:
            return
        if self._rounds is not None:
            self._rounds.pass_over(view.now_s)
        if self._rounds is None or self._rounds.due(view.now_s):
            behind = waiting[: self.depth or None]
            backfilled = self._by_servers if self.whole_servers else self._by_gpus
            yield from backfilled(view.now_s, behind, free, endings)
        if self._rounds is not None:
            yield Wake(self._rounds.next(view.now_s))

    def limit_s(self, job: Job) -> float:
        """The limit that a job's user has stated, seconds."""
        limit = self.padding * job.duration_s
        # A limit that is a multiple but for the last digits is not rounded up.
        return max(math.ceil(limit / self.limit_step_s - 1e-9), 1) * self.limit_step_s if self.limit_step_s else limit

    def _end_s(self, job: Job, since_s: float, now_s: float) -> float:
        limit = self.limit_s(job)
        if since_s == now_s or not limit > 0.0:
            return max(_later(since_s, limit), _later(now_s, 0.0))
        while since_s + limit <= now_s:
            limit *= 2.0
        return since_s + limit

    def _by_gpus(
        self, now_s: float, waiting: Sequence[Job], free: NDArray[np.int64], endings: Sequence[RunningGang]
    ) -> Iterable[Decision]:
        ends = ((each.end_s, sum(gpus for _, gpus in each.placement)) for each in endings)
        ahead = GpusOverTime(now_s, int(free.sum()), ends)
        for place, job in enumerate(waiting):
            limit = self.limit_s(job)
            at = ahead.earliest(job.gpus, limit)
            if at == now_s:
                placement = self._place(free, job.gpus)
                assert placement is not None
                yield Start(job.row, placement)
            if math.isfinite(at) and (at == now_s or place == 0 or self.reservations == CONSERVATIVE):
                ahead.take(at, _later(at, limit), job.gpus)

    def _by_servers(
        self, now_s: float, waiting: Sequence[Job], free: NDArray[np.int64], endings: Sequence[RunningGang]
    ) -> Iterable[Decision]:
        windows = EndWindows(self.window_s, self.window_wider_s)
        ahead = ServersOverTime(now_s, free, endings, self._place, windows)
        for place, job in enumerate(waiting):
            limit = self.limit_s(job)
            found = ahead.earliest(job.gpus, limit)
            if found is None:
                continue
            at, placement = found
            if at == now_s:
                for node, gpus in placement:
                    free[node] -= gpus
                ahead.start(placement, _later(at, limit))
                yield Start(job.row, placement)
            elif place == 0 or self.reservations == CONSERVATIVE:
                ahead.reserve(placement, at, _later(at, limit))

    def _place(self, free: NDArray[np.int64], gpus: int, nodes: NDArray[np.bool_] | None = None) -> Placement | None:
        assert self._placer is not None
        return self._placer.take(free, gpus, self.placement, nodes)


def _later(time_s: float, length_s: float) -> float:
    """The end of a length; a job of no length still holds its GPUs for as long as the present pass."""
    return max(time_s + length_s, math.nextafter(time_s, math.inf))
