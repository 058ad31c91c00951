"""A fabric as numbered links, for runs of many jobs, and the links of a ring among them.

Links are numbered: those from servers, those to servers, uplinks of all layers, and the same links down.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.routing import next_hop
from rarlib.fabric.shapes import Shape, SwitchLayer
from rarlib.model.jit import hot_kernel


class SharedLinks(NamedTuple):
    """Links and the way through them, as plain arrays."""

    # of each link, relative to the link that `link_s` of the price table assumes, shape (links,)
    capacity: NDArray[np.float64]
    nominal_gbps: float  # capacity of that link, Gbit/s
    order: NDArray[np.int64]  # position of each server in a ring that goes from rack to rack, shape (servers,)
    group: NDArray[np.int64]  # group of each server in each layer, the nearest layer first, shape (layers, servers)
    hops: NDArray[np.int64]  # equal next hops of a switch, by layer, shape (layers,)
    first: NDArray[np.int64]  # number of a layer's first uplink among uplinks, shape (layers,)
    most_users: NDArray[np.int64]  # most jobs that can use a link at once, shape (links,)
    alpha: float  # a link over which n jobs send carries n / (n + alpha (n - 1)) of its capacity
    seed: np.uint64  # of the hash that chooses among equal next hops


def numbered_links(
    shape: Shape, gpus: NDArray[np.int64], nominal_gbps: float, alpha: float = 0.0, seed: int = 0
) -> SharedLinks:
    """Links of a fabric; the GPUs of each server bound the number of jobs on its links.

    Transfer times of the price table assume a link of `nominal_gbps`; `alpha` is the loss per further job that sends
    over a link, `seed` that of ECMP.
    """
    layers = shape.layers
    count = np.array([len(layer.gbps) * _cables(layers, at) for at, layer in enumerate(layers)], dtype=np.int64)
    below = [np.bincount(layer.group, gpus, len(layer.gbps)).astype(np.int64) for layer in layers]
    uplink = [np.repeat(layer.gbps, _cables(layers, at)) for at, layer in enumerate(layers)]
    users = [np.repeat(most, _cables(layers, at)) for at, most in enumerate(below)]
    keys = [np.arange(shape.servers), *(layer.group for layer in layers)]
    return SharedLinks(
        capacity=np.concatenate([shape.nic_gbps, shape.nic_gbps, *uplink, *uplink]) / nominal_gbps,
        nominal_gbps=float(nominal_gbps),
        order=np.argsort(np.lexsort(keys)),
        group=np.array([layer.group for layer in layers], dtype=np.int64).reshape(len(layers), shape.servers),
        hops=np.array([layer.hops for layer in layers], dtype=np.int64),
        first=np.cumsum(count) - count,
        most_users=np.concatenate([gpus, gpus, *users, *users]),
        alpha=float(alpha),
        seed=np.uint64(seed),
    )


def _cables(layers: tuple[SwitchLayer, ...], at: int) -> int:
    """Uplinks of a group in a layer: one for each choice of hops up to there."""
    return int(np.prod([layer.hops for layer in layers[: at + 1]]))


def link_names(shape: Shape) -> list[str]:
    """Names of links, in the order of their numbers."""
    up = [
        layer.name(group, hops)
        for at, layer in enumerate(shape.layers)
        for group in range(len(layer.gbps))
        for hops in product(*(range(each.hops) for each in shape.layers[: at + 1]))
    ]
    servers = [f"h{server}" for server in range(shape.servers)]
    return [f"{name}{way}" for names in (servers, up) for way in "+-" for name in names]


@hot_kernel
def _add(links: SharedLinks, link: int, found: NDArray[np.int64], at: int) -> int:
    """Add a link, unless it is infinitely fast; returns where the next one goes."""
    if links.capacity[link] == np.inf:
        return at
    found[at] = link
    return at + 1


@hot_kernel
def path_choices(links: SharedLinks, source: int, target: int) -> int:
    """Number of equal paths from one server to another; they are numbered with the last hop changing fastest."""
    choices = 1
    for layer in range(len(links.hops)):
        if links.group[layer, source] == links.group[layer, target]:
            break
        choices *= links.hops[layer]
    return choices


@hot_kernel
def hashed_path(links: SharedLinks, key: np.uint64, source: int, target: int) -> int:
    """Number of the path that ECMP takes; `key` as for `rarlib.fabric.routing`."""
    number = 0
    for layer in range(len(links.hops)):
        if links.group[layer, source] == links.group[layer, target]:
            break
        number = number * links.hops[layer] + next_hop(links.hops[layer], links.seed, key, source, target, layer)
    return number


@hot_kernel
def path_links(links: SharedLinks, source: int, target: int, path: int, found: NDArray[np.int64], at: int) -> int:
    """Links of a path into `found` from `at` on, without infinitely fast ones; returns where they end.

    `path` is a number from 0 to `path_choices` - 1.
    """
    servers = len(links.order)
    uplinks = (len(links.capacity) - 2 * servers) // 2
    at = _add(links, source, found, at)
    at = _add(links, servers + target, found, at)
    cables, above = 1, path_choices(links, source, target)
    for layer in range(len(links.hops)):
        one, other = links.group[layer, source], links.group[layer, target]
        if one == other:
            break
        # Cables of a group are numbered by the hops taken so far.
        cables *= links.hops[layer]
        above //= links.hops[layer]
        taken, first = path // above, 2 * servers + links.first[layer]
        at = _add(links, first + one * cables + taken, found, at)
        at = _add(links, first + uplinks + other * cables + taken, found, at)
    return at


@hot_kernel
def ring_links(
    links: SharedLinks, key: np.uint64, servers: NDArray[np.int64], found: NDArray[np.int64], begin: int
) -> int:
    """Links of a ring in lockstep into `found` from `begin` on; returns where they end.

    Each is crossed once, since the ring goes from rack to rack; `servers`, at least two, are sorted into that order.
    `key` is the job's in the hash (`rarlib.fabric.routing`).
    """
    for i in range(1, len(servers)):
        server, at = servers[i], i
        while at > 0 and links.order[servers[at - 1]] > links.order[server]:
            servers[at] = servers[at - 1]
            at -= 1
        servers[at] = server
    end = begin
    for i in range(len(servers)):
        target = servers[(i + 1) % len(servers)]
        end = path_links(links, servers[i], target, hashed_path(links, key, servers[i], target), found, end)
    return end


@hot_kernel
def most_crossings(links: SharedLinks, servers: int) -> int:
    """Most links that a ring over that many servers has."""
    return 2 * servers * (1 + len(links.hops))
