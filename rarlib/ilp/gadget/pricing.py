"""The cheapest mapping of a ring onto the tree at given prices: what column generation asks for.

A job that places v_s workers on server s pays, at prices p (node), q (link), g (uplink),

    on one server     v p_s
    inside one rack   sum over used servers of p_s v_s + q_s
    beyond            the same plus g of every used rack

Costs add up over servers and racks, so that dynamic programs over the servers of a rack and then over racks are exact,
whatever the limits `most_workers` of workers per server. Counting a ring of one server as if it used its link, or of
one rack its uplink, never makes it cheaper: the cheapest of the three kinds is the cheapest mapping.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel
from rarlib.model.tree_network import TreeNetwork

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]

_KINDS = 3
"""One server; several servers of one rack; several racks."""


class Tree(NamedTuple):
    """A network as the kernel reads it."""

    order: NDArray[np.int64]  # servers sorted by rack, shape (servers,)
    first: NDArray[np.int64]  # where each rack begins in `order`, shape (racks + 1,)
    link: NDArray[np.float64]  # capacity of each server's link, shape (servers,)
    uplink: NDArray[np.float64]  # capacity of each rack's uplink, shape (racks,)


class LoadPrices(NamedTuple):
    """Prices of one unit of load."""

    worker: NDArray[np.float64]  # of one worker of each job on each server, shape (jobs, servers)
    link: NDArray[np.float64]  # of one Gbit/s on each server's link, shape (servers,)
    uplink: NDArray[np.float64]  # of one Gbit/s on each rack's uplink, shape (racks,)


def tree_of(network: TreeNetwork) -> Tree:
    """A network as the kernel reads it."""
    order = np.argsort(network.rack, kind="stable")
    first = np.searchsorted(network.rack[order], np.arange(network.racks + 1))
    return Tree(order, first, network.link_gbps, network.rack_gbps)


class _Scratch(NamedTuple):
    """Tables of the dynamic programs, by number n of workers placed; up to `most` of them."""

    best: NDArray[np.float64]  # cheapest n workers in each rack, uplink apart, shape (racks, most + 1)
    # how many of them sit on the last server used, by position in `Tree.order`, shape (servers, most + 1)
    taken: NDArray[np.int64]
    across: NDArray[np.float64]  # cheapest n workers in all racks, uplinks paid, shape (most + 1,)
    split: NDArray[np.int64]  # how many of them sit in the last rack used, shape (racks, most + 1)
    toll: NDArray[np.float64]  # of each server's link for the job at hand, shape (servers,)
    rack_toll: NDArray[np.float64]  # of each uplink, shape (racks,)

    @classmethod
    def of(cls, servers: int, racks: int, most: int) -> "_Scratch":
        n = most + 1
        real, whole = np.empty, np.zeros
        taken, split = whole((servers, n), np.int64), whole((racks, n), np.int64)
        return cls(real((racks, n)), taken, real(n), split, real(servers), real(racks))


def cheapest(
    tree: Tree, prices: LoadPrices, size: _Ints, bandwidth: _Reals, most_workers: _Ints
) -> tuple[_Reals, _Ints]:
    """Cheapest mapping of each kind for rings of given sizes; size 0 asks for nothing.

    Each server takes at most `most_workers` of a job, shape (jobs, servers).

    Returns:
        Costs, inf where there is none, shape (jobs, kinds); workers, shape (jobs, kinds, servers).
    """
    servers, racks = len(tree.link), len(tree.uplink)
    cost, workers = np.full((len(size), _KINDS), np.inf), np.zeros((len(size), _KINDS, servers), np.int64)
    scratch = _Scratch.of(servers, racks, int(size.max(initial=0)))
    _cheapest(tree, prices, (size, bandwidth, most_workers), scratch, cost, workers)
    return cost, workers


@hot_kernel
def _cheapest(
    tree: Tree, prices: LoadPrices, asked: tuple[_Ints, _Reals, _Ints], scratch: _Scratch, cost: _Reals, workers: _Ints
) -> None:
    best, across, split = scratch.best, scratch.across, scratch.split
    size, bandwidth, most_workers = asked
    for i in range(len(size)):
        k = size[i]
        if k > 0:
            _one_server(prices.worker[i], k, most_workers[i], cost[i], workers[i])
        if k > 1:
            _tolls(tree.link, prices.link, bandwidth[i], scratch.toll)
            _tolls(tree.uplink, prices.uplink, bandwidth[i], scratch.rack_toll)
            home = 0
            for r in range(len(tree.uplink)):
                _inside_rack(tree, r, prices.worker[i], scratch.toll, k, most_workers[i], best[r], scratch.taken)
                if best[r, k] < best[home, k]:
                    home = r
            if best[home, k] < np.inf:
                cost[i, 1] = best[home, k]
                _read(tree, home, k, scratch.taken, workers[i, 1])
            _across_racks(scratch.rack_toll, k, best, across, split)
            if across[k] < np.inf:
                cost[i, 2] = across[k]
                left = k
                for r in range(len(tree.uplink) - 1, -1, -1):
                    _read(tree, r, split[r, left], scratch.taken, workers[i, 2])
                    left -= split[r, left]


@hot_kernel
def _one_server(price: _Reals, k: int, most_workers: _Ints, cost: _Reals, workers: _Ints) -> None:
    where = -1
    for s in range(len(price)):
        if most_workers[s] >= k and k * price[s] < cost[0]:
            cost[0] = k * price[s]
            where = s
    if where >= 0:
        workers[0, where] = k


@hot_kernel
def _tolls(capacity: _Reals, price: _Reals, bandwidth: float, toll: _Reals) -> None:
    """Price of the bandwidth on each link; inf where the link has less."""
    for at in range(len(toll)):
        toll[at] = bandwidth * price[at] if bandwidth <= capacity[at] else np.inf


@hot_kernel
def _inside_rack(
    tree: Tree, rack: int, price: _Reals, toll: _Reals, k: int, most_workers: _Ints, best: _Reals, taken: _Ints
) -> None:
    """Fill `best` and `taken` of one rack; server after server, v of n workers on it."""
    best[: k + 1] = np.inf
    best[0] = 0.0
    for at in range(tree.first[rack], tree.first[rack + 1]):
        s = tree.order[at]
        taken[at, : k + 1] = 0
        for n in range(k, 0, -1):
            for v in range(1, min(most_workers[s], n) + 1):
                cost = best[n - v] + toll[s] + v * price[s]
                if cost < best[n]:
                    best[n] = cost
                    taken[at, n] = v


@hot_kernel
def _across_racks(toll: _Reals, k: int, best: _Reals, across: _Reals, split: _Ints) -> None:
    """Fill `across` and `split`; rack after rack, m of n workers in it."""
    across[: k + 1] = np.inf
    across[0] = 0.0
    for r in range(len(toll)):
        split[r, : k + 1] = 0
        for n in range(k, 0, -1):
            for m in range(1, n + 1):
                cost = across[n - m] + toll[r] + best[r, m]
                if cost < across[n]:
                    across[n] = cost
                    split[r, n] = m


@hot_kernel
def _read(tree: Tree, rack: int, n: int, taken: NDArray[np.int64], workers: NDArray[np.int64]) -> None:
    for at in range(tree.first[rack + 1] - 1, tree.first[rack] - 1, -1):
        v = taken[at, n]
        if v > 0:
            workers[tree.order[at]] = v
            n -= v
