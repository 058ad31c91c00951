"""A run that is stepped through from outside, one decision at a time, on the engine of `rarlib.simulator`.

Actions, with K slots: 0 ends the pass; 1 to K start the waiting job of that slot; K + 1 to 2 K stop the running job of
that slot. Slots hold the first K jobs that wait, and the first K that run, in submission order. The placement rule of
the environment chooses the GPUs of a started gang.

The reward of a step is minus the time that jobs spent in the system during the step, summed over jobs and divided by
their number: the rewards of an episode add up to minus the mean JCT in seconds.
"""

import operator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import CONSOLIDATE, Placer, rule_number
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Start, Stop
from rarlib.model.errors import DecisionError, InputError, shown
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler, discipline_of
from rarlib.model.seeds import stream
from rarlib.simulator.clock import OVER, PASS
from rarlib.simulator.cost_models import CostModel, TrainingModel
from rarlib.simulator.engine import Given, check_fits, check_times, make_driver, price_table_of
from rarlib.simulator.identities import check_identities
from rarlib.simulator.linked_run import link_state_of
from rarlib.simulator.policy import Driver
from rarlib.simulator.run import Run
from rarlib.simulator.state import new_state

JOB_FEATURES = ("gpus", "remaining_s", "waited_s", "attained_gpu_s")
"""Columns of `Observation.jobs`: GPUs asked for; running time left alone; up to the job's last change, the time in the
system without GPUs, and GPU-seconds held."""

_MOST_SLOTS, _MOST_SEED = 2**16, 2**64 - 1


class Observation(NamedTuple):
    """What an agent sees.

    Attributes:
        jobs: features of the jobs in the slots, waiting ones first, zeros in empty slots, shape (2 K, 4), float32.
        nodes: free GPUs of each node over its GPUs, shape (nodes,), float32.
        counts: jobs that wait, jobs that run, jobs still to arrive, shape (3,), float32.
    """

    jobs: NDArray[np.float32]
    nodes: NDArray[np.float32]
    counts: NDArray[np.float32]


class _Agent:
    """Stands for the agent where the engine names a scheduler."""

    name: ClassVar[str] = "agent"
    label: ClassVar[str] = "agent"
    paper: ClassVar[str] = ""

    def decide(self, view: object) -> list[Decision]:
        """Not asked: decisions come from outside."""
        raise AssertionError("an environment asks no scheduler")


