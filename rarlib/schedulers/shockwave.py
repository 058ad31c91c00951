"""Shockwave-style: a market over the next rounds, in which jobs that are late have larger budgets.

Source: Zheng, Pan, Arfeen, Jayaram Subramanya, Sun, Qiao, Jia, Venkataraman, Akella, "Shockwave: Fair and Efficient
Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023, and the code of its authors; with
`fair="age", k=0, replan="rounds"` in the form in which the authors of Sia (SOSP 2023) compare with it.

| paper | here | unit |
|---|---|---|
| T | `rounds` | rounds |
| log utility of the fraction of a job that is done | `utility` | 1 |
| k | `k` | 1/s |
| lambda | `lam` | 1 |
| rho | `ratio`, `rhomax` | 1 |

We call it "Shockwave-style" because the original uses a commercial solver for 15 s in every round; ours is CP-SAT with
a limit on its deterministic work. Further differences:

1. A job is late if it ends after `rhomax` times its fair time, that of a job that gets an equal share of the GPUs from
   its submission on (finish-time fairness). Shockwave takes this time from the work of the job: what is done plus what
   is left, over the share. Sia's authors take the age of the job for what is done, so the fair time of a job that waits
   grows with its waiting, and no job is ever late. Shockwave's authors divide times since the start of the cluster,
   we divide times since submission, as the paper defines it.
2. The regulariser subtracts k times the longest time left from the mean utility of a job and a round: 1e-3 per second
   in the authors' runs, 1e-9 in those of Sia's authors, which is nothing beside the utilities.
   If our limit ends before any plan is found, one is built without search; in the form of Sia's comparison, which was
   accepted before, jobs then run longest first (`unsolved="longest"`).
   A plan is followed until a job comes or goes; Sia's authors plan anew in every round (`replan="rounds"`).
3. Priorities ratio^lam, and ratio^100 for a job that can finish in this round, are capped at `DOMINANT`.
4. Speeds are true speeds at the requested batch, averaged over the GPU types of the cluster; types are not
   distinguished.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.in_order import NumberedGpus
from rarlib.allocate.present import exchange
from rarlib.ilp.shockwave import plan_rounds
from rarlib.model.decisions import Decision, Wake
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View, in_system
from rarlib.model.settings import ABOVE_0, AT_LEAST_0, INTERVAL, OneOf, Within, check_settings
from rarlib.schedulers.shared.rounds import SpacedRounds, iterations, requested_rates

BASES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ORIGIN = 1e-6
"""Its logarithm is used for that of 0."""

FAIR_SHARES = ("work", "age")
OCCASIONS = ("events", "rounds")
UNSOLVED = ("built", "longest")
ENDING, DOMINANT = 100.0, 1e6
MOMENTUM = 0.9
_NO_ROUNDS = np.zeros((0, 0), np.bool_)


def utility(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the fraction that is done, interpolated between the bases."""
    return np.interp(part, BASES, np.log((ORIGIN, *BASES[1:])))


class Lateness(NamedTuple):
    """How late jobs are; arrays of shape (jobs,)."""

    age: NDArray[np.float64]  # time since submission, seconds
    fair: NDArray[np.float64]  # time from submission to the end on a fair share, mean of the estimates so far, seconds
    ratio: NDArray[np.float64]  # time to the end if the job keeps running, over the fair time


