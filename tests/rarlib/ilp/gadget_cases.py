"""Small slots, and answers to them that use neither column generation nor OR-Tools."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.model.tree_network import TreeNetwork


def small_problem(
    seed: int, *, jobs: int = 4, servers: int = 4, resources: int = 1, wide: float = 1.0, whole: bool = False
) -> SlotProblem:
    """A slot in which links bind about as often as GPUs; `wide` multiplies all links.

    With `whole`, all numbers are whole, so that rings just fill links, and some jobs need several workers.
    """
    rng = np.random.default_rng(seed)
    n, s, r = int(rng.integers(1, jobs + 1)), int(rng.integers(2, servers + 1)), int(rng.integers(1, 3))
    network = TreeNetwork.build(
        rng.integers(1, 4, (s, resources)),
        _rounded(wide * rng.uniform(1, 4, s), whole),
        rng.integers(0, r, s),
        _rounded(wide * rng.uniform(1, 4, r), whole),
    )
    weight, largest = rng.uniform(1, 5, n), rng.integers(1, 5, n)
    table = SlotJobs.build(
        utility=SquareRoot(weight),
        largest=largest,
        bandwidth=_rounded(rng.uniform(0.5, 3, n), whole),
        demand=rng.integers(1, 3, (n, resources)) if resources > 1 else 1.0,
        smallest=rng.integers(1, largest + 1) if whole else 1,
    )
    return table.slot(network, np.arange(n), np.zeros(n))


def _rounded(numbers: NDArray[np.float64], whole: bool) -> NDArray[np.float64]:
    return np.ceil(numbers) if whole else numbers


def vectors(servers: int, size: int, room: NDArray[np.int64]) -> NDArray[np.int64]:
    """All ways to put `size` workers on servers, shape (ways, servers)."""
    ways = product(*(range(min(size, int(r)) + 1) for r in room))
    return np.array([way for way in ways if sum(way) == size], dtype=np.int64).reshape(-1, servers)


def loads_of(problem: SlotProblem, job: int, workers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Load of one mapping on (nodes by resource, links, uplinks), written down anew."""
    network = problem.network
    used = [s for s in range(network.servers) if workers[s]]
    racks = {int(network.rack[s]) for s in used}
    node = [workers[s] * d for s in range(network.servers) for d in problem.demand[job]]
    link = [problem.bandwidth[job] * (s in used and len(used) > 1) for s in range(network.servers)]
    uplink = [problem.bandwidth[job] * (r in racks and len(racks) > 1) for r in range(network.racks)]
    return np.array([*node, *link, *uplink])


def limits_of(problem: SlotProblem) -> NDArray[np.float64]:
    """Capacities in the same order."""
    network = problem.network
    return np.concatenate([network.capacity.ravel(), network.link_gbps, network.rack_gbps])


def best_by_vectors(problem: SlotProblem, sizes: list[list[int]], *, integer: bool) -> float:
    """Best choice of at most one mapping of each job among all vectors of the given sizes, by HiGHS."""
    gains, columns, owner = [], [], []
    for job, allowed in enumerate(sizes):
        for size in allowed:
            for way in vectors(problem.network.servers, size, problem.most_workers[job]):
                load = loads_of(problem, job, way)
                if (load <= limits_of(problem) + 1e-9).all():
                    gains.append(problem.gain[job, size])
                    columns.append(load)
                    owner.append(job)
    if not gains:
        return 0.0
    one = np.equal.outer(np.arange(len(problem)), owner).astype(float)
    matrix = np.vstack([one, np.array(columns).T])
    upper = np.concatenate([np.ones(len(problem)), limits_of(problem)])
    found = milp(
        -np.array(gains), constraints=LinearConstraint(matrix, ub=upper), integrality=int(integer), bounds=(0, 1)
    )
    assert found.success
    if integer:  # the value of an allocation, free of the solver's tolerances
        taken = np.rint(found.x)
        assert (matrix @ taken <= upper + 1e-9).all()
        return float(np.array(gains) @ taken)
    return float(-found.fun)


