"""The augmented LP on a tree: ring sizes fixed, the convex hull of mappings by column generation.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, Alg. 2, l. 4-6. The paper takes
over the LP of Rost and Schmid ("Virtual Network Embedding Approximations: Leveraging Randomized Rounding", IFIP
Networking 2018), which decomposes into mappings. Every mapping fits into the empty network here (eq. 5): others could
be part of no feasible allocation.

| paper | here | unit |
|---|---|---|
| kappa_i | `sizes` | workers |
| M_i: (phi_i^k, omega_i^k) | `Mixture`: `weight`, `workers` | 1, workers |
| pi_i,kappa_i | `gain` | utility |

On a tree a mapping is its vector of workers per server, up to mappings that load more. The LP over all these vectors, a
weight phi each, is the convex hull of mappings by definition, so its optimum is already decomposed (l. 6). Vectors are
found by `pricing.cheapest`; the loop ends when the bound by the duals (capacity at its price plus what each job could
still win) is within `_GAP` of the value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.pricing import LoadPrices, cheapest, tree_of
from rarlib.ilp.gadget.problem import SlotProblem
from rarlib.ilp.gadget.sparse import SparseRows
from rarlib.ilp.programs import LinearOptimum, Program, linear_optimum

_Ints = NDArray[np.int64]

_GAP = 1e-6
"""Relative distance to the optimum at which column generation ends."""

NOISE = 1e-9
"""Weights below this are rounding errors of the simplex method."""

_FIRST = 10
"""Mappings tried for a job that has none."""


class Mixture(NamedTuple):
    """Mappings with positive weight, by job; what randomised rounding draws from."""

    value: float  # of the augmented LP
    bound: float  # no mixture of mappings is worth more, by the duals
    row: NDArray[np.int64]  # row of the job in the problem, ascending, shape (mappings,)
    weight: NDArray[np.float64]  # phi, at most 1 in sum for each job, shape (mappings,)
    workers: SparseRows  # shape (mappings, servers)
    loads: SparseRows  # on the places of `Columns.limits`, shape (mappings, places)
    # price of one more unit of each job's weight, shape (jobs,); below 0 where its least weight binds
    rent: NDArray[np.float64]

    @property
    def mass(self) -> NDArray[np.float64]:
        """Weight of each job's mappings in all, shape (jobs,)."""
        return np.bincount(self.row, self.weight, len(self.rent)).astype(np.float64)


class Wanted(NamedTuple):
    """Another objective and other limits of the weights than those of the augmented LP; shape (jobs,) each."""

    gain: NDArray[np.float64]  # of a job per unit of its weight
    least: NDArray[np.float64]  # sum of a job's weights at least; known to be feasible with the mappings at hand
    most: NDArray[np.float64]  # at most
    slack: float  # distance to the optimum at which the search ends, in units of the objective


