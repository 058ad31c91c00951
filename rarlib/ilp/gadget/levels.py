"""The programs of one slot with gains of any size: ring sizes, and the mixture of mappings that is rounded.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, eq. 12-19, Alg. 2, l. 3-6.

**Ring sizes.** Where all servers can host the same jobs and there is one resource, the relaxation of (12) has one
capacity (`relaxation`), and `logarithms` solves it exactly. Otherwise it is solved in rational numbers.

**Mixture.** With ring sizes k_i the augmented LP is max sum g_i x_i over the weights x that mixtures of mappings can
have. It is solved by the first of these ways that succeeds:

1. *One capacity.* The weights x* that are best for one pool of GPUs bound it. A mixture with weights x* is therefore
   optimal; it is sought by an LP without any small gain: max sum k_i x_i with x <= x*.
2. *Gains alike.* If the largest is at most `_ALIKE` times the smallest, the LP is solved as it is.
3. *Job by job*, by falling gains: x_1 is made as large as possible, then x_2 beside it, and so on (`_JobByJob`).
4. *Rational numbers*, for the mappings known and those that its prices ask for.

**When 3 is exact.** Let X_l be the weights found, and let m_lj >= 0 be the price at which the program of level l would
give up weight of job j < l. By duality each x has x_l - X_l <= sum_j m_lj (X_j - x_j). With D_j = X_j - x_j this is
D_l + sum_j m_lj D_j >= 0. If y_l = g_l - sum_{i > l} y_i m_il >= 0 for all l, the sum of these inequalities with the
factors y_l is sum g_l D_l >= 0: no x is worth more than X. So a level may be fixed before a smaller one is looked at
unless the smaller ones would pay more for it than it gains; this is tested with the prices found, and fails only if
gains that compete are within the rate at which one ring displaces others.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.augmented import NOISE, Mixture, Wanted, augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.logarithms import Pieces, Quotient, difference_sign, log_gains
from rarlib.ilp.gadget.pricing import LoadPrices, cheapest, tree_of
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.ilp.gadget.rational import RowEntries, rational_optimum, rational_sum
from rarlib.ilp.gadget.relaxation import Relaxed, attainable, pooled_servers, possible

_ALIKE = 1e3
"""Gains within this factor are told apart by a solver with a tolerance of 1e-6."""

_SLACK, _MISSING = 1e-6, 1e-5
"""Workers by which column generation may end below an optimum, and workers that may be missing when all are served."""


@dataclass(frozen=True)
class LogSlot:
    """A slot whose gains may be too small for floating-point numbers."""

    problem: SlotProblem  # the slot, with gains in units of the largest one; those below 1e-308 are 0 there
    marginal: NDArray[np.float64]  # logarithm of what the k-th worker of each job gains, shape (jobs, most workers)
    logs: NDArray[np.float64]  # logarithm of what k workers gain in all, shape (jobs, most workers + 1)

    @cached_property
    def pool(self) -> float | None:
        """Capacity of all servers together where nothing else limits ring sizes, else None."""
        hosts = pooled_servers(self.problem)
        return None if hosts is None else float(self.problem.network.capacity[hosts, 0].sum())

    @classmethod
    def of(cls, problem: SlotProblem, marginal: NDArray[np.float64]) -> "LogSlot":
        """A slot with these gains; those of the problem are replaced."""
        logs = log_gains(marginal)
        sizes = np.arange(logs.shape[1])
        allowed = (sizes >= problem.smallest[:, None]) & (sizes <= problem.largest[:, None])
        kept = np.where(allowed, logs, -np.inf)
        top = kept.max(initial=-np.inf)
        gain = np.exp(kept - top) if top > -np.inf else np.zeros(logs.shape)
        return cls(replace(problem, gain=gain), marginal, logs)


def relax_exactly(slot: LogSlot) -> Relaxed:
    """The relaxation of (12), and ring sizes (Alg. 2, l. 3), exactly; its value is in units of the largest gain."""
    problem, chosen = slot.problem, np.zeros(slot.problem.gain.shape)
    if slot.pool is None:
        chosen = _relax_rationally(slot, possible(problem))
    else:
        pieces = Pieces.majorants(slot.marginal, problem.smallest, attainable(problem), problem.demand[:, 0])
        share = pieces.filled(slot.pool)
        chosen[pieces.job, pieces.last] = share
        chosen[pieces.job, pieces.first] -= share
    chosen[:, :1] = 0.0
    picked = chosen > 0.0
    sizes: NDArray[np.int64] = picked.argmax(axis=1)
    for row in np.flatnonzero(picked.sum(axis=1) > 1):
        sizes[row] = _arg_max(slot.marginal[row], chosen[row])
    ceiling = np.where(picked, np.arange(problem.gain.shape[1]), 0).max(axis=1, initial=0)
    return Relaxed(float((problem.gain * chosen).sum()), chosen, ceiling, sizes)


def _arg_max(marginal: NDArray[np.float64], chosen: NDArray[np.float64]) -> int:
    """Ring size with the largest gain times weight, the smaller of equals."""
    sizes = np.flatnonzero(chosen).tolist()
    worth = {size: Quotient(marginal[:size].tolist(), 1 / Fraction(float(chosen[size]))) for size in sizes}
    best = sizes[0]
    for size in sizes[1:]:
        best = size if difference_sign(worth[size], worth[best]) > 0 else best
    return int(best)


def _relax_rationally(slot: LogSlot, allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of ring sizes: a column is a job, its size, and the kind of server that hosts all of its workers."""
    problem, marginal = slot.problem, slot.marginal
    capacity, hosts = problem.network.capacity, problem.most_workers > 0
    _, first, kind = np.unique(np.hstack([capacity, hosts.T]), axis=0, return_index=True, return_inverse=True)
    resources, jobs = capacity.shape[1], len(problem)
    total = np.zeros((len(first), resources))
    np.add.at(total, kind.ravel(), capacity)
    job, size, pool = np.nonzero((allowed & np.isfinite(slot.logs))[:, :, None] & hosts[:, first][:, None, :])
    pairs = set(zip(job.tolist(), size.tolist(), strict=True))
    gains = {(i, k): rational_sum(marginal[i, :k].tolist()) for i, k in pairs}
    columns: list[RowEntries] = []
    for i, k, p in zip(job.tolist(), size.tolist(), pool.tolist(), strict=True):
        use = {jobs + p * resources + r: k * Fraction(float(problem.demand[i, r])) for r in range(resources)}
        columns.append({i: Fraction(1), **use})
    limits = [Fraction(1)] * jobs + [Fraction(float(limit)) for limit in total.ravel()]
    gain = [gains[i, k] for i, k in zip(job.tolist(), size.tolist(), strict=True)]
    weight = np.zeros(allowed.shape)
    np.add.at(weight, (job, size), [float(x) for x in rational_optimum(gain, columns, limits).x])
    weight[weight < TOLERANCE] = 0.0
    return weight


