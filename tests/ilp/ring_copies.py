"""The augmented LP on any directed graph: one copy of a ring's flow for each place of its opposite node.

Source: Rost and Schmid, "Virtual Network Embedding Approximations: Leveraging Randomized Rounding", IFIP Networking
2018, arXiv 1803.03622, for requests that are rings; GADGET (INFOCOM 2022, section V-C) takes this step over.

| paper | here | unit |
|---|---|---|
| ring nodes a, edges (a, a + 1) of size kappa | positions 0 to kappa - 1 | |
| root, and the node opposite to it | position 0, position kappa // 2 | |
| varrho^u_a | `place` (copy, position, node) | 1 |
| theta^u,v_a,b | `flow` (copy, edge, arc) | 1 |
| (phi, omega) | `Mapping` | |

The relaxation of (12)-(19) cannot be decomposed: fractions of a ring's two halves may end at different nodes. Here, in
the copy of node w, the opposite ring node sits on w alone, and both halves leave from the same root; so whatever
follows the flow from a root along either half ends in w, and is a mapping.

Variables grow with nodes squared: this is for small instances, and for graphs that are no trees. On a tree
`rarlib.ilp.gadget.augmented` has the same value, which this is here to confirm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from rarlib.ilp.programs import linear_optimum
from rarlib.ilp.rows import Rows
from rarlib.model.errors import InputError
from rarlib.model.tree_network import TreeNetwork

DUST = 1e-6
"""Flows below this are left over when the solution is decomposed."""


@dataclass(frozen=True)
class Graph:
    """A directed graph of servers and switches.

    Attributes:
        capacity: of each node, zeros for switches, shape (nodes, resources).
        tail, head: nodes of each arc, shape (arcs,).
        gbps: capacity of each arc, shape (arcs,).
    """

    capacity: NDArray[np.float64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    gbps: NDArray[np.float64]

    @classmethod
    def build(cls, capacity: Any, arcs: Any, gbps: Any) -> "Graph":
        """Check and store; `arcs` has shape (arcs, 2).

        Raises:
            InputError: when some server cannot reach another one.
        """
        space, ends = np.asarray(capacity, dtype=np.float64), np.asarray(arcs, dtype=np.int64).reshape(-1, 2)
        width = np.array(np.broadcast_to(np.asarray(gbps, dtype=np.float64), (len(ends),)))
        there = width > 0.0
        links = csr_matrix((np.ones(there.sum()), ends[there].T), (len(space), len(space)))
        _, part = connected_components(links, connection="strong")
        hosts = np.flatnonzero((space > 0.0).any(axis=1))
        apart = hosts[part[hosts] != part[hosts[0]]] if len(hosts) else hosts
        if len(apart):
            raise InputError(f"the topology is disconnected: node {apart[0]} and node {hosts[0]}", field="arcs")
        return cls(space, ends[:, 0], ends[:, 1], width)

    @classmethod
    def of(cls, network: TreeNetwork) -> "Graph":
        """The graph of a tree: servers, racks, core, an arc each way for every link."""
        servers, racks = network.servers, network.racks
        below = np.arange(servers + racks)
        above = np.concatenate([servers + network.rack, np.full(racks, servers + racks)])
        capacity = np.zeros((servers + racks + 1, network.capacity.shape[1]))
        capacity[:servers] = network.capacity
        arcs = np.concatenate([np.stack([below, above], axis=1), np.stack([above, below], axis=1)])
        return cls.build(capacity, arcs, np.tile(np.concatenate([network.link_gbps, network.rack_gbps]), 2))


class Ring(NamedTuple):
    """A job with its ring size fixed."""

    size: int
    demand: NDArray[np.float64]
    bandwidth: float
    gain: float


class Mapping(NamedTuple):
    """A ring on the graph: the node of each position, the arcs of each edge, and the weight phi."""

    weight: float
    nodes: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]


class Embedding(NamedTuple):
    """An optimum: its value, and each job's mappings."""

    value: float
    mappings: list[list[Mapping]]


class _Copies(NamedTuple):
    """Numbers of a job's variables, then their values."""

    amount: NDArray[Any]  # (copies,)
    place: NDArray[Any]  # (copies, positions, nodes)
    flow: NDArray[Any]  # (copies, edges, arcs)


def augmented_embedding(graph: Graph, rings: list[Ring]) -> Embedding:
    """Optimum of Rost and Schmid's LP for rings, decomposed into mappings."""
    rows = Rows()
    node = rows.add(graph.capacity)
    arc = rows.add(graph.gbps)
    numbers = [_write(rows, graph, ring, node, arc) for ring in rings]
    gain = np.zeros(rows.variables)
    for ring, own in zip(rings, numbers, strict=True):
        gain[own.amount[own.amount >= 0]] = ring.gain
    optimum = linear_optimum(rows.program(gain, np.full(rows.variables, np.inf)))
    found = []
    for own in numbers:
        values = _Copies(*(np.where(part >= 0, optimum.x[part], 0.0) for part in own))
        found.append(list(_decompose(graph, values)))
    return Embedding(optimum.value, found)


