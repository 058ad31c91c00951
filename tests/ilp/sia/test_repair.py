"""Choices that need too many GPUs are repaired at the least loss: against the rule in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.ilp.sia.lagrangian import Dual
from rarlib.ilp.sia.problem import SCALE, Choices, choices
from rarlib.ilp.sia.repair import repaired
from rarlib.model.seeds import stream
from tests.ilp.sia.cases import small


def at_prices(*price: float) -> Dual:
    n = len(price)
    return Dual(np.array(price), np.zeros(1), np.zeros(1, np.int64), np.zeros((3, n)), np.zeros((n, n)))


def by_rule(c: Choices, capacity: list[int], price: list[float]) -> list[int] | None:
    """Everybody's cheapest choice; then, while a type is overcommitted, the move of least loss at these prices per GPU
    of excess that it removes, to where there is room; then, while one fits, the move to the choice lighter by most."""
    first = c.first.tolist()
    weight, kind, size = (array[: first[-1]].tolist() for array in (c.weight, c.kind, c.size))
    jobs = range(len(first) - 1)
    priced = [w + price[k] * s for w, k, s in zip(weight, kind, size, strict=True)]
    answer = [min(range(first[j], first[j + 1]), key=lambda at: priced[at]) for j in jobs]

    def free(t: int) -> int:
        return capacity[t] - sum(size[at] for at in answer if kind[at] == t)

    while True:
        excess = [max(0, -free(t)) for t in range(len(capacity))]
        moves = []
        for j in jobs:
            now = answer[j]
            for at in range(first[j], first[j + 1]):
                same = kind[at] == kind[now]
                room = free(kind[at]) + (size[now] if same else 0)
                if any(excess):
                    gone = min(size[now], excess[kind[now]])
                    removed = min(size[now] - size[at], gone) if same else gone if size[at] <= room else 0
                    if removed > 0:
                        moves.append(((priced[at] - priced[now]) / removed, j, at))
                elif size[at] <= room and weight[at] < weight[now]:
                    moves.append((float(weight[at] - weight[now]), j, at))
        if not moves:
            return None if any(excess) else answer
        _, j, answer[j] = min(moves, key=lambda move: move[0])


@given(st.integers(0, 10**6))
def test_moves_are_those_of_the_rule(seed: int) -> None:
    problem = small(seed)
    problem = problem._replace(capacity=np.maximum(problem.capacity // 2, 1))
    c = choices(problem)
    price = stream(seed, "prices").integers(0, 40 * SCALE, len(problem.capacity)).astype(float)  # whole: ties are exact
    found = repaired(c, problem.capacity, at_prices(*price))
    expected = by_rule(c, problem.capacity.tolist(), price.tolist())
    assert (None if found is None else found.tolist()) == expected


def test_price_and_excess_decide_by_hand() -> None:
    """Two jobs of 4 and 2 GPUs on a type with 3, beside a type with 4: per GPU of excess the larger one is dearer."""
    c = Choices(
        first=np.array([0, 2, 4]),
        weight=np.array([10, 40, 10, 15]),
        kind=np.array([0, 1, 0, 1]),
        size=np.array([4, 4, 2, 2]),
        column=np.array([0, 1, 0, 1]),
    )
    # Excess 3: moving the first removes 3 for 30; moving the second removes 2 for 5, and then the first is to move too.
    found = repaired(c, np.array([3, 6]), at_prices(0.0, 0.0))
    assert found is not None and found.tolist() == [1, 2]