class SteppedRun:
    """A run that is stepped through; `reset` comes first.

    Args:
        jobs: the job table.
        cluster: the cluster.
        cost: the cost model, without shared links; one whose jobs change while they run serves `replay` only.
        slots: K.
        placement: placement rule of started gangs, one that accepts any free GPUs.
        quantum: as in `rarlib.simulator.engine.simulate`.

    Attributes:
        slots: K.
        nodes: nodes of the cluster.
        over: whether all jobs have finished.

    Raises:
        InputError: for a job that does not fit, a cost model or placement that cannot be used, a number of slots that
            is not from 1 to 65,536, or a quantum that is no number of seconds.
    """

    def __init__(
        self,
        jobs: Jobs,
        cluster: Cluster,
        cost: CostModel,
        *,
        slots: int = 16,
        placement: str = "pack",
        quantum: float = 0.0,
    ) -> None:
        jobs = cost.admit(jobs, cluster) if isinstance(cost, TrainingModel) else jobs
        check_fits(jobs, cluster)
        if rule_number(placement) == CONSOLIDATE:
            raise InputError("consolidate may refuse a gang; choose another placement", field="placement")
        check_times(whole_slots=False, quantum=quantum)
        slots = _whole(slots, "slots", 1, _MOST_SLOTS)
        self._jobs, self._cluster, self._cost, self._rule = jobs, cluster, cost, placement
        self._prices = price_table_of(cost, jobs, cluster, None)
        if link_state_of(cost, jobs, cluster, self._prices) is not None:
            raise InputError("an environment has no links that jobs share", field="cost")
        self.slots, self.nodes, self._quantum, self.over = slots, cluster.nodes, quantum, True

    def reset(self, seed: int = 0, scheduler: Scheduler | None = None) -> Observation:
        """Begin a run, and go to its first pass.

        Args:
            seed: of the random stream.
            scheduler: one that is to be replayed (`replay`); None: an agent.

        Raises:
            InputError: for an agent under a cost model whose jobs change while they run, or a seed that is no whole
                number of at least 0.
        """
        seed = _whole(seed, "seed", 0, _MOST_SEED)
        if scheduler is None and isinstance(self._cost, TrainingModel):
            rule = f"under {self._cost.name} jobs change while they run, which actions cannot follow; replay() can"
            raise InputError(rule, field="cost")
        who: Any = scheduler if scheduler is not None else _Agent()
        discipline = discipline_of(who)
        levels = discipline.levels if discipline is not None else ()
        state = new_state(self._jobs, self._cluster, self._prices, levels=levels, quantum=self._quantum)
        given = Given(stream(seed, "scheduler", who.name), Forecast.exact(len(self._jobs)))
        self.driver: Driver = make_driver(state, self._prices, self._cost, who, self._jobs, self._cluster, given)
        self._placer = Placer(self.driver.view) if scheduler is None else None
        # Fields of the records as plain arrays: reading a record is slow.
        self._clock, self._job = np.asarray(state.run), np.asarray(state.job)
        self._features = [self._job[name] for name in ("gpus", "alone_rate", "queue_s", "gpu_seconds")]
        self._work, self._finished = self._job["work"], self._clock["finished"]
        self._arrived, self._waits, self._busy = (self._clock[name] for name in ("arrived", "waiting", "busy"))
        self._area, self._total = self._clock["area_system"], self._cluster.total_gpus
        self._free_of, self._changed = 1.0 / self._cluster.gpus, set[int]()
        self.over = False
        self.end_pass()
        return self.observe()

    def end_pass(self) -> None:
        """Go on to the next pass, or to the end.

        Raises:
            DecisionError: if jobs are left and nothing will ever happen.
        """
        self._changed.clear()
        while self._finished[0] < len(self._jobs):
            happened = self.driver.advance()
            if happened == PASS:
                self.driver.open_pass()
                return
            if happened == OVER:
                raise DecisionError("jobs wait and nothing runs or will arrive")
        self.over = True

    def step(self, action: int) -> tuple[Observation, float, bool]:
        """Take an action: what is seen then, the reward, and whether the run is over.

        Raises:
            InputError: for an action that `mask` does not allow.
        """
        action = _whole(action, "action", 0, 2 * self.slots)
        waiting, running = self.driver.view.first_rows(self.slots)
        before = float(self._area[0])
        job = self._job_of(action, waiting, running)
        if action == 0 and not self.over and self._may_end():
            self.end_pass()
        elif job >= 0 and self._allowed(action, job):
            self._changed.add(job)
            self.driver.apply(self._start(job) if action <= self.slots else Stop(job))
        else:
            raise InputError(f"{action} is not allowed now; mask() says what is", field="action")
        reward = (before - float(self._area[0])) / len(self._jobs)
        return self.observe(), reward, self.over

    def mask(self) -> NDArray[np.bool_]:
        """Actions that are allowed, shape (2 K + 1,).

        A gang starts if enough GPUs are free. A job changes once in a pass. The pass does not end, and the last running
        job does not stop, where nothing would ever happen again.
        """
        allowed = np.zeros(2 * self.slots + 1, np.bool_)
        if not self.over:
            waiting, running = self.driver.view.first_rows(self.slots)
            allowed[1 : 1 + len(waiting)] = self._jobs.gpus[waiting] <= self._total - int(self._busy[0])
            allowed[self.slots + 1 : self.slots + 1 + len(running)] = self._running() > 1 or self._more_to_come()
            for offset, jobs in ((1, waiting), (self.slots + 1, running)):
                for job in self._changed.intersection(jobs):
                    allowed[offset + jobs.index(job)] = False
            allowed[0] = self._may_end()
        return allowed

    def observe(self) -> Observation:
        """What an agent sees now."""
        waiting, running = self.driver.view.first_rows(self.slots)
        jobs = np.zeros((2 * self.slots, len(JOB_FEATURES)), np.float32)
        rows = np.array(waiting + running, np.int64)
        if len(rows):
            gpus, rate, queue_s, gpu_s = self._features
            seen = np.empty((len(rows), len(JOB_FEATURES)))
            seen[:, 0], seen[:, 2], seen[:, 3] = gpus[rows], queue_s[rows], gpu_s[rows]
            left = self._work[rows]
            left[len(waiting) :] -= self.driver.view.work_done(rows[len(waiting) :])
            left[: len(waiting)] -= self._job["done"][rows[: len(waiting)]]
            seen[:, 1] = np.maximum(left, 0.0) / rate[rows]
            jobs[: len(waiting)] = seen[: len(waiting)]
            jobs[self.slots : self.slots + len(running)] = seen[len(waiting) :]
        counts = (self._waits[0], self._running(), len(self._jobs) - self._arrived[0])
        free = (self.driver.state.free * self._free_of).astype(np.float32)
        return Observation(jobs, free, np.array(counts, np.float32))

    def replay(self, scheduler: Scheduler, seed: int = 0) -> Run:
        """The whole run with the decisions of a scheduler, as `rarlib.simulator.engine.simulate` has it.

        Raises:
            DecisionError: when the scheduler asks for something impossible.
        """
        self.reset(seed, scheduler)
        while not self.over:
            for decision in scheduler.decide(self.driver.view):
                self.driver.apply(decision)
            self.end_pass()
        return self.record()

    def record(self) -> Run:
        """The record of a run that is over, its identities checked."""
        run = Run.of(self.driver.state, self._jobs, self._cluster, self._prices)
        check_identities(run)
        return run

    def _job_of(self, action: int, waiting: list[int], running: list[int]) -> int:
        """Row of the job that an action names; -1 for none."""
        jobs, slot = (waiting, action - 1) if action <= self.slots else (running, action - self.slots - 1)
        return jobs[slot] if 0 <= slot < len(jobs) else -1

    def _allowed(self, action: int, job: int) -> bool:
        if job in self._changed:
            return False
        if action <= self.slots:
            return bool(self._jobs.gpus[job] <= self._total - self._busy[0])
        return self._running() > 1 or self._more_to_come()

    def _may_end(self) -> bool:
        """Whether something will happen after the pass, or no job waits."""
        return self._running() > 0 or self._more_to_come() or int(self._waits[0]) == 0

    def _running(self) -> int:
        return int(self._arrived[0] - self._finished[0] - self._waits[0])

    def _more_to_come(self) -> bool:
        return bool(self._arrived[0] < len(self._jobs))

    def _start(self, job: int) -> Start:
        assert self._placer is not None
        placement = self._placer.take(self.driver.view.free.copy(), int(self._job["gpus"][job]), self._rule)
        assert placement is not None
        return Start(job, placement)


def _whole(value: Any, field: str, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"must be a whole number, found {shown(value)}", field=field) from None
    if not low <= number <= high:
        raise InputError(f"must be from {low} to {high}, found {number}", field=field)
    return number