def exact_mixture(slot: LogSlot, sizes: NDArray[np.int64], columns: Columns) -> Mixture:
    """An optimum of the augmented LP, by the ways above; its value is in units of the largest gain."""
    problem, gain = slot.problem, slot.problem.gain[np.arange(len(sizes)), sizes]
    best = pooled_masses(slot, sizes)
    found = None if best is None else _carried(problem, sizes, columns, best)
    if found is None:
        asking = gain[sizes > 0]
        if asking.min(initial=np.inf) * _ALIKE >= asking.max(initial=0.0):
            return augmented_optimum(problem, sizes, columns)
        logs = slot.logs[np.arange(len(sizes)), sizes]
        found = _JobByJob(problem, sizes, columns, logs).mixture() or _rational_mixture(slot, sizes, columns)
    value = float(gain @ found.mass)
    return found._replace(value=value, bound=value)


def pooled_masses(slot: LogSlot, sizes: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Weights of rings that are best if only the sum of all capacities counts; None where there is no one capacity."""
    if slot.pool is None:
        return None
    rings = Pieces.rings(slot.marginal, slot.logs, sizes, slot.problem.demand[:, 0])
    mass = np.zeros(len(sizes))
    mass[rings.job] = rings.filled(slot.pool)
    return mass


def _carried(
    problem: SlotProblem, sizes: NDArray[np.int64], columns: Columns, mass: NDArray[np.float64]
) -> Mixture | None:
    """A mixture with these weights, or None if there is none."""
    kept = np.where(mass > 0.0, sizes, 0)
    total = float(kept @ mass)
    if total == 0.0:
        return augmented_optimum(problem, kept, columns)
    asked = problem.job.tobytes() + kept.tobytes() + mass.tobytes()
    if columns.last is not None and columns.last[0] == asked:
        return columns.last[1]
    wanted = Wanted(kept.astype(np.float64), np.zeros(len(mass)), mass, _SLACK)
    found = augmented_optimum(problem, kept, columns, wanted)
    if found.value < total - _MISSING:
        return None
    columns.last = asked, found
    return found


class _JobByJob:
    """Weights fixed one after the other, by falling gains."""

    def __init__(
        self, problem: SlotProblem, sizes: NDArray[np.int64], columns: Columns, logs: NDArray[np.float64]
    ) -> None:
        self.problem, self.sizes, self.columns, self.logs = problem, sizes, columns, logs
        asking = np.flatnonzero((sizes > 0) & np.isfinite(logs))
        self.order = asking[np.argsort(-logs[asking], kind="stable")]
        self.least = np.zeros(len(sizes))
        self.paid = np.zeros((len(sizes), len(sizes)))  # m, by job and job

    def mixture(self) -> Mixture | None:
        """The mixture, or None if it may not be an optimum."""
        rest, found = self.order, self._most(self.order)
        while len(rest):
            total = float(self.sizes[rest].sum())
            if found.value >= total - _MISSING:
                break
            if found.value <= _MISSING:
                self.paid[rest] = self._prices(found) / self.sizes[rest, None]
                break
            served = self._all_served(rest)
            at, rest = rest[served], rest[served + 1 :]
            one = self._most(np.array([at]))
            self.paid[at] = self._prices(one) / self.sizes[at]
            self._fix(np.array([at]), one)
            found = self._most(rest) if len(rest) else one
        return found if self._exact() else None

    def _most(self, jobs: NDArray[np.int64]) -> Mixture:
        """As many workers of these jobs as possible beside what is fixed."""
        gain = np.zeros(len(self.sizes))
        gain[jobs] = self.sizes[jobs]
        wanted = Wanted(gain, self.least, np.ones(len(gain)), _SLACK)
        return augmented_optimum(self.problem, self.sizes, self.columns, wanted)

    def _prices(self, found: Mixture) -> NDArray[np.float64]:
        return np.where(self.least > 0.0, np.maximum(-found.rent, 0.0), 0.0)

    def _fix(self, jobs: NDArray[np.int64], found: Mixture) -> None:
        self.least[jobs] = np.maximum(found.mass[jobs] - NOISE, 0.0)

    def _all_served(self, rest: NDArray[np.int64]) -> int:
        """How many of the first jobs can be served entirely, which fixes their weights; not all of them can."""
        low, high = 0, len(rest)
        while high - low > 1:
            middle = (low + high) // 2
            some = rest[:middle]
            found = self._most(some)
            if found.value >= float(self.sizes[some].sum()) - _MISSING:
                low = middle
                self._fix(some, found)
            else:
                high = middle
        return low

    def _exact(self) -> bool:
        """Whether all y are at least 0; `factor` is y in units of the job's own gain."""
        order, factor = self.order, np.zeros(len(self.sizes))
        for at in range(len(order) - 1, -1, -1):
            job, later = order[at], order[at + 1 :]
            paid = np.exp(self.logs[later] - self.logs[job]) * factor[later] * self.paid[later, job]
            factor[job] = 1.0 - float(paid.sum())
        return bool((factor >= -_MISSING).all())


def _rational_mixture(slot: LogSlot, sizes: NDArray[np.int64], columns: Columns) -> Mixture:
    """The augmented LP in rational numbers; mappings that would win more by its prices are added until none does."""
    problem = slot.problem
    jobs = len(sizes)
    gains = [rational_sum(row[:size]) for row, size in zip(slot.marginal.tolist(), sizes.tolist(), strict=True)]
    limits = [Fraction(1)] * jobs + [Fraction(float(limit)) for limit in np.minimum(columns.limits, 1e12)]
    row_of = {int(name): row for row, name in enumerate(problem.job)}
    while True:
        owner = np.array([row_of.get(name, -1) for name in columns.job.tolist()], np.int64)
        used = np.flatnonzero((owner >= 0) & (columns.size == sizes[owner]))
        used = used[np.argsort(-problem.gain[owner[used], sizes[owner[used]]], kind="stable")]
        loads = columns.loads.take(used)
        entries: list[RowEntries] = [
            {int(owner[c]): Fraction(1)}
            | {
                jobs + int(place): Fraction(float(load))
                for place, load in zip(loads.place[start:end], loads.value[start:end], strict=True)
            }
            for c, start, end in zip(used, loads.start[:-1], loads.start[1:], strict=True)
        ]
        x, price = rational_optimum([gains[o] for o in owner[used]], entries, limits)
        if not _add_better(slot, sizes, columns, gains, price):
            break
    weight = np.array([float(value) for value in x])
    kept = np.flatnonzero(weight > NOISE)
    kept = kept[np.argsort(owner[used[kept]], kind="stable")]
    at = used[kept]
    return Mixture(0.0, 0.0, owner[at], weight[kept], columns.workers.take(at), columns.loads.take(at), np.zeros(jobs))


def _add_better(
    slot: LogSlot, sizes: NDArray[np.int64], columns: Columns, gains: list[Fraction], price: list[Fraction]
) -> int:
    """Mappings that cost less than their job still wins, prices being in units of that; how many are new."""
    problem, tree, added = slot.problem, tree_of(slot.problem.network), 0
    servers, resources = problem.network.capacity.shape
    most_workers = limit_of(problem, sizes)
    for i in np.flatnonzero(sizes):
        left = gains[i] - price[i]
        if left <= 0:
            continue
        places = np.array([float(min(p / left, Fraction(10) ** 12)) for p in price[len(sizes) :]])
        node, link, uplink = np.split(places, [servers * resources, servers * (resources + 1)])
        worker = problem.demand[i] @ node.reshape(servers, resources).T
        one = slice(i, i + 1)
        each = LoadPrices(np.ascontiguousarray(worker[None]), link.copy(), uplink.copy())
        cost, workers = cheapest(tree, each, sizes[one], problem.bandwidth[one], most_workers[one])
        found = workers[0][cost[0] < 1.0 - TOLERANCE]
        many = len(found)
        if many:
            names = np.repeat(problem.job[one], many)
            demand, gbps = np.repeat(problem.demand[one], many, axis=0), np.repeat(problem.bandwidth[one], many)
            added += columns.add(names, demand, gbps, found)
    return added
