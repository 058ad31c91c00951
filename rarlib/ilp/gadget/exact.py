"""The optimum of one slot: eq. 10 with (2), (4)-(9), (11), as an integer program over workers per server.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V, eq. 10-19. On a tree the embedding of
ring nodes and edges (12)-(19) is equivalent to the program below: see `rarlib.model.tree_network` for the loads of
a ring.

First the sizes that would be best if links and the shapes of servers did not matter are found and packed. If all fit,
the allocation reaches an upper bound, so it is an optimum; as long as links are wide this settles it, a thousand times
faster than the full program, which is solved otherwise.

| variable | meaning |
|---|---|
| size (i, k) | chi: job i has a ring of k workers |
| workers (i, s) | y_is |
| alone (i, s) | the ring sits on server s |
| inside (i, r) | it spans servers of rack r only |
| across (i) | it spans racks |
| spans (i, s) | it uses the link of server s |
| leaves (i, r) | it uses the uplink of rack r |
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from rarlib.ilp.gadget.pricing import LoadPrices, cheapest, tree_of
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.ilp.gadget.relaxation import best_sizes, considered, relaxed_bound, unseen
from rarlib.ilp.programs import Program, integer_optimum
from rarlib.model.tree_network import Loads


class Packing:
    """What a slot has left while jobs are placed one by one.

    Attributes:
        workers: placed so far, shape (jobs, servers).
    """

    def __init__(self, problem: SlotProblem) -> None:
        network = problem.network
        self._problem, self._tree = problem, tree_of(network)
        self.workers = np.zeros((len(problem), network.servers), np.int64)
        some = 1.0 + TOLERANCE
        self._free = Loads(network.capacity * some, network.link_gbps * some, network.rack_gbps * some)

    @property
    def full(self) -> bool:
        """Whether no server has GPUs for a single worker of any job."""
        return bool(self._free.node[:, 0].max() < self._problem.demand[:, 0].min(initial=np.inf))

    def fits(self, row: int, workers: NDArray[np.int64]) -> bool:
        """Whether job `row` could be placed as given, shape (servers,)."""
        return all((load <= free).all() for load, free in zip(self._loads(row, workers), self._free, strict=True))

    def take(self, row: int, workers: NDArray[np.int64]) -> None:
        """Place job `row` as given, shape (servers,), whether it fits or not."""
        for load, free in zip(self._loads(row, workers), self._free, strict=True):
            np.subtract(free, load, out=free)
        self.workers[row] = workers

    def _loads(self, row: int, workers: NDArray[np.int64]) -> Loads:
        demand, bandwidth = self._problem.demand[row : row + 1], self._problem.bandwidth[row : row + 1]
        return self._problem.network.loads(workers[None], demand, bandwidth)

    def place(self, row: int, size: int) -> bool:
        """Place a ring of `size` workers of job `row`; whether it fits."""
        demand, bandwidth = self._problem.demand[row], self._problem.bandwidth[row : row + 1]
        node = self._free.node
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.where(demand > 0.0, node / demand, np.inf).min(axis=1)
        most_workers = np.clip(np.floor(fit), 0, size).astype(np.int64)
        if most_workers.sum() < size:
            return False
        # A worker costs 1 to 2, less on tighter servers; a link as much as all workers, an uplink as much as all links.
        tight = 1.0 + node[:, 0] / max(float(node[:, 0].max()), 1.0)
        step = 2.0 * size / max(float(bandwidth[0]), TOLERANCE)
        link, uplink = np.full(len(most_workers), step), np.full(len(self._free.uplink), step * (size + 1))
        tree = self._tree._replace(link=self._free.link, uplink=self._free.uplink)
        cost, workers = cheapest(
            tree, LoadPrices(tight[None], link, uplink), np.array([size]), bandwidth, most_workers[None]
        )
        best = int(cost[0].argmin())
        if not np.isfinite(cost[0, best]):
            return False
        self.take(row, workers[0, best])
        return True


def pack(problem: SlotProblem, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place rings of the given sizes, largest first, whatever fits; shape (jobs, servers)."""
    packing = Packing(problem)
    for row in np.argsort(-sizes, kind="stable"):
        if sizes[row]:
            packing.place(int(row), int(sizes[row]))
    return packing.workers


