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
from rarlib.env.looking import Desk, fill_desk, new_desk
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Start, Stop
from rarlib.model.errors import DecisionError, InputError, shown
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler, discipline_of
from rarlib.model.seeds import stream
from rarlib.simulator.clock import OVER, PASS
from rarlib.simulator.cost_models import CostModel, LinkedModel, TrainingModel
from rarlib.simulator.engine import Given, check_fits, check_times, make_driver, price_table_of
from rarlib.simulator.identities import check_identities
from rarlib.simulator.policy import Driver
from rarlib.simulator.run import Run
from rarlib.simulator.state import new_state

_MOST_SLOTS, _MOST_SEED = 2**16, 2**64 - 1


class Observation(NamedTuple):
    """What an agent sees.

    Attributes:
        jobs: `rarlib.env.looking.JOB_FEATURES` of the jobs in the slots, waiting ones first, zeros in empty slots,
            shape (2 K, 4), float32.
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
        if isinstance(cost, LinkedModel):
            raise InputError("an environment has no links that jobs share", field="cost")
        self.slots, self.nodes, self._quantum, self.over = slots, cluster.nodes, quantum, True
        self._desk, self._is_written = new_desk(len(jobs), cluster, slots), True

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
        clock = np.asarray(state.run)
        self._finished, self._passes, self._area = clock["finished"], clock["passes"], clock["area_system"]
        self._desk = new_desk(len(self._jobs), self._cluster, self.slots)
        self.over = False
        self.end_pass()
        return self.observe()

    def end_pass(self) -> None:
        """Go on to the next pass, or to the end.

        Raises:
            DecisionError: if jobs are left and nothing will ever happen.
        """
        self._is_written = False
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
        if not self._looked().allowed[action]:
            raise InputError(f"{action} is not allowed now; mask() says what is", field="action")
        before = float(self._area[0])
        if action == 0:
            self.end_pass()
        else:
            running, slot = divmod(action - 1, self.slots)
            job = int(self._desk.rows[running, slot])
            self._desk.changed[job] = self._passes[0]
            self.driver.apply(Stop(job) if running else self._start(job))
            self._is_written = False
        return self.observe(), (before - float(self._area[0])) / len(self._jobs), self.over

    def mask(self) -> NDArray[np.bool_]:
        """Actions that are allowed, shape (2 K + 1,).

        A gang starts if enough GPUs are free. A job changes once in a pass. The pass does not end, and the last running
        job does not stop, where nothing would ever happen again.
        """
        return self._looked().allowed.copy()

    def observe(self) -> Observation:
        """What an agent sees now."""
        desk = self._looked()
        return Observation(desk.jobs.copy(), desk.nodes.copy(), desk.counts.copy())

    def _looked(self) -> Desk:
        """The arrays of the desk as they are now; they are written only if something has happened since."""
        desk = self._desk
        if not self._is_written:
            for kind, rows in enumerate(self.driver.view.first_rows(self.slots)):
                desk.rows[kind, : len(rows)] = rows
                desk.filled[kind] = len(rows)
            fill_desk(self.driver.state, desk, self.over)
            self._is_written = True
        return desk

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

    def _start(self, job: int) -> Start:
        assert self._placer is not None
        placement = self._placer.take(self.driver.state.free.copy(), int(self._jobs.gpus[job]), self._rule)
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
