"""The augmented LP on a tree: ring sizes fixed, the convex hull of mappings by column generation.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, Alg. 2, l. 4-6. The paper takes
over the LP of Rost and Schmid ("Virtual Network Embedding Approximations: Leveraging Randomized Rounding", IFIP
Networking 2018), which decomposes into mappings; `rarlib.ilp.gadget.copies` has it as it is, for any graph.

| paper | here | unit |
|---|---|---|
| kappa_i | `sizes` | workers |
| M_i: (phi_i^k, omega_i^k) | `Mixture`: `weight`, `workers` | 1, workers |
| pi_i,kappa_i | `gain` | utility |

On a tree a mapping is its vector of workers per server, up to mappings that load more. The LP over all these vectors, a
weight phi each, is the convex hull of mappings by definition, so its optimum is already decomposed (l. 6). Vectors are
found by `pricing.cheapest`; the loop ends when the bound by the duals (capacity at its price plus what each job could
still win) is within `GAP` of the value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.pricing import KINDS, Prices, cheapest, tree_of
from rarlib.ilp.gadget.problem import SlotProblem
from rarlib.ilp.gadget.programs import LinearOptimum, Program, linear_optimum

GAP = 1e-6
"""Relative distance to the optimum at which column generation ends."""

NOISE = 1e-9
"""Weights below this are rounding errors of the simplex method."""


class Mixture(NamedTuple):
    """Mappings with positive weight, by job; what randomised rounding draws from.

    Attributes:
        value: of the augmented LP.
        bound: no mixture of mappings is worth more, by the duals.
        row: row of the job in the problem, ascending, shape (mappings,).
        weight: phi, at most 1 in sum for each job, shape (mappings,).
        workers: shape (mappings, servers), sparse.
        loads: on the places of `Columns.limits`, shape (mappings, places), sparse.
    """

    value: float
    bound: float
    row: NDArray[np.int64]
    weight: NDArray[np.float64]
    workers: csr_matrix
    loads: csr_matrix


def room_of(problem: SlotProblem, sizes: NDArray[np.int64], fitting: bool) -> NDArray[np.int64]:
    """Workers of each job's ring that a mapping may place on each server, shape (jobs, servers)."""
    room = problem.room
    return np.minimum(room, sizes[:, None]) if fitting else np.where(room > 0, sizes[:, None], 0)


def augmented_optimum(problem: SlotProblem, sizes: NDArray[np.int64], columns: Columns) -> Mixture:
    """Optimum of the augmented LP.

    Args:
        problem: the slot.
        sizes: ring size of each job, 0: none, shape (jobs,).
        columns: mappings known so far; those found are added.
    """
    search = _Search(problem, sizes, room_of(problem, sizes, columns.fitting))
    search.begin(columns)
    bound = np.inf
    while True:
        used, owner = search.select(columns)
        solution = search.solve(columns, used, owner)
        surplus, found = search.extend(columns, GAP * solution.value)
        bound = min(bound, columns.worth + surplus)
        if not found:
            return _mixture(columns, bound, solution, used, owner)


class _Search:
    """What stays the same during one column generation."""

    def __init__(self, problem: SlotProblem, sizes: NDArray[np.int64], room: NDArray[np.int64]) -> None:
        self.tree = tree_of(problem.network)
        self.problem, self.sizes, self.room = problem, sizes, room
        self.gain = problem.gain[np.arange(len(problem)), sizes]
        self.rent = np.zeros(len(problem))

    def begin(self, columns: Columns) -> None:
        """Find mappings for jobs without any, at the prices of the last slot."""
        _, owner = self.select(columns)
        self.rent[np.unique(owner)] = np.inf
        self.extend(columns, 0.0)

    def extend(self, columns: Columns, gap: float) -> tuple[float, int]:
        """Add each job's best mappings at the present prices; how much better they are in all, and how many.

        A job adds nothing when that would win it less than its part of `gap`, so that an end without additions
        means that all jobs together would win less than `gap`.
        """
        asking = np.flatnonzero((self.sizes > 0) & np.isfinite(self.rent))
        cost, workers = self._cheapest(columns, asking)
        better = (self.gain - self.rent)[asking, None] - cost
        at, kind = np.nonzero(better > gap / max(len(self.sizes), 1))
        found = workers[at, kind]
        new = (kind == 0) | ((found > 0).sum(axis=1) > 1)
        job, found = asking[at[new]], found[new]
        count = columns.add(self.problem.job[job], self.problem.demand[job], self.problem.bandwidth[job], found)
        return float(np.maximum(self.gain[asking] - cost.min(axis=1, initial=np.inf), 0.0).sum()), count

    def _cheapest(self, columns: Columns, asking: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        problem = self.problem
        servers, resources = problem.network.capacity.shape
        node, link, uplink = np.split(columns.prices, [servers * resources, servers * (resources + 1)])
        worker = problem.demand[asking] @ node.reshape(servers, resources).T
        cost = np.full((len(asking), KINDS), np.inf)
        workers = np.zeros((len(asking), KINDS, servers), np.int64)
        if len(asking):
            prices = Prices(np.ascontiguousarray(worker), link.copy(), uplink.copy())
            bandwidth, room = problem.bandwidth[asking], self.room[asking]
            cheapest(self.tree, prices, self.sizes[asking], bandwidth, room, cost, workers)
        return cost, workers

    def select(self, columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Columns of the jobs' ring sizes, and the row of the job each belongs to."""
        row = np.full(max(columns.job.max(initial=0), self.problem.job.max(initial=0)) + 1, -1)
        row[self.problem.job] = np.arange(len(self.problem))
        owner = row[columns.job]
        used = np.flatnonzero((owner >= 0) & (columns.size == self.sizes[owner]))
        return used, owner[used]

    def solve(self, columns: Columns, used: NDArray[np.int64], owner: NDArray[np.int64]) -> LinearOptimum:
        """The LP over the columns at hand: one mapping per job in all, capacities kept."""
        jobs = len(self.sizes)
        one = csr_matrix((np.ones(len(used)), (np.arange(len(used)), owner)), (len(used), jobs))
        upper = np.concatenate([np.ones(jobs), columns.limits])
        program = Program(
            gain=self.gain[owner],
            matrix=hstack([one, columns.loads[used]]).T.tocsr(),
            lower=np.full(len(upper), -np.inf),
            upper=upper,
            most=np.full(len(used), np.inf),
        )
        solution = linear_optimum(program)
        self.rent = np.maximum(solution.dual[:jobs], 0.0)
        columns.prices = np.maximum(solution.dual[jobs:], 0.0)
        return solution


def _mixture(
    columns: Columns,
    bound: float,
    solution: LinearOptimum,
    used: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> Mixture:
    positive = np.flatnonzero(solution.x > NOISE)
    order = positive[np.argsort(owner[positive], kind="stable")]
    weight = solution.x[order]
    total = np.bincount(owner[order], weight)
    weight = weight / np.maximum(total, 1.0)[owner[order]]  # sums above 1 are rounding errors
    value = solution.value
    return Mixture(
        value, max(value, bound), owner[order], weight, columns.workers[used[order]], columns.loads[used[order]]
    )
