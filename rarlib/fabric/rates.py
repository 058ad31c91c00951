"""Max-min fair rates of flows, by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2).

All flows grow together until a link is full; the flows on it stop growing, and so on. Flows of a higher priority fill
the links first. A link on which n flows send carries n / f(alpha, n) of its capacity, f = n + alpha (n - 1).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

_FULL = 1e-12
"""A link with less than this share of its capacity left is full: what is left is a rounding error."""

_FASTEST = 1e300
"""Faster than any flow, bytes/s, and no infinity, which times 0 would be no number."""


class FlowTable(NamedTuple):
    """Flows over links as plain arrays, for compiled loops."""

    capacity: NDArray[np.float64]  # bytes/s of each link, shape (links,)
    first: NDArray[np.int64]  # where the links of a flow begin in `link`, shape (flows + 1,)
    link: NDArray[np.int64]  # links of all flows, one after the other, shape (crossings,)
    times: NDArray[np.int64]  # how often the flow crosses that link, same shape
    size: NDArray[np.float64]  # bytes that a flow sends in one exchange, shape (flows,)
    owner: NDArray[np.int64]  # job of each flow, ascending, shape (flows,)
    level: NDArray[np.int64]  # priority, a greater number first, shape (flows,)
    alpha: float  # loss per further flow on a link


class Filling(NamedTuple):
    """Memory that `fill_links` works in."""

    left: NDArray[np.float64]  # capacity of each link that no flow has taken, shape (links,)
    # crossings of each link by flows that still grow, all 0 between two calls, shape (links,)
    weight: NDArray[np.float64]
    touched: NDArray[np.int64]  # links that active flows cross, shape (links + 1,)
    live: NDArray[np.int64]  # those of them that growing flows cross, in the same order, shape (links,)
    open_: NDArray[np.int64]  # active flows that still grow, shape (flows,)
    crosses: NDArray[np.bool_]  # whether a flow crosses a link, shape (links, flows)
    plain: bool  # whether all flows have the same priority and cross each of their links once


def memory(table: FlowTable) -> Filling:
    """Memory for a table of flows."""
    links, flows = len(table.capacity), len(table.size)
    crosses = np.zeros((links, flows), np.bool_)
    crosses[table.link, np.repeat(np.arange(flows), np.diff(table.first))] = True
    return Filling(
        left=np.zeros(links),
        weight=np.zeros(links),
        touched=np.zeros(links + 1, np.int64),
        live=np.zeros(links, np.int64),
        open_=np.zeros(flows, np.int64),
        crosses=crosses,
        plain=bool((table.times == 1).all() and (table.level == table.level[:1]).all()),
    )


@hot_kernel
def _is_covered(table: FlowTable, taken: Any, place: Any, link: int, other: int) -> bool:
    """Whether all flows of a link cross another, no faster one as often, and, if it is as fast, before the link."""
    as_fast = table.capacity[other] == table.capacity[link]
    if other == link or table.capacity[other] > table.capacity[link]:
        return False
    for flow in range(len(table.size)):
        if taken[link, flow] > taken[other, flow]:
            return False
        if as_fast and taken[link, flow] > 0 and place[link, flow] < place[other, flow]:
            return False
    return True


@hot_kernel
def _mark_bottlenecks(table: FlowTable, taken: Any, place: Any, one: Any, stays: Any) -> None:
    """Mark the links that may be full first; `one` has a flow of each link."""
    for link in range(len(table.capacity)):
        flow, stays[link] = one[link], one[link] >= 0
        if flow >= 0:
            for cross in range(table.first[flow], table.first[flow + 1]):
                if _is_covered(table, taken, place, link, table.link[cross]):
                    stays[link] = False


def bottlenecks(table: FlowTable) -> FlowTable:
    """The same flows, without the links that are never full before another one; rates stay as they are, to the bit.

    Whatever flows send, a link is not full before another one that is no faster, and that all its flows cross at least
    as often. If both are equally fast, they may be full at the same time, and the one that flows cross first is taken.
    """
    links, flows = len(table.capacity), len(table.size)
    owner = np.repeat(np.arange(flows), np.diff(table.first))
    taken, place = (np.zeros((links, flows), np.int32) for _ in range(2))
    taken[table.link, owner] = table.times
    place[table.link, owner] = np.arange(len(table.link)) - table.first[owner]
    one = np.full(links, -1)
    one[table.link] = owner
    stays = np.zeros(links, np.bool_)
    _mark_bottlenecks(table, taken, place, one, stays)
    number, kept = np.cumsum(stays) - 1, stays[table.link]
    return table._replace(
        capacity=table.capacity[stays],
        first=np.searchsorted(owner[kept], np.arange(flows + 1)),
        link=number[table.link[kept]],
        times=table.times[kept],
    )


@hot_kernel
def _open_links(table: FlowTable, active: Any, many: int, space: Filling) -> int:
    """Give every link that an active flow crosses its capacity, and count these flows in `weight`; returns how many."""
    links = 0
    for at in range(many):
        for cross in range(table.first[active[at]], table.first[active[at] + 1]):
            link = table.link[cross]
            space.left[link] = table.capacity[link]
            space.touched[links] = link
            links += space.weight[link] == 0.0  # not a branch: nobody could predict it
            space.weight[link] += 1.0
    if table.alpha > 0.0:
        for at in range(links):
            link = space.touched[at]
            n = space.weight[link]
            space.left[link] *= n / (n + table.alpha * (n - 1.0))
    return links


@hot_kernel
def _level_below(table: FlowTable, active: Any, many: int, above: int) -> int:
    """The highest priority below one; the least number if there is none."""
    level = np.iinfo(np.int64).min
    for at in range(many):
        if table.level[active[at]] < above:
            level = max(level, table.level[active[at]])
    return level


@hot_kernel
def _tightest(space: Filling, live: int) -> tuple[int, float, int]:
    """The link that is full first, what its flows get, and the number of links that growing flows cross."""
    tightest, share, kept = -1, _FASTEST, 0
    for at in range(live):
        link = space.live[at]
        weight = space.weight[link]
        space.live[kept] = link
        kept += weight > 0.0
        if space.left[link] < share * weight:
            share = space.left[link] / weight
            tightest = link
    return tightest, share, kept


@hot_kernel
def _freeze(table: FlowTable, space: Filling, tightest: int, share: float, growing: int, rate: Any) -> int:
    """Fix the rates of the flows on a link; returns the number of flows that still grow."""
    kept = 0
    for at in range(growing):
        flow = space.open_[at]
        space.open_[kept] = flow
        if not space.crosses[tightest, flow]:
            kept += 1
            continue
        rate[flow] = share
        for cross in range(table.first[flow], table.first[flow + 1]):
            link = table.link[cross]
            space.weight[link] -= table.times[cross]
            space.left[link] -= table.times[cross] * share
            if space.left[link] < _FULL * table.capacity[link]:
                space.left[link] = 0.0
    return kept


@hot_kernel
def _grow(table: FlowTable, space: Filling, live: int, growing: int, rate: Any) -> None:
    """Let the flows in `open_` grow until links stop them all."""
    while growing > 0:
        tightest, share, live = _tightest(space, live)
        growing = _freeze(table, space, tightest, share, growing, rate)


@hot_kernel
def _fill_by_level(table: FlowTable, active: Any, many: int, space: Filling, links: int, rate: Any) -> None:
    """Let flows grow, those of the highest priority first."""
    for at in range(links):
        space.weight[space.touched[at]] = 0.0
    level = _level_below(table, active, many, np.iinfo(np.int64).max)
    served = 0
    while served < many:
        growing = 0
        for at in range(many):
            flow = active[at]
            if table.level[flow] == level:
                space.open_[growing] = flow
                growing += 1
                for cross in range(table.first[flow], table.first[flow + 1]):
                    space.weight[table.link[cross]] += table.times[cross]
        served += growing
        for at in range(links):
            space.live[at] = space.touched[at]
        _grow(table, space, links, growing, rate)
        level = _level_below(table, active, many, level)


@hot_kernel
def fill_links(table: FlowTable, active: Any, many: int, space: Filling, rate: Any) -> None:
    """Rates of the flows that send, bytes/s: the first `many` numbers in `active`; only theirs are written."""
    links = _open_links(table, active, many, space)
    if not space.plain:
        _fill_by_level(table, active, many, space, links, rate)
        return
    for at in range(links):
        space.live[at] = space.touched[at]
    for at in range(many):
        space.open_[at] = active[at]
    _grow(table, space, links, many, rate)


def fair_shares(table: FlowTable, active: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rates of the active flows, bytes/s, in their order, shape (n,)."""
    rate = np.zeros(len(table.size))
    fill_links(table, active, len(active), memory(table), rate)
    return rate[active]