def limit_of(problem: SlotProblem, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Workers of each job's ring that a mapping may place on each server (eq. 5), shape (jobs, servers)."""
    return np.minimum(problem.most_workers, sizes[:, None])


def augmented_optimum(
    problem: SlotProblem, sizes: NDArray[np.int64], columns: Columns, wanted: Wanted | None = None
) -> Mixture:
    """Optimum of the augmented LP for ring sizes (jobs,); mappings found are added to `columns`.

    Without `wanted`: the gains of the problem, weights of at most 1.
    """
    search = _Search(problem, sizes, limit_of(problem, sizes), wanted)
    search.begin(columns)
    bound = np.inf
    while True:
        used, owner = search.select(columns)
        solution = search.solve(columns, used, owner)
        offers = search.offers(columns.prices)
        bound = min(bound, columns.worth + search.surplus(offers))
        slack = _GAP * solution.value if wanted is None else wanted.slack
        if bound <= solution.value + slack or not search.extend(columns, offers):
            return _mixture(columns, bound, solution, used, owner, search.rent)


class _Offers(NamedTuple):
    """The cheapest mapping of each kind for some jobs: rows, cost (inf where there is none), workers by server."""

    row: NDArray[np.int64]
    cost: NDArray[np.float64]
    workers: NDArray[np.int64]


class _Search:
    """What stays the same during one column generation."""

    def __init__(self, problem: SlotProblem, sizes: _Ints, most_workers: _Ints, wanted: Wanted | None = None) -> None:
        self.tree = tree_of(problem.network)
        self.problem, self.sizes, self.most_workers = problem, sizes, most_workers
        none, one, gain = np.zeros(len(problem)), np.ones(len(problem)), problem.gain[np.arange(len(problem)), sizes]
        self.gain, self.least, self.most, _ = Wanted(gain, none, one, 0.0) if wanted is None else wanted
        self.rent = np.zeros(len(problem))

    def begin(self, columns: Columns) -> None:
        """Find some mappings for jobs without any, at the prices of the last slot disturbed job by job.

        At the same prices all jobs would ask for the same servers, and it would take hundreds of rounds to part them.
        """
        _, owner = self.select(columns)
        missing = self.sizes > 0
        missing[owner] = False
        row = np.flatnonzero(missing)
        if not len(row):
            return
        network, bandwidth = self.problem.network, self.problem.bandwidth
        usual = float((self.gain[row] / self.sizes[row]).mean())
        links = np.full(len(network.link_gbps) + network.racks, usual / max(float(bandwidth[row].mean()), NOISE))
        dearer = np.concatenate([np.zeros(network.capacity.size), links])
        tries = np.tile(row, _FIRST)
        noise = usual * columns.rng.random((len(tries), network.servers))
        offers = self.offers(columns.prices + dearer, tries, noise)
        self._add(columns, *self._mappings(offers, offers.cost <= offers.cost.min(axis=1, keepdims=True)))

    def offers(
        self, prices: NDArray[np.float64], row: NDArray[np.int64] | None = None, noise: NDArray[np.float64] | float = 0
    ) -> _Offers:
        """Cheapest mappings of jobs (None: all with a ring size); `noise` is added to the price of a worker."""
        problem = self.problem
        row = np.flatnonzero(self.sizes) if row is None else row
        servers, resources = problem.network.capacity.shape
        node, link, uplink = np.split(prices, [servers * resources, servers * (resources + 1)])
        worker = problem.demand[row] @ node.reshape(servers, resources).T + noise
        each = LoadPrices(np.ascontiguousarray(worker), link.copy(), uplink.copy())
        return _Offers(row, *cheapest(self.tree, each, self.sizes[row], problem.bandwidth[row], self.most_workers[row]))

    def surplus(self, offers: _Offers) -> float:
        """What jobs win at most beyond the price of their cheapest mapping."""
        row, each = offers.row, self.gain[offers.row] - offers.cost.min(axis=1, initial=np.inf)
        each[each == -np.inf] = 0.0  # no mapping
        return float(np.maximum(each * self.most[row], each * self.least[row]).sum())

    def extend(self, columns: Columns, offers: _Offers) -> int:
        """Add the mappings that would win more than the job does now; how many are new."""
        return self._add(
            columns, *self._mappings(offers, (self.gain - self.rent)[offers.row, None] - offers.cost > 0.0)
        )

    def _mappings(self, offers: _Offers, wanted: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row of the job and workers of each wanted offer."""
        at, kind = np.nonzero(wanted & np.isfinite(offers.cost))
        found = offers.workers[at, kind]
        # A ring of several servers that turns out to use one is a dearer copy of the one-server kind.
        true = (kind == 0) | ((found > 0).sum(axis=1) > 1)
        return offers.row[at[true]], found[true]

    def _add(self, columns: Columns, row: NDArray[np.int64], found: NDArray[np.int64]) -> int:
        return columns.add(self.problem.job[row], self.problem.demand[row], self.problem.bandwidth[row], found)

    def select(self, columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Columns of the jobs' ring sizes, and the row of the job each belongs to."""
        row = np.full(max(columns.job.max(initial=0), self.problem.job.max(initial=0)) + 1, -1)
        row[self.problem.job] = np.arange(len(self.problem))
        owner = row[columns.job]
        used = np.flatnonzero((owner >= 0) & (columns.size == self.sizes[owner]))
        return used, owner[used]

    def solve(self, columns: Columns, used: NDArray[np.int64], owner: NDArray[np.int64]) -> LinearOptimum:
        """The LP over the columns at hand: weights of each job within its limits in all, capacities kept."""
        jobs, bound = len(self.sizes), self.least > 0.0
        upper = np.concatenate([self.most, columns.limits])
        lower = np.full(len(upper), -np.inf)
        lower[:jobs][bound] = self.least[bound]
        program = Program(
            gain=self.gain[owner],
            matrix=columns.loads.take(used).capacities(owner, jobs),
            lower=lower,
            upper=upper,
            most=np.full(len(used), np.inf),
        )
        solution = linear_optimum(program)
        self.rent = np.where(bound, solution.dual[:jobs], np.maximum(solution.dual[:jobs], 0.0))
        columns.prices = np.maximum(solution.dual[jobs:], 0.0)
        return solution


def _mixture(
    columns: Columns, bound: float, solution: LinearOptimum, used: _Ints, owner: _Ints, rent: NDArray[np.float64]
) -> Mixture:
    positive = np.flatnonzero(solution.x > NOISE)
    order = positive[np.argsort(owner[positive], kind="stable")]
    weight = solution.x[order]
    total = np.bincount(owner[order], weight)
    weight = weight / np.maximum(total, 1.0)[owner[order]]  # sums above 1 are rounding errors
    value, at = solution.value, used[order]
    workers, loads = columns.workers.take(at), columns.loads.take(at)
    return Mixture(value, max(value, bound), owner[order], weight, workers, loads, rent)
