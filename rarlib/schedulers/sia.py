"""Sia: goodput-optimised scheduling of adaptive jobs on several GPU types, by one integer program per round.

Source: Jayaram Subramanya, Arfeen, Lin, Qiao, Jia, Ganger, "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
scheduling", SOSP 2023, doi 10.1145/3600006.3613175, section 3, and its artifact (siasosp23/artifacts).

| paper | here | unit |
|---|---|---|
| G_ij | `goodput`: of job i in configuration j, by the job's own models | samples/s |
| r_i | `_restart_factor` | 1 |
| T_i, N_i, S_i | age, `training.restarts`, `training.believed_restart_s` | s, 1, s |
| p | `p` | 1 |
| lambda | `lam` | 1 |
| X | `rarlib.ilp.sia.problem` | |

Each round: estimate, normalise every row by its least value, multiply what is not held now by r_i, raise to the power p
and round to two decimals, decide, place.

Where paper and code differ or leave a choice:

1. What is known of a type before a job ran there: `bootstrap`, `projection`, `share_max_replicas`; see
   `rarlib.cost.goodput.training`.
2. The code gives configurations out of bounds the value 1e-4 instead of none. With p < 0 they never win; with p > 0
   they could. Here there are none.
3. Equal optima: the paper leaves them to the solver; see `rarlib.ilp.sia.problem` for the rule here.
4. lambda's sign must be opposite to p's (the code leaves that to the user): here `lam` is its size.
5. The penalty of changes, lambda_a, has no effect in the code and is left out.
6. Jobs in the middle of a checkpoint or restore keep their configuration (code; the paper does not say).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.nodes import arrange
from rarlib.cost.goodput.estimates import Configurations
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.ilp.sia.decide import Decider
from rarlib.ilp.sia.problem import NEVER, Problem
from rarlib.model.decisions import Decision, Placement, Start, Stop, Wake
from rarlib.model.errors import InputError, require_numbers
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View
from rarlib.schedulers.sia_parts.configurations import configurations

CLIP = 3000.0
"""Largest entry of the matrix (code)."""


class _World(NamedTuple):
    """What does not change during a run.

    Attributes:
        training: what jobs know of themselves.
        options: configurations; the columns of the matrix are these and then one per GPU type, for rigid jobs.
        kind: GPU type of each column.
        gpus: GPUs of each configuration.
        capacity: GPUs of each type.
        nodes: nodes of each type.
    """

    training: GoodputTraining
    options: Configurations
    kind: NDArray[np.int64]
    capacity: NDArray[np.int64]
    nodes: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(cls, view: View, name: str) -> "_World":
        """Raises InputError when jobs are not priced by goodput, or when nodes of one type differ in size."""
        training = view.training
        if not isinstance(training, GoodputTraining):
            raise InputError(f"{name} needs jobs that learn their goodput: --cost goodput", field="cost")
        names = np.array(view.cluster.gpu_type)
        nodes = tuple(np.flatnonzero(names == kind) for kind in training.types)
        for kind, part in zip(training.types, nodes, strict=True):
            if len(set(view.cluster.gpus[part].tolist())) > 1:
                raise InputError(f"{name} needs equal nodes of type {kind}", file="--cluster")
        options = configurations(training)
        columns = np.concatenate([options.kind, np.arange(len(nodes))])
        return cls(training, options, columns, np.array([view.cluster.gpus[part].sum() for part in nodes]), nodes)


class _Gang(NamedTuple):
    """What a job holds: a column of the matrix, where, and since when in this shape."""

    column: int
    placement: Placement
    since_s: float


@dataclass
class Sia:
    """Sia, with the paper's names for its parameters.

    Attributes:
        p: power of normalised goodputs; below 0 the sum is minimised, above it maximised.
        lam: size of lambda, the penalty of a job without GPUs.
        round_s: time between rounds (simulate with the same quantum).
        bootstrap: `bootstrap`, `oracle` or `none`: what is known before a job has run.
        projection: `code` or `paper`: how goodput is carried over to types where a job has not run.
        batch_limit: `requested` or `largest`: up to which batch jobs look when they estimate goodput. The code takes
            the batch the user asked for on clusters of several types, and the largest one on a cluster of one type.
        share_max_replicas: the largest limit of replicas of all types holds on each.
        preemptible: whether running jobs may be stopped or changed; else a job keeps what it got first.
        locality: jobs of unchanged size stay on their nodes where possible.
    """

    name: ClassVar[str] = "sia"
    label: ClassVar[str] = "Sia"
    paper: ClassVar[str] = "sia"
    learning: ClassVar[str] = "by-type"

    p: float = -0.5
    lam: float = 1.1
    round_s: float = 60.0
    bootstrap: str = "bootstrap"
    projection: str = "code"
    batch_limit: str = "requested"
    share_max_replicas: bool = True
    preemptible: bool = True
    locality: bool = True
    _world: _World | None = field(default=None, init=False, repr=False)
    _decider: Decider = field(default_factory=Decider, init=False, repr=False)
    _held: dict[int, _Gang] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.p) and self.p != 0.0):
            raise InputError(f"must be a number other than 0, found {self.p}", field="p")
        if not (np.isfinite(self.lam) and self.lam > 1.0):
            raise InputError(f"must be a number above 1, found {self.lam}", field="lam")
        require_numbers(self, "round_s")

    def decide(self, view: View) -> Iterable[Decision]:
        """One round."""
        if self._world is None:
            self._world = _World.of(view, self.name)
        held = {running.job.row: running for running in view.running}
        jobs = sorted([*view.waiting, *(running.job for running in held.values())], key=lambda job: job.row)
        self._held = {job: gang for job, gang in self._held.items() if job in held}
        if not jobs:
            return
        problem = self._problem(self._world, jobs, view.now_s)
        columns = self._decider.decide(problem).column
        yield from self._carry_out(self._world, problem, jobs, columns, view.now_s)
        yield Wake(view.now_s + self.round_s)

    def _problem(self, world: _World, jobs: list[Job], now_s: float) -> Problem:
        rows = np.array([job.row for job in jobs])
        value, gpus = self._values(world, jobs, rows)
        current = np.array([self._held[row].column if row in self._held else -1 for row in rows.tolist()])
        factor = self._restart_factor(world, jobs, rows, now_s)
        other = (current >= 0)[:, None] & (np.arange(len(world.kind)) != current[:, None])
        value = np.where(other, value * factor[:, None], value)
        gpus = np.where(value > 0.0, gpus, 0)
        entry = np.minimum(np.round(np.where(gpus > 0, value, 1.0) ** self.p, 2), CLIP)
        cost = np.rint(100.0 * entry).astype(np.int64) * (1 if self.p < 0.0 else -1)
        skip = np.full(len(jobs), round(100.0 * self.lam))
        since = np.array([self._held[row].since_s if row in self._held else -np.inf for row in rows.tolist()])
        stays = (current >= 0) & (not self.preemptible or (now_s - since < world.training.restart_s[rows] - 1e-6))
        skip[stays] = NEVER
        gpus[stays[:, None] & other] = 0
        return Problem(cost, gpus, world.kind, world.capacity, skip, current)

    def _values(
        self, world: _World, jobs: list[Job], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Normalised goodputs, 0 where there is no such choice, and GPUs, both of shape (jobs, columns)."""
        training, options = world.training, world.options
        goodput = training.goodputs(rows, options, shared_limits=self.share_max_replicas)
        unit = training.pipeline[rows]
        least = np.where(goodput > 0.0, goodput, np.inf)
        where = least.argmin(axis=1)
        base = least[np.arange(len(rows)), where]
        scale = np.where(np.isfinite(base), unit[np.arange(len(rows)), options.kind[where]] / base, 0.0)
        value = np.zeros((len(rows), len(world.kind)))
        value[:, : len(options.gpus)] = goodput * scale[:, None]
        # Of an unknown type the fewest GPUs are worth as many of the slowest known one.
        blank = (goodput > 0.0) @ (options.kind[:, None] == np.arange(len(world.capacity))) == 0
        first = blank[:, options.kind] & (options.gpus == unit[:, options.kind])
        value[:, : len(options.gpus)][first] = unit[:, options.kind][first]
        gpus = np.zeros(value.shape, np.int64)
        gpus[:, : len(options.gpus)] = options.gpus
        rigid = np.flatnonzero([job.adaptivity == "rigid" for job in jobs])
        if len(rigid):
            asked = np.array([jobs[i].gpus for i in rigid])[:, None]
            speed = training.requested.goodputs(rows[rigid])
            slowest = np.where(speed > 0.0, speed, np.inf).min(axis=1, keepdims=True)
            value[rigid, : len(options.gpus)] = 0.0
            value[rigid, len(options.gpus) :] = speed / slowest * asked
            gpus[rigid, len(options.gpus) :] = asked
        return value, gpus

    def _restart_factor(
        self, world: _World, jobs: list[Job], rows: NDArray[np.int64], now_s: float
    ) -> NDArray[np.float64]:
        """r_i = max(T_i - N_i S_i, 0) / (T_i + S_i); 1 while a job is younger than a restart takes (code)."""
        age = now_s - np.array([job.submit_s for job in jobs])
        cost = world.training.believed_restart_s[rows]
        factor = np.maximum(age - world.training.restarts[rows] * cost, 0.0) / (age + cost)
        return np.where(age < cost, 1.0, factor)

    def _carry_out(
        self, world: _World, problem: Problem, jobs: list[Job], columns: NDArray[np.int64], now_s: float
    ) -> Iterator[Decision]:
        gangs: list[dict[int, int]] = [{} for _ in world.nodes]
        before: list[dict[int, Placement]] = [{} for _ in world.nodes]
        column_of = {}
        for i, (job, column) in enumerate(zip(jobs, columns.tolist(), strict=True)):
            column_of[job.row] = column
            if column >= 0:
                gangs[world.kind[column]][job.row] = int(problem.gpus[i, column])
        for row, now in self._held.items():
            before[world.kind[now.column]][row] = now.placement
        after: dict[int, Placement] = {}
        for kind, nodes in enumerate(world.nodes):
            room = int(world.training.room[kind])
            after |= arrange(nodes, room, gangs[kind], before[kind], locality=self.locality)
        moved = [row for row in column_of if row not in self._held or after.get(row) != self._held[row].placement]
        yield from [Stop(row) for row in moved if row in self._held]
        for row in moved:
            gang = self._held.get(row)
            if row in after:
                since = gang.since_s if gang is not None and gang.column == column_of[row] else now_s
                self._held[row] = _Gang(column_of[row], after[row], since)
                yield Start(row, after[row])
            elif gang is not None:
                del self._held[row]
