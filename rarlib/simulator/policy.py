"""The Python driver: asks a scheduler what to do, checks the answer, carries it out."""

import math
from bisect import insort
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement, Start, Stop, Wake
from rarlib.model.errors import DecisionError
from rarlib.model.jobs import Job, Jobs
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Running, Scheduler
from rarlib.model.training import Training
from rarlib.simulator import progress
from rarlib.simulator.clock import EXPIRY, PASS, next_time, open_instant, pass_boundary
from rarlib.simulator.compiled import remaining_s
from rarlib.simulator.state import RUNNING, WAITING, State, with_room


class LiveView:
    """The scheduler's window on a run (`rarlib.model.scheduler.View`)."""

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        cluster: Cluster,
        prices: Prices,
        rng: np.random.Generator,
        training: Training | None = None,
    ) -> None:
        self.cluster, self.prices, self.rng, self.training = cluster, prices, rng, training
        self.now_s = 0.0
        self._state, self._jobs = state, jobs
        self._seen = 0
        self._waiting: list[int] = []
        self._running: list[int] = []
        self._held: dict[int, Running] = {}

    def adopt(self, state: State) -> None:
        """Look at this state from now on."""
        self._state = state

    def refresh(self, state: State) -> None:
        """Take in what happened since the last pass."""
        self.adopt(state)
        self.now_s = float(state.run[0].now)
        phase = state.job["phase"]
        self._running = [job for job in self._running if phase[job] == RUNNING]
        self._waiting += range(self._seen, int(state.run[0].arrived))
        self._seen = int(state.run[0].arrived)

    @property
    def waiting(self) -> tuple[Job, ...]:
        """Jobs that hold nothing, in submission order."""
        return tuple(self._jobs.rows[job] for job in self._waiting)

    @property
    def running(self) -> tuple[Running, ...]:
        """Jobs that hold GPUs, in submission order."""
        return tuple(self._running_of(job) for job in self._running)

    @property
    def waiting_rows(self) -> NDArray[np.int64]:
        """Positions of the waiting jobs, ascending."""
        return np.array(self._waiting, dtype=np.int64)

    @property
    def running_rows(self) -> NDArray[np.int64]:
        """Positions of the running jobs, ascending."""
        return np.array(self._running, dtype=np.int64)

    def job(self, row: int) -> Job:
        """A job that has been submitted."""
        if not 0 <= row < self._seen:
            raise IndexError(f"no job {row} has been submitted")
        return self._jobs.rows[row]

    @property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of each node, shape (nodes,)."""
        free = self._state.free.view()
        free.flags.writeable = False
        return free

    @property
    def arrivals_left(self) -> int:
        """Jobs not submitted yet."""
        return len(self._jobs) - self._seen

    def remaining_s(self, job: int) -> float:
        """Running time left on the requested gang, alone and uncontended."""
        return float(remaining_s(self._state, job, self.now_s))

    def work_done(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work done so far, shape of `jobs`."""
        job = self._state.job
        moving = np.maximum(self.now_s - np.maximum(job["settled"][jobs], job["ready"][jobs]), 0.0)
        moving[job["phase"][jobs] != RUNNING] = 0.0
        return np.asarray(job["done"][jobs] + moving * job["rate"][jobs])

    def attained_gpu_s(self, job: int) -> float:
        """GPU-seconds held so far."""
        s = self._state
        extra = (self.now_s - s.job[job].settled) * s.job[job].held if s.job[job].phase == RUNNING else 0.0
        return float(s.job[job].gpu_seconds + extra)

    def level(self, job: int) -> int:
        """Attained-service queue of the job (number of levels reached)."""
        return int(self._state.job[job].level)

    @property
    def jobs(self) -> Jobs:
        """The job table of the run (for the driver; a scheduler sees arrived jobs only)."""
        return self._jobs

    def progressed(self) -> NDArray[np.int64]:
        """Running jobs that have made progress where they are."""
        running = np.array(self._running, dtype=np.int64)
        return running[self._state.job["ready"][running] < self.now_s]

    def placement_of(self, job: int) -> Placement:
        """Where a running job is."""
        return self._running_of(job).placement

    def _running_of(self, job: int) -> Running:
        """A job's placement stays as it is until the job is stopped, so it is read once."""
        if job not in self._held:
            self._held[job] = self._read(job)
        return self._held[job]

    def _read(self, job: int) -> Running:
        s = self._state
        rows = slice(s.job[job].first_row, s.job[job].first_row + s.job[job].servers)
        placement = tuple(zip(s.rows["node"][rows].tolist(), s.rows["gpus"][rows].tolist(), strict=True))
        return Running(self._jobs.rows[job], placement, float(s.rows[s.job[job].first_row].start_s))

    def moved(self, job: int, *, to_running: bool) -> None:
        """Keep the two lists in step with a decision."""
        source, target = (self._waiting, self._running) if to_running else (self._running, self._waiting)
        source.remove(job)
        insort(target, job)
        self._held.pop(job, None)