@dataclass
class Shockwave:
    """Plans `rounds` rounds and carries them out one by one until a job comes or goes.

    Attributes:
        rounds: number of rounds planned.
        lam: exponent of the priority of a job that is late.
        rhomax: ratio of finish times above which a job is late.
        k: what a second of the longest time left costs, beside the mean utility of a job and a round.
        fair: what a fair share is taken of: the `work` of a job, or its `age` and what is left.
        replan: whether a plan is made at `events` (a job came or went, or the plan is used up) or in all `rounds`.
        unsolved: what runs if the limit ends before a plan is found: a plan `built` without search, or `longest` first.
        round_s: length of a round.
        limit: deterministic time of the program, about seconds.
    """

    name: ClassVar[str] = "shockwave"
    label: ClassVar[str] = "Shockwave-style"
    paper: ClassVar[str] = "shockwave"
    one_type: ClassVar[str] = "requested"
    made_for: ClassVar[str] = "goodput"

    rounds: Annotated[int, Within(1, 100)] = 5
    lam: Annotated[float, AT_LEAST_0] = 12.0
    rhomax: Annotated[float, ABOVE_0] = 1.0
    k: Annotated[float, AT_LEAST_0] = 1e-3
    fair: Annotated[str, OneOf(*FAIR_SHARES)] = "work"
    replan: Annotated[str, OneOf(*OCCASIONS)] = "events"
    unsolved: Annotated[str, OneOf(*UNSOLVED)] = "built"
    round_s: Annotated[float, INTERVAL] = 360.0
    limit: Annotated[float, Within(0.0, 3600.0, excluded=True)] = 0.02
    _gpus: NumberedGpus | None = field(default=None, init=False, repr=False)
    _kind: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    _estimates: dict[int, tuple[float, int]] = field(default_factory=dict, init=False, repr=False)
    _planned: tuple[tuple[int, ...], NDArray[np.bool_]] = field(default=((), _NO_ROUNDS), init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        self._rounds = SpacedRounds(self.round_s)

    def decide(self, view: View) -> Iterable[Decision]:
        """One round."""
        if self._gpus is None:
            self._gpus = NumberedGpus(view.cluster)
        jobs, capacity = in_system(view), self._gpus.capacity
        if not jobs:
            return
        if self._rounds.due(view.now_s):
            chosen = self._chosen(view, capacity, jobs)
            if chosen is not None:
                yield from exchange(view, self._gpus.place(self._by_type(capacity, chosen)))
        yield Wake(self._rounds.next_s)

    def _chosen(self, view: View, capacity: NDArray[np.int64], jobs: Sequence[Job]) -> list[Job] | None:
        """Jobs of the round, in the order in which they choose their GPU type.

        None while no job waits: every plan lets all of them run where they are.
        """
        rate = requested_rates(view, jobs, self.name)
        weight = np.where(rate > 0.0, capacity, 0)
        slow = np.divide(1.0, rate, out=np.zeros_like(rate), where=rate > 0.0)
        iteration = (slow * weight).sum(axis=1) / weight.sum(axis=1)
        left, total = iterations(view, jobs, self.name)
        left_s = left * iteration
        gpus = np.array([job.gpus for job in jobs])
        everything = int(capacity.sum())
        steps = np.minimum(np.arange(self.rounds + 1) * self.round_s / iteration[:, None], left[:, None])
        gain = np.diff(utility(np.clip(1.0 - (left[:, None] - steps) / total[:, None], 0.0, 1.0)), axis=1)
        late = self._lateness(view, jobs, total * iteration if self.fair == "work" else None, left_s, everything)
        if not view.waiting:
            return None
        rows, coming = tuple(job.row for job in jobs), self._planned[1]
        if self.replan == "rounds" or self._planned[0] != rows or not coming.shape[1]:
            coming = self._plan(gain, gpus, everything, late, left_s)
        first = coming[:, 0]
        self._planned = (rows, coming[:, 1:])
        # Jobs not chosen follow, longest first, so that no GPU stays idle that a job could use.
        order = np.lexsort((np.arange(len(jobs)), -left_s, ~first))
        return [jobs[i] for i in order.tolist()]

    def _plan(
        self,
        gain: NDArray[np.float64],
        gpus: NDArray[np.int64],
        everything: int,
        late: Lateness,
        left_s: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Which job runs in which of the next rounds, shape (jobs, rounds)."""
        tail = self._tail(left_s) if self.k > 0.0 else None
        spare_s = (self.rhomax * late.fair - late.age - self.rounds * self.round_s) * min(1.0, everything / len(left_s))
        least = np.ceil((left_s - spare_s) / self.round_s - 1e-9).clip(0, self.rounds + 1).astype(np.int64)
        plan = None
        if (least <= self.rounds).all() and (spare_s >= 0.0).all():
            plan = plan_rounds(np.maximum(gain, 0.0), gpus, everything, least, limit=self.limit, tail=tail)
        if plan is None:
            weighted = np.maximum(gain, 0.0) * self._priorities(late.ratio, left_s)[:, None]
            late_too, built = np.zeros_like(least), self.unsolved == "built"
            plan = plan_rounds(weighted, gpus, everything, late_too, limit=self.limit, tail=tail, built=built)
        return plan.runs if plan is not None else np.zeros(gain.shape, np.bool_)

    def _priorities(self, ratio: NDArray[np.float64], left_s: NDArray[np.float64]) -> NDArray[np.float64]:
        power = np.where(left_s < self.round_s, ENDING, self.lam)
        with np.errstate(over="ignore"):  # ratios of jobs that last no time
            priority = np.where(ratio > self.rhomax, np.maximum(ratio, 1.0) ** power, 1.0)
        return np.minimum(priority, DOMINANT)

    def _tail(self, left_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """The regulariser by rounds, shape (jobs, rounds + 1), in utilities added up over jobs and rounds."""
        after = np.maximum(left_s[:, None] - np.arange(self.rounds + 1) * self.round_s, 0.0)
        return self.k * len(left_s) * self.rounds * after

    def _lateness(
        self,
        view: View,
        jobs: Sequence[Job],
        work_s: NDArray[np.float64] | None,
        left_s: NDArray[np.float64],
        total: int,
    ) -> Lateness:
        age = np.array([view.now_s - job.submit_s for job in jobs])
        share = min(1.0, total / len(jobs))
        estimate = (age + left_s if work_s is None else work_s) / share
        fair = np.empty(len(jobs))
        for i, job in enumerate(jobs):
            added, count = self._estimates.get(job.row, (0.0, 0))
            before = added / count if count else float(estimate[i])
            fair[i] = MOMENTUM * before + (1.0 - MOMENTUM) * estimate[i]
            self._estimates[job.row] = added + float(estimate[i]), count + 1
        return Lateness(age, fair, (age + left_s / share) / fair)

    def _by_type(self, capacity: NDArray[np.int64], jobs: list[Job]) -> list[dict[int, int]]:
        """Assign each job to the type it had, else to the type with the most GPUs left, as long as they suffice."""
        left = capacity.copy()
        size: list[dict[int, int]] = [{} for _ in left]
        for job in jobs:
            had = self._kind.get(job.row, -1)
            kind = had if had >= 0 and left[had] >= job.gpus else int(np.argmax(left))
            if left[kind] >= job.gpus:
                left[kind] -= job.gpus
                size[kind][job.row] = job.gpus
        self._kind = {job: kind for kind, held in enumerate(size) for job in held}
        return size
