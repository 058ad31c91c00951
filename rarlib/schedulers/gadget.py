"""GADGET: elastic jobs, slot by slot, with bandwidth reserved along their rings.

Source: Yu, Tian, Ji, Wu, Rajan, Liu, "GADGET: Online Resource Optimization for Scheduling Ring-All-Reduce Learning
Jobs", INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, Alg. 1 and 2.

| paper | here | unit |
|---|---|---|
| t | slots of `slot_s` | s |
| I[t] | jobs in the system | |
| z_i,t-1 | worker-slots that correspond to the progress so far | worker-slots |
| N_i | `max_gpus` of the job | workers |
| F_i | work left of the job | iterations |
| zeta_i | iterations that one GPU of the requested gang completes in a slot | iterations |
| mu_i | `utility`, a function of iterations | |
| b_i | `gbps` | Gbit/s |

Differences between a run on a trace and the paper:

1. Jobs also have a smallest number of GPUs; a rigid job has one ring size.
2. Progress is counted, not the time for which GPUs are held: a restart costs time.
3. A job whose number of GPUs is unchanged stays where it is (`placing.stay`).
4. A slot in which every job already has as many GPUs as it can use is not planned again.
5. GPUs that Alg. 2 leaves free go to waiting jobs (`fill`): a drawn mapping that no longer fits leaves GPUs idle while
   jobs wait, and they would stay idle for ever if a utility has become flat. Without `fill`, this is done only in slots
   in which no job would run.
6. The bandwidth is reserved in the network of the cluster, but the iteration time is that of the cost model.
7. Jobs with adaptive batches are assigned to GPU types (`rarlib.allocate.by_type`), and Alg. 2 runs type by
   type. The work that a number of workers does in a slot is not zeta_i times that number, but the job's own estimate,
   in seconds of run time on the requested GPUs.

With `stated` the jobs are the paper's instead of a trace's, and 1, 3, 4, 5 and 6 do not apply (`gadget_parts.stated`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.by_type import Types, assign_types
from rarlib.allocate.present import held_gpus, rows_in_system
from rarlib.cost.utilities import Logarithm, NegativeQuadratic, Sigmoid, SquareRoot, Utility
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.problem import TOLERANCE, SlotJobs, SlotProblem
from rarlib.ilp.gadget.relaxation import attainable
from rarlib.model.decisions import Allocation, Decision, Wake
from rarlib.model.errors import InputError
from rarlib.model.jobs import Job
from rarlib.model.prices import alone_per_s
from rarlib.model.scheduler import View
from rarlib.model.settings import ABOVE_0, FRACTION, INTERVAL, OneOf, Within, check_settings
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget_parts.placing import Held, fill, stay
from rarlib.schedulers.gadget_parts.slot import solve_slot
from rarlib.schedulers.gadget_parts.stated import Stated

UTILITIES = ("sqrt", "log", "quadratic", "sigmoid")


@dataclass
class Gadget:
    """GADGET on any trace and cluster.

    Attributes:
        utility: utility of the iterations done, weight 1 for every job: `sqrt` (the paper's excessive training
            avoidance; the default, since it is concave and needs no parameter that a trace does not record), `log`,
            `quadratic` (peak at the job's end) or `sigmoid` (half of it at half of the job, a tenth at a quarter).
        slot_s: length of a slot.
        gbps: bandwidth that a ring over several servers reserves, Gbit/s; None: a quarter of the narrowest link, which
            for a link of 10 Gbit/s, the narrowest of the paper's evaluation, is the middle of the range used there.
        draws: largest number of roundings, u_b.
        alpha: fraction of the LP's value at which rounding stops.
        fill: whether waiting jobs get the GPUs that are left.
        stated: the paper's jobs, of which more is known than a trace records; all parameters above except `slot_s` are
            then ignored.
    """

    name: ClassVar[str] = "gadget"
    label: ClassVar[str] = "GADGET"
    paper: ClassVar[str] = "gadget"
    one_type: ClassVar[str] = "fewest"
    learning: ClassVar[str] = "by-type"

    utility: Annotated[str, OneOf(*UTILITIES)] = "sqrt"
    slot_s: Annotated[float, INTERVAL] = 600.0
    gbps: Annotated[float, ABOVE_0] | None = None
    draws: Annotated[int, Within(1, 100_000)] = 1000
    alpha: Annotated[float, FRACTION] = 1 / 3
    fill: bool = True
    stated: Stated | None = None
    _due: float | None = field(default=None, init=False, repr=False)
    _columns: dict[int, Columns] = field(default_factory=dict, init=False, repr=False)
    _network: TreeNetwork | None = field(default=None, init=False, repr=False)
    _types: Types | None = field(default=None, init=False, repr=False)
    _kind: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)

    def decide(self, view: View) -> Iterable[Decision]:
        """Alg. 1: Alg. 2 for the jobs in the system, at the beginning of every slot that has any."""
        if view.offers.goodput is not None and self._types is None:
            self._types = Types(view.offers.goodput, view.cluster)
        if self._due is None:
            self._due = float(np.ceil(view.now_s / self.slot_s - 1e-9)) * self.slot_s
        if view.now_s >= self._due:
            rows = rows_in_system(view)
            if not len(rows):
                self._due = None
                return
            yield from self._slot(view, rows) if self.stated is None else [self._as_stated(view, rows, self.stated)]
            self._due = (float(np.floor(view.now_s / self.slot_s + 1e-9)) + 1.0) * self.slot_s
        yield Wake(self._due)

    def _slot(self, view: View, rows: NDArray[np.int64]) -> list[Allocation]:
        jobs, now = [view.job(row) for row in rows.tolist()], held_gpus(view, rows)
        most = np.minimum([job.max_gpus for job in jobs], view.cluster.total_gpus)
        if (now.sum(axis=1) >= most).all():
            return []
        running = {i: now[i] for i in np.flatnonzero(now.any(axis=1)).tolist()}
        if self._types is None:
            workers = self._allocate(view, self._problem(view, jobs, running), running, 0)
        else:
            workers = self._by_type(view, self._types, jobs, running)
        return [Allocation(rows, workers)]

    def _as_stated(self, view: View, rows: NDArray[np.int64], stated: Stated) -> Allocation:
        network = self._network = TreeNetwork.of(view.cluster) if self._network is None else self._network
        return Allocation(rows, stated.allocate(network, rows, view.attained_gpu_s(rows) / self.slot_s))

    def _by_type(self, view: View, types: Types, jobs: list[Job], held: Held) -> NDArray[np.int64]:
        """Workers of jobs with adaptive batches, shape (jobs, nodes)."""
        rate = types.rates(view, np.array([job.row for job in jobs]))
        least = np.array([[job.min_gpus] for job in jobs])
        now = np.array([self._kind.get(job.row, -1) if row in held else -1 for row, job in enumerate(jobs)])
        kind = assign_types(rate, np.arange(len(jobs)), least, now, types.capacity, types.capacity.copy()).kind
        self._kind = {job.row: k for job, k in zip(jobs, kind.tolist(), strict=True)}
        workers = np.zeros((len(jobs), view.cluster.nodes), np.int64)
        for k in range(len(types.capacity)):
            rows, nodes = np.flatnonzero(kind == k), np.flatnonzero(types.kind_of == k)
            if len(rows):
                here = {i: held[row][nodes] for i, row in enumerate(rows.tolist()) if now[row] == k}
                known = self._columns.get(k)
                network = TreeNetwork.of(view.cluster).part(nodes) if known is None else known.network
                problem = self._adaptive(view, [jobs[row] for row in rows], network, rate[rows, k])
                workers[np.ix_(rows, nodes)] = self._allocate(view, problem, here, k)
        return workers

    def _adaptive(self, view: View, jobs: list[Job], network: TreeNetwork, rate: NDArray[np.float64]) -> SlotProblem:
        """The problem of one type; `rate`: work per second by job and workers there."""
        names = np.array([job.row for job in jobs])
        each_s = np.array([job.duration_s for job in jobs]) / view.prices.work[names]
        work, left = view.prices.work[names], view.work_left(names)
        done = np.maximum(work - left, 0.0)
        later = done[:, None] + np.minimum(self.slot_s * rate, left[:, None])
        utility = self._utility(np.maximum(work * each_s, TOLERANCE))
        gain = utility.value(later * each_s[:, None]) - utility.value(done * each_s)[:, None]
        sizes, least = np.arange(rate.shape[1]), np.array([job.min_gpus for job in jobs])
        allowed = (rate > 0.0) & (sizes >= least[:, None])
        table = SlotJobs.build(
            utility=utility,
            largest=(sizes * allowed).max(axis=1),
            smallest=least,
            bandwidth=self._reserved(network),
        )
        table.check_fit(network)
        problem = table.slot(network, np.arange(len(jobs)), np.zeros(len(jobs)))
        most = problem.gain.shape[1]
        return replace(problem, job=names, gain=np.where(allowed, np.maximum(gain, 0.0), 0.0)[:, :most])

    def _allocate(self, view: View, problem: SlotProblem, held: Held, kind: int) -> NDArray[np.int64]:
        if kind not in self._columns:
            self._columns[kind] = Columns(problem.network)
        columns = self._columns[kind]
        columns.forget_others(problem.job)
        result = solve_slot(problem, view.rng, draws=self.draws, alpha=self.alpha, columns=columns)
        workers = stay(problem, result.workers, held, keep=self.fill)
        return fill(problem, workers, held) if self.fill or not workers.any() else workers

    def _problem(self, view: View, jobs: list[Job], held: Held) -> SlotProblem:
        names, gpus, least, most = np.array([(job.row, job.gpus, job.min_gpus, job.max_gpus) for job in jobs]).T
        zeta = self.slot_s * alone_per_s(view.prices, names) / gpus
        left = view.remaining_s(names) * gpus / self.slot_s
        work = np.maximum(view.prices.work[names], TOLERANCE)
        now = np.array([held[row].sum() if row in held else 0 for row in range(len(jobs))])
        most = np.minimum(most, view.cluster.total_gpus)
        network = self._columns[0].network if self._columns else TreeNetwork.of(view.cluster)
        gbps = self._reserved(network)
        table = SlotJobs.build(
            utility=self._utility(work),
            largest=np.clip(np.ceil(left), np.maximum(least, now), most),  # (11); no job shrinks just before its end
            smallest=least,
            bandwidth=gbps,
            efficiency=zeta,
        )
        table.check_fit(network)
        problem = table.slot(network, np.arange(len(jobs)), np.maximum(work / zeta - left, 0.0))
        stuck = np.flatnonzero(attainable(problem) < least)
        if len(stuck):
            job = jobs[int(stuck[0])]
            rule = f"no ring of {job.min_gpus} GPUs for job {job.job_id} finds {gbps:g} Gbit/s on its links"
            raise InputError(rule, field="gbps")
        return replace(problem, job=names)

    def _reserved(self, network: TreeNetwork) -> float:
        if self.gbps is not None:
            return self.gbps
        narrowest = float(min(network.link_gbps.min(), network.rack_gbps.min()))
        return narrowest / 4.0 if np.isfinite(narrowest) else 0.0

    def _utility(self, work: NDArray[np.float64]) -> Utility:
        if self.utility == "sqrt":
            return SquareRoot(np.ones(len(work)))
        if self.utility == "log":
            return Logarithm(np.ones(len(work)))
        if self.utility == "quadratic":
            return NegativeQuadratic(1.0 / work**2, work)
        return Sigmoid(np.ones(len(work)), 4.0 * np.log(9.0) / work, work / 2.0)