def _write(rows: Rows, graph: Graph, ring: Ring, node: NDArray[np.int64], arc: NDArray[np.int64]) -> _Copies:
    """A job's variables and rows; `node` and `arc` are the rows of capacities (18), (19)."""
    hosts = np.all(ring.demand <= graph.capacity, axis=1) & (graph.capacity > 0.0).any(axis=1)
    count, nodes, half = ring.size, len(hosts), ring.size // 2
    edges = count if count > 1 else 0
    amount = rows.declare(hosts)
    place = rows.declare(np.broadcast_to(hosts[:, None, None] & hosts, (nodes, count, nodes)))
    usable = np.broadcast_to(ring.bandwidth <= graph.gbps, (nodes, edges, len(graph.gbps)))
    flow = rows.declare(usable & hosts[:, None, None])
    copies = np.flatnonzero(hosts)
    place[:, half] = np.where(np.eye(nodes, dtype=bool), amount[:, None], -1)  # the opposite node sits on w
    rows.term(rows.add(np.ones(1)), amount)  # (13)
    whole = rows.add(np.zeros((nodes, count)), equal=True)  # (14)
    rows.term(whole[:, :, None], place)
    rows.term(whole, amount[:, None], -1.0)
    kept = rows.add(np.zeros((nodes, edges, nodes)), equal=True)  # (15)
    following = (np.arange(edges) + 1) % count
    for w in copies:
        rows.term(kept[w][:, graph.tail], flow[w])
        rows.term(kept[w][:, graph.head], flow[w], -1.0)
    if edges:
        rows.term(kept, place, -1.0)
        rows.term(kept, place[:, following])
    rows.term(node[None, None], place[..., None], ring.demand)  # (16), (18)
    rows.term(arc, flow, ring.bandwidth)  # (17), (19)
    return _Copies(amount, place, flow)


def _decompose(graph: Graph, values: _Copies) -> Iterator[Mapping]:
    """Take mappings off the flow until only dust is left (Alg. 2, l. 6)."""
    for w in np.flatnonzero(values.amount > DUST):
        left = float(values.amount[w])
        place, flow = values.place[w], values.flow[w]
        while left > DUST:
            mapping = _follow(graph, place, flow, int(w))
            if mapping is None:
                break
            nodes, paths = mapping
            positions = np.arange(len(nodes))
            used = [place[positions, list(nodes)], *(flow[e, list(path)] for e, path in enumerate(paths))]
            weight = min(left, *(float(part.min()) for part in used if len(part)))
            place[positions, list(nodes)] -= weight
            for e, path in enumerate(paths):
                flow[e, list(path)] -= weight
            left -= weight
            yield Mapping(weight, nodes, paths)


def _follow(
    graph: Graph, place: NDArray[np.float64], flow: NDArray[np.float64], w: int
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]] | None:
    """A mapping inside the flow of copy w: both halves from the root with most flow to w."""
    count, half = len(place), len(place) // 2
    nodes, paths = [-1] * count, [tuple[int, ...]()] * (count if count > 1 else 0)
    nodes[0] = w if count == 1 else int(place[0].argmax())
    forth = [(position, position + 1, position) for position in range(half)]
    back = [((position + 1) % count, position, position) for position in range(count - 1, half - 1, -1)]
    for begin, end, edge in forth + (back if count > 1 else []):
        goal = np.arange(len(graph.capacity)) == w if end == half else place[end] > DUST * 1e-3
        reverse = begin != edge
        walk = _walk(graph, flow[edge] > DUST * 1e-3, nodes[begin], goal, reverse=reverse)
        if walk is None:
            return None
        nodes[end], paths[edge] = walk
    return tuple(nodes), tuple(paths)


def _walk(
    graph: Graph, open_: NDArray[np.bool_], start: int, goal: NDArray[np.bool_], *, reverse: bool
) -> tuple[int, tuple[int, ...]] | None:
    """The nearest goal from a node along open arcs (against them if `reverse`), and the arcs in between."""
    tail, head = (graph.head, graph.tail) if reverse else (graph.tail, graph.head)
    came: dict[int, tuple[int, int]] = {start: (-1, -1)}
    queue = [start]
    for node in queue:
        if goal[node]:
            path = []
            at = node
            while came[at][0] >= 0:
                path.append(came[at][1])
                at = came[at][0]
            return node, tuple(path if reverse else path[::-1])
        for arc in np.flatnonzero(open_ & (tail == node)):
            if int(head[arc]) not in came:
                came[int(head[arc])] = (node, int(arc))
                queue.append(int(head[arc]))
    return None
