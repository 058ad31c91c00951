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


class FlowTable(NamedTuple):
    """Flows over links as plain arrays, for compiled loops.

    Attributes:
        capacity: bytes/s of each link, shape (links,).
        first: where the links of a flow begin in `link`, shape (flows + 1,).
        link: links of all flows, one after the other, shape (crossings,).
        times: how often the flow crosses that link, same shape.
        size: bytes that a flow sends in one exchange, shape (flows,).
        owner: job of each flow, ascending, shape (flows,).
        level: priority, a greater number first, shape (flows,).
        alpha: loss per further flow on a link.
    """

    capacity: NDArray[np.float64]
    first: NDArray[np.int64]
    link: NDArray[np.int64]
    times: NDArray[np.int64]
    size: NDArray[np.float64]
    owner: NDArray[np.int64]
    level: NDArray[np.int64]
    alpha: float


class Filling(NamedTuple):
    """Memory that `fill_links` works in.

    Attributes:
        left: capacity of each link that no flow has taken, shape (links,).
        weight: crossings of each link by flows that still grow, all 0 between two calls, shape (links,).
        touched: links that active flows cross, shape (links,).
        live: those of them that growing flows cross, in the same order, shape (links,).
        open_: active flows that still grow, shape (flows,).
        crosses: whether a flow crosses a link, shape (links, flows).
    """

    left: NDArray[np.float64]
    weight: NDArray[np.int64]
    touched: NDArray[np.int64]
    live: NDArray[np.int64]
    open_: NDArray[np.int64]
    crosses: NDArray[np.bool_]


def memory(table: FlowTable) -> Filling:
    """Memory for a table of flows."""
    links, flows = len(table.capacity), len(table.size)
    crosses = np.zeros((links, flows), np.bool_)
    crosses[table.link, np.repeat(np.arange(flows), np.diff(table.first))] = True
    weight, touched, live = (np.zeros(links, np.int64) for _ in range(3))
    return Filling(np.zeros(links), weight, touched, live, np.zeros(flows, np.int64), crosses)


@hot_kernel
def _open_links(table: FlowTable, active: Any, many: int, space: Filling) -> int:
    """Give every link that an active flow crosses its capacity; returns their number."""
    links = 0
    for at in range(many):
        for cross in range(table.first[active[at]], table.first[active[at] + 1]):
            link = table.link[cross]
            if space.weight[link] == 0:
                space.touched[links] = link
                links += 1
            space.weight[link] += 1
    for at in range(links):
        link = space.touched[at]
        n = space.weight[link]
        space.left[link] = table.capacity[link]
        if table.alpha > 0.0:
            space.left[link] *= n / (n + table.alpha * (n - 1))
        space.weight[link] = 0
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
    tightest, share, kept = -1, np.inf, 0
    for at in range(live):
        link = space.live[at]
        weight = space.weight[link]
        if weight == 0:
            continue
        space.live[kept] = link
        kept += 1
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
        if not space.crosses[tightest, flow]:
            space.open_[kept] = flow
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
def fill_links(table: FlowTable, active: Any, many: int, space: Filling, rate: Any) -> None:
    """Rates of the flows that send.

    Args:
        table: the flows.
        active: numbers of the flows that send, in its first `many` places.
        many: how many send.
        space: see `memory`.
        rate: bytes/s of each flow, shape (flows,); only those of active flows are written.
    """
    links = _open_links(table, active, many, space)
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
        live = links
        for at in range(links):
            space.live[at] = space.touched[at]
        while growing > 0:
            tightest, share, live = _tightest(space, live)
            growing = _freeze(table, space, tightest, share, growing, rate)
        level = _level_below(table, active, many, level)


def fair_shares(table: FlowTable, active: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rates of some flows that send, bytes/s, in their order.

    Args:
        table: all flows.
        active: numbers of those that send, shape (n,).
    """
    rate = np.zeros(len(table.size))
    fill_links(table, active, len(active), memory(table), rate)
    return rate[active]
