"""Sia: goodput-optimised scheduling of adaptive jobs on several GPU types, by one integer program per round.

Source: Jayaram Subramanya, Arfeen, Lin, Qiao, Jia, Ganger, "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
scheduling", SOSP 2023, doi 10.1145/3600006.3613175, section 3, and its artifact (siasosp23/artifacts).

| paper | here | unit |
|---|---|---|
| G_ij | `goodput`: goodput of job i in configuration j, by the job's own models | samples/s |
| r_i | `_restart_factor` | 1 |
| T_i, N_i, S_i | age, `restarts.restarts`, `restarts.believed_restart_s` | s, 1, s |
| p | `p` | 1 |
| lambda | `lam` | 1 |
| X | `rarlib.ilp.sia.problem` | |

Each round estimates goodputs, divides every row by its smallest value, multiplies configurations that the job does not
hold by r_i, raises to the power p, rounds to two decimals, solves the program and places the gangs.

Where paper and code differ or leave a choice:

1. What a job knows of a type on which it has not run yet: `bootstrap`, `projection`, `share_max_replicas`; see
   `rarlib.cost.goodput.training`.
2. The code gives configurations out of bounds the value 1e-4. With p < 0 they are never chosen; with p > 0 they could
   be. Here they are excluded.
3. Equal optima: the paper leaves them to the solver; see `rarlib.ilp.sia.problem` for the rule here.
4. lambda's sign must be opposite to p's (the code leaves that to the user): here `lam` is its absolute value.
5. The penalty of changes, lambda_a, has no effect in the code and is left out.
6. Jobs in the middle of a checkpoint or restore keep their configuration (code; the paper does not say).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.nodes import Pools, arrange, configurations
from rarlib.allocate.present import exchange
from rarlib.ilp.sia.decide import Decider
from rarlib.ilp.sia.problem import MUST_RUN, RoundProblem
from rarlib.model.decisions import Decision, Placement, Wake
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel
from rarlib.model.jobs import Job
from rarlib.model.offers import Configurations, GoodputEstimates, RestartEstimates, needed
from rarlib.model.scheduler import View, in_system
from rarlib.model.settings import INTERVAL, OneOf, Within, check_settings

CLIP = 3000.0
"""Largest entry of the matrix (code)."""


class _Known(NamedTuple):
    """What does not change during a run."""

    goodput: GoodputEstimates  # the jobs' estimates of their speed
    restarts: RestartEstimates  # the cost of restarts
    options: Configurations  # columns of the matrix are these, then one per GPU type for rigid jobs
    kind: NDArray[np.int64]  # GPU type of each column
    pools: Pools  # nodes of each GPU type

    @classmethod
    def of(cls, view: View, name: str) -> "_Known":
        """Raises InputError if the cost model offers no goodput, or if nodes of one type differ in size."""
        goodput = needed(view.offers.goodput, name, "goodput")
        pools = Pools.of(view.cluster, np.array([goodput.types.index(each) for each in view.cluster.gpu_type]), name)
        options = configurations(goodput)
        columns = np.concatenate([options.kind, np.arange(len(pools.nodes))])
        return cls(goodput, needed(view.offers.restarts, name, "restarts"), options, columns, pools)


class _Gang(NamedTuple):
    """What a job holds: its column of the matrix, its placement, and since when it has had this column."""

    column: int
    placement: Placement
    since_s: float


class _Matrix(NamedTuple):
    """What the matrix of a round follows from; arrays of shape (jobs,), unless stated otherwise."""

    kind: NDArray[np.int64]  # GPU type of each column, shape (columns,)
    size: NDArray[np.int64]  # GPUs of each configuration, shape (configurations,)
    goodput: NDArray[np.float64]  # 0 for rigid jobs, shape (jobs, configurations)
    unit: NDArray[np.int64]  # GPUs of one replica, 0 for rigid jobs, shape (jobs, types)
    asked: NDArray[np.int64]  # GPUs of rigid jobs, 0 for others
    fixed: NDArray[np.float64]  # normalised goodputs of rigid jobs, 0 for others, shape (jobs, types)
    column: NDArray[np.int64]  # held, or -1
    stays: NDArray[np.bool_]  # whether the job must keep it
    age_s: NDArray[np.float64]  # T_i
    restarts: NDArray[np.int64]  # N_i
    start_s: NDArray[np.float64]  # S_i


@hot_kernel
def _fill(m: _Matrix, value: NDArray[np.float64], gpus: NDArray[np.int64]) -> None:
    """Normalised goodputs times r_i, and GPUs; 1 and 0 where a job cannot choose; both of shape (jobs, columns)."""
    for i in range(len(m.column)):
        goodput, least, unit = m.goodput[i], np.inf, 0
        for c in range(len(m.size)):
            if 0.0 < goodput[c] < least:
                least, unit = goodput[c], m.unit[i, m.kind[c]]
        for c in range(len(m.size)):
            # The fewest GPUs of an unknown type count as much as those of the slowest known type.
            blank = m.size[c] == m.unit[i, m.kind[c]]
            for other in range(len(m.size)):
                blank = blank and (m.kind[other] != m.kind[c] or not goodput[other] > 0.0)
            value[i, c], gpus[i, c] = m.size[c] if blank else goodput[c] * (unit / least), m.size[c]
        # r_i = max(T_i - N_i S_i, 0) / (T_i + S_i); 1 while a job is younger than a restart takes (code).
        age, start = m.age_s[i], m.start_s[i]
        factor = 1.0 if age < start else max(age - m.restarts[i] * start, 0.0) / (age + start)
        for c in range(len(m.kind)):
            if c >= len(m.size):
                value[i, c], gpus[i, c] = m.fixed[i, c - len(m.size)], m.asked[i]
            if m.column[i] >= 0 and m.column[i] != c:
                value[i, c] *= 0.0 if m.stays[i] else factor
            if not value[i, c] > 0.0:
                value[i, c], gpus[i, c] = 1.0, 0


@dataclass
class Sia:
    """Sia, with the paper's names for its parameters.

    Attributes:
        p: power of normalised goodputs; the sum is minimised if p < 0, maximised if p > 0.
        lam: absolute value of lambda, the penalty of a job without GPUs.
        round_s: time between rounds (simulate with the same quantum).
        bootstrap: `bootstrap`, `oracle` or `none`: what a job knows before it has run.
        projection: `code` or `paper`: how goodput is carried over to types where a job has not run.
        batch_limit: `requested` or `largest`: largest batch that jobs consider when they estimate goodput. The code
            uses the batch that the user requested on clusters of several types, and the largest batch on a cluster of
            one type.
        share_max_replicas: whether the largest of the types' limits of replicas applies to every type.
        preemptible: whether running jobs may be stopped or changed; if not, a job keeps what it first got.
        locality: whether jobs of unchanged size stay on their nodes where possible.
    """

    name: ClassVar[str] = "sia"
    label: ClassVar[str] = "Sia"
    paper: ClassVar[str] = "sia"
    one_type: ClassVar[str] = "fewest"
    learning: ClassVar[str] = "by-type"

    p: Annotated[float, Within(-100.0, 100.0)] = -0.5
    lam: Annotated[float, Within(1.0, excluded=True)] = 1.1
    round_s: Annotated[float, INTERVAL] = 60.0
    bootstrap: Annotated[str, OneOf("bootstrap", "oracle", "none")] = "bootstrap"
    projection: Annotated[str, OneOf("code", "paper")] = "code"
    batch_limit: Annotated[str, OneOf("requested", "largest")] = "requested"
    share_max_replicas: bool = True
    preemptible: bool = True
    locality: bool = True
    _known: _Known | None = field(default=None, init=False, repr=False)
    _decider: Decider = field(default_factory=Decider, init=False, repr=False)
    _held: dict[int, _Gang] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        if self.p == 0.0:
            raise InputError("must be a number other than 0, found 0", field="p")

    def decide(self, view: View) -> Iterable[Decision]:
        """One round."""
        if self._known is None:
            self._known = _Known.of(view, self.name)
        jobs, running = in_system(view), set(view.running_rows.tolist())
        self._held = {job: gang for job, gang in self._held.items() if job in running}
        if not jobs:
            return
        problem = self._problem(self._known, jobs, view.now_s)
        column = self._decider.decide(problem).column
        if not self.locality or not np.array_equal(column, problem.current):  # otherwise all stay where they are
            chosen = {job.row: choice for job, choice in zip(jobs, column.tolist(), strict=True)}
            yield from self._carry_out(self._known, view, problem.gpus, chosen)
        yield Wake(view.now_s + self.round_s)

    def _problem(self, known: _Known, jobs: list[Job], now_s: float) -> RoundProblem:
        rows, restarts, options = np.array([job.row for job in jobs]), known.restarts, known.options
        held = [self._held.get(job.row) for job in jobs]
        current = np.array([-1 if gang is None else gang.column for gang in held])
        stays = current >= 0
        if self.preemptible:
            since = np.array([-np.inf if gang is None else gang.since_s for gang in held])
            stays &= now_s - since < restarts.restart_s[rows] - 1e-6
        goodput = known.goodput.goodputs(rows, options, shared_limits=self.share_max_replicas)
        unit = known.goodput.pipeline[rows]
        asked = np.array([job.gpus if job.adaptivity == "rigid" else 0 for job in jobs])
        fixed = np.zeros(unit.shape)
        if len(rigid := np.flatnonzero(asked)):
            speed = known.goodput.requested_goodputs(rows[rigid])
            slowest = np.where(speed > 0.0, speed, np.inf).min(axis=1, keepdims=True)
            fixed[rigid], goodput[rigid], unit[rigid] = speed / slowest * asked[rigid, None], 0.0, 0
        age_s = now_s - np.array([job.submit_s for job in jobs])
        again = age_s, restarts.restarts[rows], restarts.believed_restart_s[rows]
        shape = len(jobs), len(known.kind)
        value, gpus = np.empty(shape), np.empty(shape, np.int64)
        _fill(_Matrix(known.kind, options.gpus, goodput, unit, asked, fixed, current, stays, *again), value, gpus)
        entry = np.minimum((value**self.p).round(2), CLIP)
        cost = np.rint(100.0 * entry).astype(np.int64) * (1 if self.p < 0.0 else -1)
        skip = np.where(stays, MUST_RUN, round(100.0 * self.lam))
        return RoundProblem(cost, gpus, known.kind, known.pools.capacity, skip, current)

    def _carry_out(
        self, known: _Known, view: View, gpus: NDArray[np.int64], column_of: Mapping[int, int]
    ) -> Iterator[Decision]:
        """Place the chosen gangs, given the GPUs of each choice, shape (jobs, columns), and each job's column or -1."""
        wanted = {
            row: (int(known.kind[column]), int(gpus[i, column]))
            for i, (row, column) in enumerate(column_of.items())
            if column >= 0
        }
        before = {row: gang.placement for row, gang in self._held.items()}
        after = known.pools.place(wanted, before, partial(arrange, locality=self.locality))
        held, self._held = self._held, {}
        for row, placement in after.items():
            gang = held.get(row)
            if gang is None or gang.placement != placement:
                same = gang is not None and gang.column == column_of[row]
                gang = _Gang(column_of[row], placement, gang.since_s if gang is not None and same else view.now_s)
            self._held[row] = gang
        yield from exchange(view, after)