class Rows:
    """Variables and rows of a program; a variable that does not exist has the number -1 and counts as 0."""

    def __init__(self) -> None:
        self.variables, self.rows = 0, 0
        self._terms: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        self._limits: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

    def declare(self, there: NDArray[np.bool_]) -> NDArray[np.int64]:
        """A variable wherever `there` holds, -1 elsewhere; same shape."""
        number = np.where(there, self.variables + there.ravel().cumsum().reshape(there.shape) - 1, -1)
        self.variables += int(there.sum())
        return number

    def add(self, upper: NDArray[np.float64], *, equal: bool = False) -> NDArray[np.int64]:
        """Rows with these upper (and, if `equal`, lower) limits; same shape."""
        self._limits.append((upper.ravel() if equal else np.full(upper.size, -np.inf), upper.ravel()))
        self.rows += upper.size
        return np.arange(self.rows - upper.size, self.rows).reshape(upper.shape)

    def term(self, row: NDArray[np.int64], variable: NDArray[np.int64], factor: Any = 1.0) -> None:
        """Add factor x variable to rows; arguments broadcast."""
        r, v, f = np.broadcast_arrays(row, variable, np.asarray(factor, dtype=np.float64))
        self._terms.append((r[v >= 0], v[v >= 0], f[v >= 0]))

    def program(self, gain: NDArray[np.float64], most: NDArray[np.float64]) -> Program:
        """The program that maximises gain x, each variable being at most `most`; shapes (variables,)."""
        row, variable, factor = (np.concatenate(part) for part in zip(*self._terms, strict=True))
        lower, upper = (np.concatenate(part) for part in zip(*self._limits, strict=True))
        matrix = coo_matrix((factor, (row, variable)), (self.rows, self.variables)).tocsr()
        return Program(gain, matrix, lower, upper, most)


_PRECISION = 2.5e-6
"""Relative distance of an optimum from its bound: CP-SAT's precision of 1e-6, once in each, and ring sizes unseen."""


class Exact(NamedTuple):
    """The best allocation found."""

    workers: NDArray[np.int64]  # shape (jobs, servers)
    value: float  # its sum of gains
    bound: float  # no allocation is worth more
    status: str  # `optimal`, or `limit` when the effort was spent first