_REWRITTEN = ("base_s", "local_s", "link_s", "server_s", "cap_s", "unit", "until")
"""Columns of a job's row of prices that its training may write while it runs."""


class _Stopped(NamedTuple):
    """What a job held when it was stopped in this pass, and how much of its launch or restart was left then."""

    shape: tuple[tuple[str, int], ...]
    unready_s: float


class Driver:
    """Runs one scheduler over one state.

    Args:
        state: before the first arrival.
        view: what the scheduler sees.
        scheduler: decides.
        prices: the run's own copy where there is a training, which writes into it.
        free_moves: see `rarlib.simulator.engine.simulate`.
    """

    def __init__(
        self, state: State, view: LiveView, scheduler: Scheduler, prices: Prices, *, free_moves: bool = False
    ) -> None:
        self.state, self._view, self._scheduler, self._prices = state, view, scheduler, prices
        self._jobs, self._training = view.jobs, view.training
        self._free_moves = free_moves
        self._stopped: dict[int, _Stopped] = {}

    def run(self, report: Callable[[int], None]) -> State:
        """Run until every job is done; `report` is told the number of finished jobs now and then.

        Raises:
            DecisionError: for an impossible decision, or when jobs wait and nothing will ever happen.
        """
        while self.state.run[0].finished < len(self._jobs):
            if next_time(self.state) == math.inf:
                self._stalled()
            happened = open_instant(self.state, self._prices)
            if happened == PASS:
                self._pass()
                report(int(self.state.run[0].finished))
            elif happened == EXPIRY:
                self._renew(int(self.state.run[0].expired))
        return self.state

    def _renew(self, job: int) -> None:
        if self._training is None:
            raise AssertionError(f"prices of job {self._jobs.job_id[job]} expire, but there is no training")
        done = float(self._prices.until[job])
        self._training.renew(job, done)
        if not self._prices.until[job] > done:
            raise AssertionError(f"the new prices of job {self._jobs.job_id[job]} have expired already")
        progress.reprice(self.state, self._prices, job, self.state.run[0].now)

    def _pass(self) -> None:
        self._view.refresh(self.state)
        self._stopped.clear()
        if self._training is not None:
            self._learn(self._training)
        for decision in self._scheduler.decide(self._view):
            if isinstance(decision, Start):
                self._start(decision)
            elif isinstance(decision, Stop):
                self._stop(decision)
            elif isinstance(decision, Wake):
                self._wake(decision)
            else:
                raise self._refused(f"{decision!r} is not a decision")

    def _learn(self, training: Training) -> None:
        """Tell the training who has progressed, and reprice those whose rows it has written anew."""
        jobs, now = self._view.progressed(), self.state.run[0].now
        rows = [getattr(self._prices, name) for name in _REWRITTEN]
        before = [row[jobs] for row in rows]
        for job in jobs.tolist():
            progress.settle(self.state, self._prices, job, now)
        training.progressed(jobs)
        changed = np.zeros(len(jobs), dtype=np.bool_)
        for row, old in zip(rows, before, strict=True):
            changed |= row[jobs] != old
        for job in jobs[changed].tolist():
            progress.reprice(self.state, self._prices, job, now)

    def _start(self, decision: Start) -> None:
        job = self._known(decision.job)
        if self.state.job[job.row].phase != WAITING:
            raise self._refused(f"job {job.job_id} cannot start: it is not waiting")
        counts = self._checked(job, decision.placement)
        if self.state.run[0].rows + len(counts) > len(self.state.rows):
            self.state = with_room(self.state, len(counts))
            self._view.adopt(self.state)
        before = self._stopped.get(job.row)
        moves = before is not None and before.shape == self._shape(decision.placement)
        if self._training is not None and not moves:
            self._begin(job, decision)
        now = float(self.state.run[0].now)
        progress.start(self.state, self._prices, job.row, counts, now)
        if before is not None and moves:
            progress.keep_going(self.state, self._prices, job.row, now + before.unready_s)
        self._view.moved(job.row, to_running=True)

    def _begin(self, job: Job, decision: Start) -> None:
        assert self._training is not None
        done = float(self.state.job[job.row].done)
        try:
            self._training.begin(job.row, decision.placement, decision.variant, done)
        except ValueError as error:
            raise self._refused(f"job {job.job_id}: {error}") from None

    def _shape(self, placement: Placement) -> tuple[tuple[str, int], ...]:
        return tuple((self._view.cluster.gpu_type[node], gpus) for node, gpus in placement)

    def _stop(self, decision: Stop) -> None:
        job = self._known(decision.job)
        if self.state.job[job.row].phase != RUNNING:
            raise self._refused(f"job {job.job_id} cannot stop: it is not running")
        if self._free_moves:
            now, ready = float(self.state.run[0].now), float(self.state.job[job.row].ready)
            shape = self._shape(self._view.placement_of(job.row))
            self._stopped[job.row] = _Stopped(shape, max(ready - now, 0.0))
        progress.stop(self.state, self._prices, job.row, self.state.run[0].now)
        self._view.moved(job.row, to_running=False)

    def _wake(self, decision: Wake) -> None:
        at = float(decision.at_s)
        if not at > self.state.run[0].now or math.isinf(at):
            raise self._refused(f"wake at {at} is not a later time")
        due = pass_boundary(self.state, at)
        self.state.run[0].pass_due = min(self.state.run[0].pass_due, due)

    def _known(self, row: Any) -> Job:
        if not (_whole(row) and 0 <= row < len(self._jobs)):
            raise self._refused(f"there is no job {row!r}")
        return self._jobs.rows[row]

    def _checked(self, job: Job, placement: Placement) -> NDArray[np.int64]:
        free = self.state.free
        counts = np.zeros(len(free), np.int64)
        for node, gpus in placement:
            if not (_whole(node) and 0 <= node < len(free)):
                raise self._refused(f"job {job.job_id}: there is no node {node}")
            if not (_whole(gpus) and gpus >= 1) or counts[node]:
                raise self._refused(f"job {job.job_id}: node {node} must appear once, with whole GPUs, at least 1")
            if gpus > free[node]:
                raise self._refused(f"job {job.job_id}: node {node} has {free[node]} GPUs free, {gpus} asked")
            counts[node] = gpus
        total = int(counts[self.state.is_gpu].sum())
        if not job.min_gpus <= total <= job.max_gpus:
            rule = f"{job.min_gpus}" if job.min_gpus == job.max_gpus else f"{job.min_gpus} to {job.max_gpus}"
            raise self._refused(f"job {job.job_id}: gang of {rule} GPUs, {total} given")
        return counts

    def _refused(self, rule: str) -> DecisionError:
        return DecisionError(f"scheduler {self._scheduler.name} at {self.state.run[0].now:.6f} s: {rule}")

    def _stalled(self) -> None:
        waiting = int(np.argmax(self.state.job["phase"] == WAITING))
        name = self._jobs.job_id[waiting]
        raise self._refused(f"job {name} waits and nothing runs or will arrive: the scheduler never starts it")


def _whole(number: Any) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