class Graph(NamedTuple):
    """A network as a directed graph: capacities of its nodes, ends and capacity of each arc."""

    capacity: NDArray[np.float64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    gbps: NDArray[np.float64]

    @classmethod
    def of(cls, network: TreeNetwork) -> "Graph":
        """The graph of a tree: servers, racks, core, an arc each way for every link."""
        servers, racks = network.servers, network.racks
        below = np.arange(servers + racks)
        above = np.concatenate([servers + network.rack, np.full(racks, servers + racks)])
        capacity = np.zeros((servers + racks + 1, network.capacity.shape[1]))
        capacity[:servers] = network.capacity
        gbps = np.tile(np.concatenate([network.link_gbps, network.rack_gbps]), 2)
        return cls(capacity, np.concatenate([below, above]), np.concatenate([above, below]), gbps)


class _Printed:
    """Eq. 12-19 written down variable by variable."""

    def __init__(self, problem: SlotProblem) -> None:
        self.problem, self.graph = problem, Graph.of(problem.network)
        self.count = 0
        self.gain: dict[int, float] = {}
        self.on_node: dict[int, list[tuple[int, int]]] = {}
        self.on_arc: dict[int, list[tuple[int, int]]] = {}
        self.forbidden: list[int] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []

    def new(self, n: int) -> list[int]:
        self.count += n
        return list(range(self.count - n, self.count))

    def job(self, i: int) -> None:
        chosen = self.new(int(self.problem.largest[i]))
        self.rows.append((dict.fromkeys(chosen, 1.0), -np.inf, 1.0))  # (13), rho <= 1
        for size, chi in enumerate(chosen, 1):
            self.gain[chi] = float(self.problem.gain[i, size])
            place = [self.node(i, chi) for _ in range(size)]
            for a in range(size if size > 1 else 0):
                self.edge(i, place[a], place[(a + 1) % size])

    def node(self, i: int, chi: int) -> list[int]:
        place = self.new(len(self.graph.capacity))
        self.rows.append(({**dict.fromkeys(place, 1.0), chi: -1.0}, 0.0, 0.0))  # (14)
        for u, variable in enumerate(place):
            if u >= self.problem.network.servers or not self.problem.most_workers[i, u]:
                self.forbidden.append(variable)
            self.on_node.setdefault(u, []).append((variable, i))
        return place

    def edge(self, i: int, here: list[int], there: list[int]) -> None:
        flow = self.new(len(self.graph.gbps))
        for e, variable in enumerate(flow):
            self.on_arc.setdefault(e, []).append((variable, i))
        for u in range(len(self.graph.capacity)):  # (15)
            row = {v: 1.0 for v, tail in zip(flow, self.graph.tail, strict=True) if tail == u}
            row |= {v: -1.0 for v, head in zip(flow, self.graph.head, strict=True) if head == u}
            self.rows.append(({**row, here[u]: -1.0, there[u]: 1.0}, 0.0, 0.0))

    def capacities(self) -> None:
        for u, users in self.on_node.items():  # (16), (18)
            for r, limit in enumerate(self.graph.capacity[u]):
                self.rows.append(({v: float(self.problem.demand[i, r]) for v, i in users}, -np.inf, float(limit)))
        for e, users in self.on_arc.items():  # (17), (19)
            load = {v: float(self.problem.bandwidth[i]) for v, i in users}
            self.rows.append((load, -np.inf, float(self.graph.gbps[e])))


def as_printed(problem: SlotProblem, *, integer: bool) -> float:
    """Optimum of eq. 12-19 as printed, on the directed graph of the tree, by HiGHS.

    Workers sit on servers with room for one; all variables lie between 0 and 1.
    """
    text = _Printed(problem)
    for i in range(len(problem)):
        text.job(i)
    text.capacities()
    matrix = np.zeros((len(text.rows), text.count))
    for number, (row, _, _) in enumerate(text.rows):
        matrix[number, list(row)] = list(row.values())
    lower, upper = np.array([(low, high) for _, low, high in text.rows]).T
    objective, most = np.zeros(text.count), np.ones(text.count)
    objective[list(text.gain)] = [-gain for gain in text.gain.values()]
    most[text.forbidden] = 0.0
    rows = LinearConstraint(matrix, lower, upper)
    found = milp(objective, constraints=rows, integrality=int(integer), bounds=Bounds(0.0, most))
    assert found.success
    return float(-found.fun)
