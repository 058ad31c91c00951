"""Tiresias: discretised least attained service, with promotion, or the Gittins index.

Source: Gu, Chowdhury, Shin, Zhu, Jeon, Qian, Liu, Guo, Tiresias: A GPU Cluster Manager for Distributed Deep Learning,
NSDI 2019, section 4; [TIR] marks the authors' simulator.

    symbol             here                        unit
    W                  tasks @ weights             GPUs of a job
    a = W t            Holdings.service            GPU-seconds attained
    thresholds of Q_i  `thresholds`                GPU-seconds
    PROMOTEKNOB        `promote`                   1
    G(a)               Gittins                     1/GPU-second

At each event jobs drop to the queue of their attained service; jobs that have waited `promote` times as long as they
have run return to the first queue with nothing attained [TIR]. Then queues are served in order, where jobs that do not
fit are passed over, and running jobs that no longer fit are stopped. A queue is a list: a job that enters goes to its
tail, and so does a job left without GPUs [TIR]. So running jobs stay ahead, and are stopped for another job of their
queue only when they have just dropped into it. With the Gittins index jobs are ordered by largest index, then by
submission.

The authors' simulator sorts equal indices by latest submission; here the earliest comes first. A worker of a job on CPU
task slots only counts as half a GPU, as in AITurbo's measure of service (5 cores to 10); only that paper's baseline has
such jobs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.tasks import SERVERS, Holdings, grant, requested
from rarlib.model.decisions import Decision, Wake
from rarlib.model.scheduler import View
from rarlib.model.settings import (
    AT_LEAST_0,
    GPU_SECONDS,
    GPU_SECONDS_OR_0,
    INTERVAL_OR_NONE,
    TIME_STEP,
    OneOf,
    check_settings,
    require_ascending,
)
from rarlib.schedulers.shared.rounds import Rounds


class Gittins:
    """Gittins index of a job whose size is known only as an empirical distribution (section 4.2).

        G(a) = sup over D > 0 of  P(S - a <= D | S > a) / E[min(S - a, D) | S > a]

    a: GPU-seconds that the job has had. S: GPU-seconds that jobs need. D: GPU-seconds looked ahead; the authors'
    simulator fixes it at 3250, and sums S instead of S - a for the jobs that end within D [TIR]. Here the expectation
    is exact.

    Args:
        samples: sizes of past jobs, GPU-seconds; any order, at least one.
        horizon: D; None takes the supremum over all D, which only sample points can attain.
    """

    def __init__(self, samples: NDArray[np.float64], horizon: float | None = None) -> None:
        self._sizes = np.sort(np.asarray(samples, dtype=np.float64))
        self._sums = np.concatenate([[0.0], np.cumsum(self._sizes)])
        self._horizon = horizon

    def index(self, attained: NDArray[np.float64]) -> NDArray[np.float64]:
        """Index of jobs with this attained service, larger is more urgent; 0 beyond the largest sample."""
        if self._horizon is None:
            return np.array([self._supremum(a) for a in attained])
        return self._ahead(attained, np.asarray(attained + self._horizon))

    def _ahead(self, attained: NDArray[np.float64], until: NDArray[np.float64]) -> NDArray[np.float64]:
        """Number of jobs that end in (attained, until], over the service that this takes."""
        first = np.searchsorted(self._sizes, attained, side="right")
        last = np.searchsorted(self._sizes, until, side="right")
        ending = last - first
        spent = self._sums[last] - self._sums[first] - ending * attained
        spent = spent + (len(self._sizes) - last) * (until - attained)
        return np.divide(ending, spent, out=np.zeros(len(spent)), where=ending > 0)

    def _supremum(self, attained: float) -> float:
        ends = self._sizes[np.searchsorted(self._sizes, attained, side="right") :]
        return float(self._ahead(np.full(len(ends), attained), ends).max()) if len(ends) else 0.0


_WEIGHTS = (1.0, 0.5, 0.0)


@dataclass
class Tiresias:
    """Two-dimensional (GPUs times seconds) discretised LAS, or Gittins index, for jobs of unknown length.

    Args:
        thresholds: GPU-seconds at which a job drops to the next queue; the default is that of the authors' simulator.
        index: `las`, or `gittins`: within a queue jobs are ordered by the index instead of by entry.
        promote: a job that has waited this many times as long as it has run returns to the first queue; 0: never.
        horizon: GPU-seconds that the Gittins index looks ahead; 0: the value that makes it largest.
        samples: GPU-seconds of past jobs for the index; empty: those of the jobs that have finished so far.
        tick: seconds between passes if nothing else happens; 0: no such passes. 240 in AITurbo's study [LAB].
        clock_s: demotions and promotions are due a multiple of this ahead, as on the clock of the authors' simulator,
            which counts whole seconds [TIR].
        servers_on_gpus: whether a parameter server occupies a GPU, as in the baseline of AITurbo's laboratory [LAB]; a
            job that would then need more GPUs than there are is assumed to need all.
        unserved: a job left without GPUs goes to the `tail` of its queue [TIR], or keeps its `place`, as in the
            simulator of Pollux' authors (petuum/adaptdl, branch osdi21-artifact).
        consolidated: first letters of applications whose gangs are packed, since their tensors are skewed in size;
            other gangs take any free GPUs.
    """

    name: ClassVar[str] = "tiresias"
    label: ClassVar[str] = "Tiresias"
    paper: ClassVar[str] = "tiresias"
    uses_cpu: ClassVar[bool] = True

    thresholds: tuple[Annotated[float, GPU_SECONDS], ...] = (3250.0, 7200.0)
    index: Annotated[str, OneOf("las", "gittins")] = "las"
    promote: Annotated[float, AT_LEAST_0] = 0.0
    horizon: Annotated[float, GPU_SECONDS_OR_0] = 3250.0
    samples: tuple[Annotated[float, GPU_SECONDS_OR_0], ...] = ()
    tick: Annotated[float, INTERVAL_OR_NONE] = 0.0
    clock_s: Annotated[float, TIME_STEP] = 1.0
    servers_on_gpus: bool = False
    unserved: Annotated[str, OneOf("tail", "place")] = "tail"
    consolidated: tuple[str, ...] = ("vgg", "alexnet")
    _held: Holdings | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        require_ascending(self.thresholds, "thresholds")
        self._past = list(self.samples)
        self._gittins: Gittins | None = None

    def decide(self, view: View) -> Iterable[Decision]:
        """Demote, promote, serve the queues, and ask for a pass at the next demotion or promotion."""
        if self._held is None:
            self._begin(view)
        assert self._held is not None
        self._learn(self._held.catch_up(view))
        running, waiting = view.running_rows, view.waiting_rows
        jobs = np.concatenate([running, waiting])
        if not len(jobs):
            return
        self._requeue(view, running, waiting)
        jobs = jobs[self._order(jobs)]
        needs, given = self._needs[jobs], np.empty((len(jobs), 3), np.int64)
        grant(np.arange(len(jobs)), needs[:, None], self._held.capacity.copy(), given)
        wanted, unserved = self._asked[jobs], ~given.any(axis=1)
        wanted[unserved] = 0
        if self.unserved == "tail":
            self._to_tail(jobs[unserved])
        yield from self._held.exchange(view, jobs, wanted)
        at = self._next(view.now_s, jobs)
        if at < np.inf:
            yield Wake(at)

    def _begin(self, view: View) -> None:
        self._held = Holdings(view, _WEIGHTS)
        n = len(view.prices.work)
        # Needs are allocations without servers: GPUs and CPU task slots as those of workers.
        self._asked, self._needs = np.zeros((n, 3), np.int64), np.zeros((n, 3), np.int64)
        self._queue = np.searchsorted(self.thresholds, self._held.service, side="right")
        self._place = np.zeros(n, np.int64)
        self._tail = 0
        self._ran_s, self._last_ran, self._forgiven = np.zeros(n), np.zeros(n), np.zeros(n)
        self._then = view.now_s

    def _learn(self, finished: NDArray[np.int64]) -> None:
        """Sizes of finished jobs are the samples of the Gittins index, unless others were given."""
        assert self._held is not None
        if self.index == "gittins" and not self.samples and len(finished):
            self._past += self._held.service[finished].tolist()
            self._gittins = None

    def _requeue(self, view: View, running: NDArray[np.int64], waiting: NDArray[np.int64]) -> None:
        """Add arrivals; demote jobs that have attained enough service, promote those that have waited too long."""
        assert self._held is not None
        now = view.now_s
        known = np.concatenate([running, waiting])
        new = known[~self._asked[known].any(axis=1)]
        self._asked[new] = requested(view, new)
        needs = self._asked[new] @ [[1, 0], [0, 1], [int(self.servers_on_gpus), 1]]
        self._needs[new, :SERVERS] = np.minimum(needs, self._held.capacity)
        for job in new.tolist():
            self._held.scattered[job] = not view.job(job).application.startswith(self.consolidated)
        self._ran_s[running] += now - self._then
        self._last_ran[running], self._then = now, now
        level = np.searchsorted(self.thresholds, self._attained(running), side="right")
        dropped = running[level > self._queue[running]]
        self._queue[running] = np.maximum(level, self._queue[running])
        lifted = waiting[self._promotion(waiting) <= now]
        self._queue[lifted], self._ran_s[lifted] = 0, 0.0
        self._forgiven[lifted] = self._held.service[lifted]
        self._to_tail(np.sort(np.concatenate([new, dropped, lifted])))

    def _to_tail(self, jobs: NDArray[np.int64]) -> None:
        """Put jobs at the tails of their queues, in this order."""
        self._place[jobs] = np.arange(self._tail, self._tail + len(jobs))
        self._tail += len(jobs)

    def _attained(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """GPU-seconds since the last promotion."""
        assert self._held is not None
        return self._held.service[jobs] - self._forgiven[jobs]

    def _promotion(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Times at which waiting jobs are promoted; inf: never."""
        due = np.ceil((self._last_ran[jobs] + self.promote * self._ran_s[jobs]) / self.clock_s) * self.clock_s
        return np.where((self.promote > 0.0) & (self._queue[jobs] > 0), due, np.inf)

    def _order(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in `jobs`, most urgent first."""
        queue = self._queue[jobs]
        if self.index == "las":
            return np.lexsort((self._place[jobs], queue))
        if self._gittins is None and self._past:
            self._gittins = Gittins(np.array(self._past), self.horizon or None)
        index = self._gittins.index(self._attained(jobs)) if self._gittins else np.zeros(len(jobs))
        return np.lexsort((jobs, -index, queue))

    def _next(self, now: float, jobs: NDArray[np.int64]) -> float:
        """Time of the next demotion, promotion or tick; whole ticks of the clock ahead [TIR]."""
        assert self._held is not None
        pace = self._held.tasks[jobs] @ self._held.weights
        limit = np.array([*self.thresholds, np.inf])[self._queue[jobs]]
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = np.maximum(np.ceil((limit - self._attained(jobs)) / pace / self.clock_s), 1.0) * self.clock_s
        drop = now + float(np.min(np.where(pace > 0.0, ahead, np.inf)))
        lift = float(np.min(np.where(pace > 0.0, np.inf, self._promotion(jobs))))
        tick = Rounds(self.tick).next(now) if self.tick else np.inf
        return min(drop, max(lift, now + self.clock_s) if lift < np.inf else np.inf, tick)
