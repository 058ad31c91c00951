"""The Python driver: asks a scheduler for decisions, checks them and carries them out."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rarlib.model.decisions import Allocation, Decision, Placement, Start, Stop, Wake
from rarlib.model.errors import DecisionError, InputError, SchedulerError
from rarlib.model.jit import Repeated
from rarlib.model.jobs import Job
from rarlib.model.prices import Prices, rewritten
from rarlib.model.scheduler import Scheduler
from rarlib.model.training import Training
from rarlib.simulator import progress
from rarlib.simulator.allocation import carry_out, checked_placement, find_changed, is_whole
from rarlib.simulator.clock import EXPIRY, OVER, PASS, cut, open_instant, pass_boundary
from rarlib.simulator.cost_models import EpochTraining, RunLinks
from rarlib.simulator.state import RUNNING, WAITING, State, with_capacity
from rarlib.simulator.view import LiveView
from rarlib.simulator.waking import Waking

_Shape = tuple[tuple[tuple[str, int], ...], int]
"""GPUs by type, node by node, and the variant."""


class _Stopped(NamedTuple):
    """What a job held when it was stopped in this pass, and how much of its launch or restart was still left."""

    shape: _Shape
    unready_s: float


class Driver:
    """Runs one scheduler over one state, from before the first arrival on.

    With a training, `prices` must be a copy of the run's own, since the training writes into it. Without `links`,
    contention is counted by server. For `free_moves` see `rarlib.simulator.engine.Conventions`.
    """

    def __init__(
        self,
        state: State,
        view: LiveView,
        scheduler: Scheduler,
        prices: Prices,
        *,
        links: RunLinks | None = None,
        free_moves: bool = False,
    ) -> None:
        self.state, self.view, self._scheduler, self._prices = state, view, scheduler, prices
        self._jobs, self._training = view.jobs, (training := view.training)
        self._epochs = training if training is not None and isinstance(training, EpochTraining) else None
        # Fields of the records as plain arrays: reading a record costs more than a phase of work.
        clock, job = np.asarray(state.run), np.asarray(state.job)
        self._now, self._expired, self._due = clock["now"], clock["expired"], clock["pass_due"]
        self._finished, self._rows = clock["finished"], clock["rows"]
        self._phase, self._done = job["phase"], job["done"]
        self._links, self._changed = links, clock["changed"]
        self._free_moves = free_moves
        self._open, self._pass_boundary = Repeated(open_instant), Repeated(pass_boundary)
        self._settle_each, self._reprice = Repeated(progress.settle_each), Repeated(progress.reprice)
        self._start_job, self._stop_job = Repeated(progress.start), Repeated(progress.stop)
        self._waking = Waking(scheduler)
        self._stopped: dict[int, _Stopped] = {}
        self._variant: dict[int, int] = {}

    def run(self, report: Callable[[int], None]) -> State:
        """Run until nothing will happen or time is up; calls `report` with the number of finished jobs now and then.

        Raises:
            DecisionError: for an impossible decision.
        """
        while self._finished.item() < len(self._phase):
            if (happened := self.advance()) == PASS:
                self._pass()
                report(self._finished.item())
            elif happened == OVER:
                if math.isfinite(self.state.run[0].until_s):
                    cut(self.state, self._prices)
                break
        return self.state

    def advance(self) -> int:
        """Go to the next instant: `PASS`, `NO_PASS` or `OVER` of `rarlib.simulator.clock`; what expires is renewed."""
        while (happened := self._open_instant()) == EXPIRY:
            self._renew(self._expired.item(), self._now.item())
        return happened

    def _open_instant(self) -> int:
        if self._epochs is not None:
            return self._epochs.skip_epochs(self.state, self._prices, self._links)
        if self._links is not None and self._changed[0]:
            self._links.look_ahead(self.state, self._prices)
        return int(self._open(self.state, self._prices))

    def _renew(self, job: int, now: float) -> None:
        if self._training is None:
            raise AssertionError(f"prices of job {self._jobs.job_id[job]} expire, but there is no training")
        done = float(self._prices.until[job])
        renewed = self._training.renew(job, done)
        if not self._prices.until[job] > done:
            raise AssertionError(f"the new prices of job {self._jobs.job_id[job]} have expired already")
        self._reprice(self.state, self._prices, job, now)
        if renewed:
            due = self._pass_boundary(self.state, now)
            self._due[0] = min(self._due[0], due)

    def _pass(self) -> None:
        self.open_pass()
        for decision in self._decisions():
            self.apply(decision)

    def open_pass(self) -> None:
        """Bring view and training up to the present, before the decisions of a pass."""
        self.view.refresh(self.state)
        self._stopped.clear()
        if self._training is not None:
            self._learn(self._training)

    def apply(self, decision: Decision) -> None:
        """Carry out one decision of the pass that is open.

        Raises:
            DecisionError: if it is impossible.
        """
        if isinstance(decision, Start):
            self._start(decision)
        elif isinstance(decision, Stop):
            self._stop(decision)
        elif isinstance(decision, Allocation):
            self._allocate(decision)
        elif isinstance(decision, Wake):
            self._wake(decision)
        else:
            raise self._refused(f"{decision!r} is not a decision")

    def _decisions(self) -> Iterator[Decision]:
        """What the scheduler decides in this pass; an exception of its own code is reported with its place."""
        try:
            yield from self._scheduler.decide(self.view)
        except (InputError, DecisionError):
            raise
        except Exception as error:
            when = f"pass {int(self.state.run[0].passes)} at {float(self._now[0]):g} s"
            raise SchedulerError(self._scheduler.name, when, error) from error

    def _learn(self, training: Training) -> None:
        """Tell the training which jobs have progressed, and reprice those whose rows it has rewritten."""
        jobs, now = self.view.progressed(), float(self._now[0])
        rows = rewritten(self._prices)
        before = rows[:, jobs]
        self._settle_each(self.state, self._prices, jobs, now)
        training.progressed(jobs)
        for job in jobs[(rows[:, jobs] != before).any(axis=0)].tolist():
            self._reprice(self.state, self._prices, job, now)

    def _start(self, decision: Start) -> None:
        job = self._known(decision.job)
        if self._phase.item(job.row) != WAITING:
            raise self._refused(f"job {job.job_id} cannot start: it is not waiting")
        try:
            counts = checked_placement(self.state, job, decision.placement)
        except ValueError as error:
            raise self._refused(str(error)) from None
        if self._rows.item() + len(counts) > len(self.state.rows):
            self.state = with_capacity(self.state, len(counts))
            self.view.adopt(self.state)
        before = self._stopped.get(job.row)
        moves = before is not None and before.shape == self._shape(decision.placement, decision.variant)
        if self._training is not None and not moves:
            self._begin(job, decision)
        now = self._now.item()
        self._start_job(self.state, self._prices, job.row, counts, now)
        if before is not None and moves:
            progress.keep_going(self.state, self._prices, job.row, now + before.unready_s)
        self._variant[job.row] = decision.variant
        self.view.moved(job.row, to_running=True)

    def _begin(self, job: Job, decision: Start) -> None:
        assert self._training is not None
        done = float(self._done[job.row])
        try:
            self._training.begin(job.row, decision.placement, decision.variant, done)
        except ValueError as error:
            raise self._refused(f"job {job.job_id}: {error}") from None

    def _shape(self, placement: Placement, variant: int) -> _Shape:
        return tuple((self.view.cluster.gpu_type[node], gpus) for node, gpus in placement), variant

    def _stop(self, decision: Stop) -> None:
        job = self._known(decision.job)
        if self._phase[job.row] != RUNNING:
            raise self._refused(f"job {job.job_id} cannot stop: it is not running")
        if self._free_moves:
            now, ready = float(self._now[0]), float(self.state.job[job.row].ready)
            shape = self._shape(self.view.placement_of(job.row), self._variant[job.row])
            self._stopped[job.row] = _Stopped(shape, max(ready - now, 0.0))
        self._stop_job(self.state, self._prices, job.row, float(self._now[0]))
        self.view.moved(job.row, to_running=False)

    def _allocate(self, decision: Allocation) -> None:
        self._check_allocation(decision)
        changed = np.zeros(len(decision.jobs), np.bool_)
        find_changed(self.state, decision.jobs, decision.gpus, changed)
        jobs, gpus = decision.jobs[changed], decision.gpus[changed]
        if self._training is None and not self._free_moves:
            self.state = with_capacity(self.state, int(np.count_nonzero(gpus)))
            carry_out(self.state, self._prices, jobs, gpus, float(self._now[0]))
            self.view.adopt(self.state)
            self.view.reassigned(jobs)
            return
        for job in jobs[self.state.job["phase"][jobs] == RUNNING].tolist():
            self._stop(Stop(job))
        for job, counts in zip(jobs.tolist(), gpus, strict=True):
            nodes = np.flatnonzero(counts)
            if len(nodes):
                self._start(Start(job, tuple(zip(nodes.tolist(), counts[nodes].tolist(), strict=True))))

    def _check_allocation(self, decision: Allocation) -> None:
        jobs, gpus = decision
        if gpus.shape != (len(jobs), self.view.cluster.nodes) or gpus.dtype != np.int64 or (gpus < 0).any():
            raise self._refused("an allocation must give whole GPUs, 0 or more, by job and node")
        total, waiting, running = len(self._jobs), self.view.waiting_rows, self.view.running_rows
        if jobs.dtype != np.int64 or (jobs < 0).any() or (jobs >= total).any():
            raise self._refused("an allocation must name jobs by their rows")
        unnamed = -np.bincount(jobs, minlength=total)
        unnamed[waiting] += 1
        unnamed[running] += 1
        if (unnamed < 0).any():
            raise self._refused("an allocation must name jobs in the system only, each once")
        if unnamed[running].any():
            raise self._refused("an allocation must name every running job")
        over = np.flatnonzero(gpus.sum(axis=0) > self.view.cluster.gpus)
        if len(over):
            raise self._refused(f"node {over[0]} has {self.view.cluster.gpus[over[0]]} GPUs, more are allocated")
        given = gpus[:, self.state.is_gpu].sum(axis=1)
        wrong = (given < self._jobs.min_gpus[jobs]) | (given > self._jobs.max_gpus[jobs])
        for i in np.flatnonzero(wrong & gpus.any(axis=1)):
            job = self._jobs.rows[jobs[i]]
            rule = f"gang of {job.min_gpus} to {job.max_gpus} GPUs, {given[i]} given"
            raise self._refused(f"job {job.job_id}: {rule}")

    def _wake(self, decision: Wake) -> None:
        at = float(decision.at_s)
        if not at > self._now[0] or math.isinf(at):
            raise self._refused(f"wake at {at} is not a later time")
        self._waking.ask(self.state)
        due = self._pass_boundary(self.state, at)
        if not due > self._now[0]:  # rounded to this boundary, where a pass would ask for the same again
            due = at
        self._due[0] = min(self._due[0], due)

    def _known(self, row: Any) -> Job:
        if not (is_whole(row) and 0 <= row < len(self._phase)):
            raise self._refused(f"there is no job {row!r}")
        return self._jobs.rows[row]

    def _refused(self, rule: str) -> DecisionError:
        return DecisionError(f"scheduler {self._scheduler.name} at {self.state.run[0].now:.6f} s: {rule}")
