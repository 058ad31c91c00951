"""Survival: members are ranked by front, and within a front by crowding distance, largest first.

Source: Deb, Pratap, Agarwal, Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE
Transactions on Evolutionary Computation 6 (2), 2002, doi 10.1109/4235.996017, for two objectives: in the order of the
first objective, a member is dominated by a front exactly if the front's last member dominates it, so its front is found
by bisection. Equal members share a front.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, inlined

_Numbers = NDArray[np.int64]

_RUN = 8
"""Members that are sorted by insertion before runs are merged."""


class Ranking(NamedTuple):
    """Members, and the values they are ranked by; arrays hold two generations.

    Attributes:
        first, second: objectives to be minimised, by member.
        order: members, the best first once they are ranked.
        front: number of each member's front, from 0.
        lonely: crowding distance by member; inf at the ends of a front.
        head, tail: first and last member of each front.
        before: preceding member in the same front, -1 for the first.
        spare: for sorting.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    order: _Numbers
    front: _Numbers
    lonely: NDArray[np.float64]
    head: _Numbers
    tail: _Numbers
    before: _Numbers
    spare: _Numbers


def new_ranking(members: int) -> Ranking:
    """An empty ranking with space for `members` members."""

    def numbers() -> _Numbers:
        return np.zeros(members, np.int64)

    values = np.zeros((3, members))
    rest = (numbers() for _ in range(4))
    return Ranking(values[0], values[1], np.arange(members), numbers(), values[2], *rest)


@inlined
def _dominates(r: Ranking, a: int, b: int) -> bool:
    """Whether `a`, which is no worse in the first objective, dominates `b`."""
    return r.second[a] < r.second[b] or (r.second[a] == r.second[b] and r.first[a] < r.first[b])


@inlined
def _precedes(r: Ranking, a: int, b: int) -> bool:
    return r.first[a] < r.first[b] or (r.first[a] == r.first[b] and r.second[a] < r.second[b])


@inlined
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


@inlined
def _ahead(r: Ranking, a: int, b: int, lonely: bool) -> bool:
    return r.lonely[a] > r.lonely[b] if lonely else _precedes(r, a, b)


@hot_kernel
def _merge(r: Ranking, start: int, middle: int, end: int, lonely: bool) -> None:
    """Merge two sorted neighbouring runs of `order`; of equals, the one of the first run goes first."""
    left, right = start, middle
    for k in range(start, end):
        if right >= end or (left < middle and not _ahead(r, r.order[right], r.order[left], lonely)):
            r.spare[k] = r.order[left]
            left += 1
        else:
            r.spare[k] = r.order[right]
            right += 1
    for k in range(start, end):
        r.order[k] = r.spare[k]


@hot_kernel
def _sort(r: Ranking, first: int, end: int, lonely: bool) -> None:
    """Sort a part of `order` by objectives or by crowding, stably: short runs by insertion, then runs are merged."""
    for start in range(first, end, _RUN):
        for k in range(start + 1, min(start + _RUN, end)):
            item, at = r.order[k], k
            while at > start and _ahead(r, item, r.order[at - 1], lonely):
                r.order[at] = r.order[at - 1]
                at -= 1
            r.order[at] = item
    width = 1 * _RUN
    while width < end - first:
        for start in range(first, end - width, 2 * width):
            middle = start + width
            if _ahead(r, r.order[middle], r.order[middle - 1], lonely):
                _merge(r, start, middle, min(middle + width, end), lonely)
        width *= 2


@hot_kernel
def _by_front(r: Ranking, count: int, kept: int) -> tuple[int, int]:
    """Order members by front; return where the front begins and ends that `kept` members cut in two."""
    sizes = r.tail  # no longer needed
    for f in range(count):
        sizes[f] = 0
    for k in range(count):
        sizes[r.front[r.order[k]]] += 1
    begin, cut, end = 0, 0, 0
    for f in range(count):
        size = sizes[f]
        if begin < kept <= begin + size:
            cut, end = begin, begin + size
        sizes[f] = begin
        begin += size
    for k in range(count):
        item = r.order[k]
        r.spare[sizes[r.front[item]]] = item
        sizes[r.front[item]] += 1
    for k in range(count):
        r.order[k] = r.spare[k]
    return cut, end


@hot_kernel
def rank(r: Ranking, count: int, kept: int) -> None:
    """Rank the first `count` members of `order` so that the best `kept` of them come first, by front.

    Ties go by the objectives. Only the front that is cut in two is sorted by crowding.
    """
    _sort(r, 0, count, False)
    _assign_fronts(r, count)
    _assign_distances(r, count)
    begin, end = _by_front(r, count, kept)
    if end > kept:
        _sort(r, begin, end, True)
