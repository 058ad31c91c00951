"""From an order of jobs to a few priority levels: the cut of an acyclic graph into K parts with the largest weight.

An edge leads from a job to one of lower priority with which it shares a link, and weighs what is lost if both get the
same level. Levels may merge jobs, but never turn an edge around. For one topological order of the graph, the best cut
into K consecutive parts is found by dynamic programming; Crux tries several random orders and keeps the best cut.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Edges = Mapping[tuple[int, int], float]
"""Weight of each edge, from the job that goes first to the one that follows."""


def random_topological_order(jobs: int, edges: Edges, rng: np.random.Generator) -> list[int]:
    """An order in which every edge leads forward; each next job is drawn evenly from those that may come next."""
    before = np.zeros(jobs, np.int64)
    for _, then in edges:
        before[then] += 1
    ready = [int(job) for job in np.flatnonzero(before == 0)]
    order = []
    while ready:
        job = ready.pop(int(rng.integers(len(ready))))
        order.append(job)
        for first, then in edges:
            if first == job:
                before[then] -= 1
                if before[then] == 0:
                    ready.append(then)
    return order


def best_cut(order: Sequence[int], edges: Edges, parts: int) -> tuple[list[int], float]:
    """The best cut of an order into at most that many consecutive parts.

    Args:
        order: jobs, every edge leading forward.
        edges: the graph.
        parts: at least 1.

    Returns:
        Part of each job by its number, the first part being 0, and the weight of the edges between parts.
    """
    n = len(order)
    inside = _inside(order, edges)
    parts = min(parts, n)
    least = np.full((parts + 1, n + 1), np.inf)
    least[0, 0] = 0.0
    cut = np.zeros((parts + 1, n + 1), np.int64)
    for part in range(1, parts + 1):
        for end in range(1, n + 1):
            weights = least[part - 1, :end] + inside[:end, end]
            cut[part, end] = int(np.argmin(weights))
            least[part, end] = weights[cut[part, end]]
    found = [0] * n
    end, used = n, int(np.argmin(least[:, n]))
    kept = float(least[used, n])
    for part in range(used, 0, -1):
        begin = int(cut[part, end])
        for at in range(begin, end):
            found[order[at]] = part - 1
        end = begin
    return found, sum(edges.values()) - kept


def _inside(order: Sequence[int], edges: Edges) -> NDArray[np.float64]:
    """Weight of the edges between the places begin, ..., end - 1 of an order, shape (jobs + 1, jobs + 1)."""
    n = len(order)
    place = {job: at for at, job in enumerate(order)}
    weight = np.zeros((n + 1, n + 1))
    for (first, then), value in edges.items():
        weight[place[first], place[then] + 1] += value
    # Sum over all begins at or after, and all ends at or before.
    return np.cumsum(np.cumsum(weight[::-1], axis=0)[::-1], axis=1)


def compressed(jobs: int, edges: Edges, parts: int, orders: int, rng: np.random.Generator) -> list[int]:
    """Level of each job, a greater number first, by the best of the cuts of several random orders.

    Args:
        jobs: how many.
        edges: the graph, acyclic.
        parts: most levels.
        orders: random orders that are tried.
        rng: draws them.
    """
    cuts = [best_cut(random_topological_order(jobs, edges, rng), edges, parts) for _ in range(orders)]
    part, _ = max(cuts, key=lambda cut: cut[1])  # of equal ones, the first
    lowest = max(part, default=0)
    return [lowest - each for each in part]
