"""A scheduler of ours decides for a real Slurm.

One step reads the queue, asks the scheduler if something has changed, and carries out the difference. All state is
Slurm's, so a driver may be killed at any moment and started again. The scheduler object alone lives longer than a step:
until a job is submitted, a node comes or goes, or Slurm does something else than was decided; then a fresh one takes
over with what runs.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from artifact.slurm.changes import difference, fitting, holds, loose_ends
from artifact.slurm.client import UnreachableError
from artifact.slurm.orders import Achieved, Order
from artifact.slurm.queue import Caller, Queue, QueuedJob, QueueReader
from artifact.slurm.situation import Listing, listing_of, row_of, standing
from artifact.slurm.words import Place
from rarlib.model.errors import InputError, shown
from rarlib.model.scheduler import Scheduler
from rarlib.simulator.cost_models import CostModel, TrainingModel
from rarlib.simulator.policy import Driver
from rarlib.simulator.underway import take_over


class Log(Caller, Protocol):
    """A Slurm whose commands are logged (`artifact.slurm.logged.Logged`)."""

    def write(self, **entry: Any) -> None:
        """Append a line."""


class Settings(NamedTuple):
    """How a cluster is driven.

    Attributes:
        unit: what a GPU is in Slurm (`artifact.slurm.queue.GPU_UNITS`).
        restart_s: seconds without progress after a restart, as schedulers are told; None: as the cost model has it.
        patience_s: seconds after which a job that has been released and does not start is held again.
    """

    partition: str
    unit: str = "cpu"
    restart_s: float | None = None
    patience_s: float = 60.0
    seed: int = 0


class SlurmDriver:
    """Steps of one scheduler on one partition.

    `make` gives a new scheduler object; `cost` is what it believes about iteration times; `clock` (seconds since 1970)
    must agree with that of the Slurm's controller to a second.

    Attributes:
        left_alone: jobs of the partition that are not driven, and why.
        jobs_left: jobs that are waiting or running, after a step.

    Raises:
        InputError: for a cost model whose jobs change while they run.
    """

    def __init__(
        self,
        slurm: Log,
        make: Callable[[], Scheduler],
        cost: CostModel,
        settings: Settings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if isinstance(cost, TrainingModel):
            rule = "the driver does not measure how fast jobs train, so it has no use for the cost model"
            raise InputError(f"{rule} {cost.name}", file="--cost")
        self._slurm, self._make, self._cost, self._settings = slurm, make, cost, settings
        self._clock = clock
        self._reader = QueueReader(slurm, settings.partition, settings.unit)
        self._table: Listing | None = None
        self._scheduler = make()
        self._rng = np.random.default_rng(settings.seed)
        self._expected: dict[int, Place] = {}
        self._last: _Situation | None = None
        self._wake = math.inf
        self.left_alone: dict[str, str] = {}
        self.jobs_left = 0

    def plan(self) -> list[Order]:
        """Read the queue, and decide if something has changed; changes nothing in Slurm.

        Raises:
            InputError: if Slurm does not answer, or the scheduler cannot work with these jobs.
            DecisionError: for an impossible decision.
        """
        queue, now = self._reader.read(), self._clock()
        jobs, self.left_alone = fitting(queue)
        self.jobs_left = len(jobs)
        if not jobs:
            self._table = None
            return []
        jobs, due = loose_ends(jobs, queue.nodes, now, self._settings.patience_s, self._settings.unit)
        began = time.perf_counter()
        decided = self._decide(jobs, queue, now)
        if decided is None:
            return due
        seconds = time.perf_counter() - began
        self._slurm.write(decision=[f"{order.job}: {order.what}" for order in decided], seconds=seconds)
        done = {order.job for order in decided}
        return [*(order for order in due if order.job not in done or order.what == "hold"), *decided]

    def carry_out(self, due: Iterable[Order]) -> list[str]:
        """Send commands; returns what went wrong, a line each. The next step finds out what became of it."""
        wrong = []
        for order in due:
            try:
                for program, *arguments in order.commands:
                    self._slurm.call(program, *arguments)
            except InputError as error:  # mostly a job that has ended in between
                wrong.append(f"job {order.job}, {order.what}: {error}")
                self._table = None
        return wrong

    def _decide(self, jobs: Sequence[QueuedJob], queue: Queue, now: float) -> list[Order] | None:
        """What the scheduler changes; None if there was no reason to ask it."""
        self._renew(jobs, queue)
        assert self._table is not None
        driver = take_over(
            self._table.jobs,
            self._table.cluster,
            self._cost,
            self._scheduler,
            standing(self._table, jobs),
            now - self._table.zero,
            self._rng,
            restart_s=self._settings.restart_s,
        )
        if _situation(driver) == self._last and now - self._table.zero < self._wake:
            return None
        self._wake = driver.decide_now()
        self._last = _situation(driver)
        return self._orders(driver, self._table, jobs, now)

    def _renew(self, jobs: Sequence[QueuedJob], queue: Queue) -> None:
        """A fresh scheduler if the present one cannot know what it would be asked about."""
        present = {job.id: holds(job) for job in jobs}
        if self._table is not None:
            known = {row.id: row for row in self._table.rows}
            nodes = tuple(node._replace(up=True) for node in queue.nodes if node.gpus)
            same = nodes == self._table.nodes and all(known.get(job.id) == row_of(job) for job in jobs)
            # A job that held something and is gone has ended; any other difference is not what was decided.
            if same and all(place == present.get(job, place or None) for job, place in self._expected.items()):
                return
        self._table = listing_of(jobs, queue.nodes)
        self._scheduler, self._last, self._wake = self._make(), None, math.inf
        self._expected = present

    def _orders(self, driver: Driver, table: Listing, jobs: Sequence[QueuedJob], now: float) -> list[Order]:
        present, runs = {job.id for job in jobs}, set(driver.view.running_rows.tolist())
        rows = [(at, row.id) for at, row in enumerate(table.rows) if row.id in present]
        after = {job: table.place(driver.view.placement_of(at)) if at in runs else () for at, job in rows}
        self._expected.update(after)
        done = {job: _progress(driver, at) for at, job in rows}
        return difference(jobs, after, done, table.nodes, now, self._settings.unit)


_Situation = tuple[list[int], list[int]]


def _situation(driver: Driver) -> _Situation:
    """Phase and level of each job; if they change, so may decisions."""
    return driver.state.job["phase"].tolist(), driver.state.job["level"].tolist()


def _progress(driver: Driver, at: int) -> Achieved:
    state, length_s = driver.state.job[at], float(driver.view.jobs.duration_s[at])
    return Achieved(float(state.done / state.work) * length_s if state.work else 0.0, float(state.gpu_seconds))


def require_cluster(slurm: Caller, name: str) -> None:
    """Make sure that this is the Slurm that is meant.

    Raises:
        InputError: if it has another name.
    """
    for line in slurm.call("scontrol", "show", "config").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "ClusterName":
            if value.strip() != name:
                raise InputError(f"this Slurm is {shown(value.strip())}, not {shown(name)}", file="--cluster-name")
            return
    raise InputError("Slurm does not say its name", file="--cluster-name")


def keep_driving(driver: SlurmDriver, interval_s: float, say: Callable[[str], None], *, until_empty: bool) -> None:
    """Step after step, until it is interrupted; a Slurm that stops answering is asked again and again.

    `interval_s` is from the beginning of a step to that of the next; `say` tells the user of orders, in a line.

    Raises:
        InputError: if Slurm does not answer at the first step; at any step, if the scheduler cannot work with the jobs.
        DecisionError: for an impossible decision.
    """
    steps, lost = 0, False
    warned: dict[str, str] = {}
    while True:
        began = time.monotonic()
        try:
            due = driver.plan()
        except UnreachableError as error:
            if not steps:
                raise
            if not lost:
                say(f"{error}; asking again every {interval_s:g} s")
            lost = True
        else:
            lost = False
            for order in due:
                say(f"job {order.job}: {order.what}")
            for line in driver.carry_out(due):
                say(line)
            for job, why in driver.left_alone.items():
                if warned.get(job) != why:
                    say(f"job {job} is left alone: {why}")
            warned = dict(driver.left_alone)
            if until_empty and not driver.jobs_left:
                return
        steps += 1
        time.sleep(max(began + interval_s - time.monotonic(), 0.0))
