"""Rost and Schmid's LP with copies: against column generation on trees, against all mappings on another graph."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from rarlib.ilp.gadget.augmented import augmented_optimum
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.relaxation import relax
from rarlib.model.errors import InputError
from tests.ilp.gadget_cases import small_problem
from tests.ilp.ring_copies import Embedding, Graph, Ring, augmented_embedding


def embed(seed: int) -> tuple[Graph, list[Ring], Embedding, float]:
    """A small tree, its rings, the LP with copies and the value by column generation."""
    problem = small_problem(seed)
    gain = problem.gain[np.arange(len(problem)), problem.largest]
    rings = [
        Ring(int(size), problem.demand[i], float(problem.bandwidth[i]), float(gain[i]))
        for i, size in enumerate(problem.largest)
    ]
    graph = Graph.of(problem.network)
    by_columns = augmented_optimum(problem, problem.largest, Columns(problem.network, fitting=False))
    return graph, rings, augmented_embedding(graph, rings), by_columns.value


def check_mappings(graph: Graph, rings: list[Ring], found: Embedding) -> None:
    """Every mapping is a ring on the graph; together they are worth the LP and keep its capacities."""
    node, arc = np.zeros(graph.capacity.shape), np.zeros(len(graph.gbps))
    value = 0.0
    for ring, mappings in zip(rings, found.mappings, strict=True):
        assert sum(m.weight for m in mappings) <= 1 + 1e-6
        for m in mappings:
            value += m.weight * ring.gain
            assert len(m.nodes) == ring.size
            for u in m.nodes:
                assert (ring.demand <= graph.capacity[u]).all()
                node[u] += m.weight * ring.demand
            for edge, path in enumerate(m.paths):
                at = m.nodes[edge]
                for a in path:
                    assert graph.tail[a] == at
                    at = graph.head[a]
                    arc[a] += m.weight * ring.bandwidth
                assert at == m.nodes[(edge + 1) % ring.size]
    assert value == pytest.approx(found.value, abs=1e-3)
    assert (node <= graph.capacity + 1e-6).all()
    assert (arc <= graph.gbps + 1e-6).all()


def test_agrees_with_column_generation_on_trees() -> None:
    """Both are the convex hull of mappings; links must bind in some of the instances for this to say anything."""
    bound = 0
    for seed in range(40):
        graph, rings, found, by_columns = embed(seed)
        assert found.value == pytest.approx(by_columns, rel=5e-6), seed
        check_mappings(graph, rings, found)
        bound += by_columns < relax(small_problem(seed)).value - 1e-3
    assert bound >= 10


def simple_paths(graph: Graph, start: int, end: int) -> list[tuple[int, ...]]:
    """All paths without repeated nodes, as arcs."""
    if start == end:
        return [()]
    found: list[tuple[int, ...]] = []
    stack: list[tuple[int, tuple[int, ...], frozenset[int]]] = [(start, (), frozenset({start}))]
    while stack:
        at, path, seen = stack.pop()
        for a in np.flatnonzero(graph.tail == at).tolist():
            head = int(graph.head[a])
            if head == end:
                found.append((*path, a))
            elif head not in seen:
                stack.append((head, (*path, a), seen | {head}))
    return found


def all_mappings(graph: Graph, rings: list[Ring]) -> float:
    """The LP over every placement and every choice of paths, by HiGHS."""
    columns, gains, owner = [], [], []
    for i, ring in enumerate(rings):
        hosts = [u for u in range(len(graph.capacity)) if (ring.demand <= graph.capacity[u]).all()]
        for nodes in product(hosts, repeat=ring.size):
            edges = range(ring.size if ring.size > 1 else 0)
            options = [simple_paths(graph, nodes[e], nodes[(e + 1) % ring.size]) for e in edges]
            for paths in product(*options):
                if any(graph.gbps[a] < ring.bandwidth for path in paths for a in path):
                    continue
                node, arc = np.zeros(len(graph.capacity)), np.zeros(len(graph.gbps))
                np.add.at(node, list(nodes), ring.demand[0])
                np.add.at(arc, [a for path in paths for a in path], ring.bandwidth)
                columns.append(np.concatenate([np.eye(len(rings))[i], node, arc]))
                gains.append(ring.gain)
                owner.append(i)
    upper = np.concatenate([np.ones(len(rings)), graph.capacity[:, 0], graph.gbps])
    found = linprog(-np.array(gains), A_ub=np.array(columns).T, b_ub=upper)
    assert found.success
    return float(-found.fun)


@pytest.mark.parametrize("seed", range(6))
def test_is_the_convex_hull_of_mappings_on_a_triangle_with_a_tail(seed: int) -> None:
    """Three servers in a triangle, a fourth behind one of them: two ways around, which no tree has."""
    rng = np.random.default_rng(seed)
    arcs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2), (2, 3), (3, 2)]
    graph = Graph.build(rng.integers(1, 3, (4, 1)), arcs, rng.uniform(0.5, 2, len(arcs)))
    rings = [
        Ring(int(rng.integers(1, 4)), np.ones(1), float(rng.uniform(0.3, 1.5)), float(rng.uniform(1, 5)))
        for _ in range(3)
    ]
    found = augmented_embedding(graph, rings)
    assert found.value == pytest.approx(all_mappings(graph, rings), rel=1e-6)
    check_mappings(graph, rings, found)


def test_disconnected_topology() -> None:
    """A server that nobody reaches must be named, not found out by an LP without flow."""
    with pytest.raises(InputError, match="disconnected: node 2 and node 0"):
        Graph.build([[1.0], [1.0], [1.0]], [(0, 1), (1, 0), (2, 1)], 1.0)