class _Slot:
    """The program of one slot, one method per family of constraints."""

    def __init__(self, problem: SlotProblem) -> None:
        self.problem, self.network, self.rows = problem, problem.network, Rows()
        most_workers, network = problem.most_workers, problem.network
        link_fits = problem.bandwidth[:, None] <= network.link_gbps
        self.most_workers = most_workers
        self.size = self.rows.declare(considered(problem))
        several = np.any(self.size[:, 2:] >= 0, axis=1)[:, None]
        self.workers = self.rows.declare(most_workers > 0)
        self.alone = self.rows.declare(most_workers > 0)
        self.spans = self.rows.declare((most_workers > 0) & link_fits & several)
        self.inside = self.rows.declare(np.broadcast_to(several, (len(problem), network.racks)))
        self.across = self.rows.declare(several & (network.racks > 1))
        self.leaves = self.rows.declare((problem.bandwidth[:, None] <= network.rack_gbps) & several)
        self.rack = np.broadcast_to(network.rack, most_workers.shape)

    def one_ring(self) -> None:
        """(13), (14): at most one size, as many workers, one way of spanning."""
        jobs = np.zeros(len(self.problem))
        one, workers, way = self.rows.add(jobs + 1.0), self.rows.add(jobs, equal=True), self.rows.add(jobs, equal=True)
        self.rows.term(one[:, None], self.size)
        self.rows.term(workers[:, None], self.size, np.arange(self.size.shape[1]))
        self.rows.term(workers[:, None], self.workers, -1.0)
        for variables in (self.alone, self.inside, self.across):
            self.rows.term(way[:, None], variables)
        self.rows.term(way[:, None], self.size, -1.0)

    def links_used(self) -> None:
        """(5), (7), (9): workers sit on servers of the ring; a ring of several servers uses their links."""
        each = np.zeros(self.most_workers.shape)
        hosted, reached, left = self.rows.add(each), self.rows.add(each), self.rows.add(each + 1.0)
        self.rows.term(hosted, self.workers)
        self.rows.term(hosted, self.alone, -self.most_workers)
        self.rows.term(hosted, self.spans, -self.most_workers)
        self.rows.term(reached, self.spans)
        self.rows.term(reached, np.take_along_axis(self.inside, self.rack, axis=1), -1.0)
        self.rows.term(reached, self.across, -1.0)
        self.rows.term(left, self.spans)
        self.rows.term(left, self.across)
        self.rows.term(left, np.take_along_axis(self.leaves, self.rack, axis=1), -1.0)

    def capacities(self) -> None:
        """(4), (8): servers, links, uplinks."""
        demand, bandwidth = self.problem.demand, self.problem.bandwidth[:, None]
        node = self.rows.add(self.network.capacity)
        self.rows.term(node[None], self.workers[:, :, None], demand[:, None, :])
        self.rows.term(self.rows.add(self.network.link_gbps), self.spans, bandwidth)
        self.rows.term(self.rows.add(self.network.rack_gbps), self.leaves, bandwidth)

    def solve(self, hint: NDArray[np.int64] | None, effort: float) -> Exact:
        """Put it together and solve it."""
        self.one_ring()
        self.links_used()
        self.capacities()
        gain, most = np.zeros(self.rows.variables), np.ones(self.rows.variables)
        gain[self.size[self.size >= 0]] = self.problem.gain[self.size >= 0]
        most[self.workers[self.workers >= 0]] = self.most_workers[self.workers >= 0]
        start = None if hint is None else self._point(hint)
        optimum = integer_optimum(self.rows.program(gain, most), hint=start, effort=effort)
        workers = np.where(self.workers >= 0, optimum.x[self.workers], 0)
        return Exact(workers, optimum.value, optimum.bound + unseen(self.problem), optimum.status)

    def _point(self, workers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The variables of an allocation."""
        x = np.zeros(self.rows.variables + 1, np.int64)  # the last one stands for those that do not exist
        used = workers > 0
        spans, job = used.sum(axis=1) > 1, np.arange(len(workers))
        by_rack = np.stack([used[:, self.network.rack == r].any(axis=1) for r in range(self.network.racks)], axis=1)
        crosses = by_rack.sum(axis=1) > 1
        x[self.size[job, workers.sum(axis=1)]] = 1
        x[self.workers] = workers
        x[self.alone] = used & ~spans[:, None]
        x[self.spans] = used & spans[:, None]
        x[self.inside] = by_rack & (spans & ~crosses)[:, None]
        x[self.across] = crosses[:, None]
        x[self.leaves] = by_rack & crosses[:, None]
        return x[:-1]


def exact_slot(problem: SlotProblem, *, hint: NDArray[np.int64] | None = None, effort: float = 10.0) -> Exact:
    """The best allocation of one slot by CP-SAT, within about `effort` seconds of deterministic time.

    For the optimum of (12) as printed, limit the problem's `largest` to ceil(q_i). `hint` is a feasible allocation.
    """
    ideal = best_sizes(problem, effort=effort)
    packed = pack(problem, ideal.sizes)
    value, bound = problem.value(packed), min(ideal.bound, relaxed_bound(problem))
    if value >= bound * (1.0 - _PRECISION):
        return Exact(packed, value, max(value, bound), "optimal")
    start = packed if hint is None or problem.value(hint) < value else hint
    found = _Slot(problem).solve(start, effort)
    if found.value < problem.value(start):  # nothing was found in time
        found = found._replace(workers=start, value=problem.value(start))
    return found._replace(bound=max(found.value, min(found.bound, bound)))
