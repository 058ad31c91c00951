"""Survival: members are ranked by front, and within a front by crowding distance, largest first.

Source: Deb, Pratap, Agarwal, Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE
Transactions on Evolutionary Computation 6 (2), 2002, doi 10.1109/4235.996017, for two objectives: in the order of the
first objective, a member is dominated by a front exactly if the front's last member dominates it, so its front is found
by bisection. Equal members share a front.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

_Numbers = NDArray[np.int64]


class Ranking(NamedTuple):
    """Members, and the values they are ranked by; arrays hold two generations.

    Attributes:
        first, second: objectives to be minimised, by member.
        order: members, best first once they are ranked.
        front: number of each member's front, from 0.
        lonely: crowding distance by member; inf at the ends of a front.
        head, tail: first and last member of each front.
        before: preceding member in the same front, -1 for the first.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    order: _Numbers
    front: _Numbers
    lonely: NDArray[np.float64]
    head: _Numbers
    tail: _Numbers
    before: _Numbers


def new_ranking(members: int) -> Ranking:
    """An empty ranking with space for `members` members."""

    def numbers() -> _Numbers:
        return np.zeros(members, np.int64)

    values = np.zeros((3, members))
    return Ranking(values[0], values[1], np.arange(members), numbers(), values[2], numbers(), numbers(), numbers())


@hot_kernel
def _dominates(r: Ranking, a: int, b: int) -> bool:
    """Whether `a`, which is no worse in the first objective, dominates `b`."""
    return r.second[a] < r.second[b] or (r.second[a] == r.second[b] and r.first[a] < r.first[b])


@hot_kernel
def _precedes(r: Ranking, a: int, b: int) -> bool:
    return r.first[a] < r.first[b] or (r.first[a] == r.first[b] and r.second[a] < r.second[b])


@hot_kernel
def better(r: Ranking, a: int, b: int) -> bool:
    """Whether `a` beats `b`: a lower front, or a greater crowding distance in the same one."""
    return r.front[a] < r.front[b] or (r.front[a] == r.front[b] and r.lonely[a] > r.lonely[b])


@hot_kernel
def _assign_fronts(r: Ranking, count: int) -> None:
    fronts = 0
    for k in range(count):
        item = r.order[k]
        low, high = 0, fronts
        while low < high:
            middle = (low + high) // 2
            if _dominates(r, r.tail[middle], item):
                low = middle + 1
            else:
                high = middle
        r.front[item] = low
        if low == fronts:
            r.head[low] = item
            r.before[item] = -1
            fronts += 1
        else:
            r.before[item] = r.tail[low]
        r.tail[low] = item


@hot_kernel
def _assign_distances(r: Ranking, count: int) -> None:
    """Within a front the second objective falls as the first rises, so neighbours in one are neighbours in both."""
    for k in range(count):
        item = r.order[k]
        f = r.front[item]
        if item == r.head[f] or item == r.tail[f]:
            r.lonely[item] = np.inf
        here = r.before[item]
        if here >= 0 and r.before[here] >= 0:
            head, tail, past = r.head[f], r.tail[f], r.before[here]
            width, height = r.first[tail] - r.first[head], r.second[head] - r.second[tail]
            # A front of equals has neither width nor height.
            across = (r.first[item] - r.first[past]) / width if width > 0.0 else 0.0
            along = (r.second[past] - r.second[item]) / height if height > 0.0 else 0.0
            r.lonely[here] = across + along


@hot_kernel
def rank(r: Ranking, count: int) -> None:
    """Sort the first `count` members of `order` into the order of survival; ties go by the objectives."""
    for k in range(1, count):
        item, at = r.order[k], k
        while at > 0 and _precedes(r, item, r.order[at - 1]):
            r.order[at] = r.order[at - 1]
            at -= 1
        r.order[at] = item
    _assign_fronts(r, count)
    _assign_distances(r, count)
    for k in range(1, count):
        item, at = r.order[k], k
        while at > 0 and better(r, item, r.order[at - 1]):
            r.order[at] = r.order[at - 1]
            at -= 1
        r.order[at] = item
