"""A decision that fits, from prices: where the cheapest choices need too many GPUs, jobs move at the least loss."""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.lagrangian import Dual
from rarlib.ilp.sia.problem import Choices
from rarlib.model.jit import hot_kernel


def repaired(c: Choices, capacity: NDArray[np.int64], d: Dual) -> NDArray[np.int64] | None:
    """A choice for every job such that all fit, shape (jobs,); None if moving one job at a time leads nowhere.

    No single job can move to a lighter choice without displacing another.
    """
    answer, left = np.zeros(len(c.first) - 1, np.int64), np.zeros(len(capacity), np.int64)
    return answer if _repair(c, capacity, d, answer, left) else None


@hot_kernel
def _repair(
    c: Choices, capacity: NDArray[np.int64], d: Dual, answer: NDArray[np.int64], left: NDArray[np.int64]
) -> bool:
    for t in range(len(capacity)):
        left[t] = capacity[t]
    for job in range(len(answer)):
        best = np.inf
        for at in range(c.first[job], c.first[job + 1]):
            priced = c.weight[at] + d.price[c.kind[at]] * c.size[at]
            if priced < best:
                best, answer[job] = priced, at
        left[c.kind[answer[job]]] -= c.size[answer[job]]
    while True:
        over = 0
        for t in range(len(left)):
            over += max(0, -left[t])
        job, to = _next_move(c, d, answer, left)
        if job < 0:
            return over == 0
        left[c.kind[answer[job]]] += c.size[answer[job]]
        left[c.kind[to]] -= c.size[to]
        answer[job] = to


@hot_kernel
def _next_move(c: Choices, d: Dual, answer: NDArray[np.int64], left: NDArray[np.int64]) -> tuple[int, int]:
    """The next move: while GPUs are overcommitted, least loss per GPU of excess removed; then, largest gain."""
    over = False
    for t in range(len(left)):
        over = over or left[t] < 0
    best, mover, target = np.inf if over else 0.0, -1, -1
    for job in range(len(answer)):
        now = answer[job]
        source, size = c.kind[now], c.size[now]
        relief = min(size, max(0, -left[source]))
        if over and relief == 0:
            continue
        for at in range(c.first[job], c.first[job + 1]):
            kind, asked = c.kind[at], c.size[at]
            loss = float(c.weight[at] - c.weight[now])
            if not over:
                fits = asked <= left[kind] + (size if kind == source else 0)
                if fits and loss < best:
                    best, mover, target = loss, job, at
                continue
            removed = relief
            if kind == source:
                removed = min(size - asked, relief)
            elif asked > left[kind]:
                removed = 0
            if removed > 0:
                dearer = loss + d.price[kind] * asked - d.price[source] * size
                if dearer / removed < best:
                    best, mover, target = dearer / removed, job, at
    return mover, target
