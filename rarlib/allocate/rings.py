"""Greedy placement of rings that reserve bandwidth, where a cycle can be formed (GADGET, INFOCOM 2022, section VI)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel
from rarlib.model.tree_network import TreeNetwork

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]

_SLACK = 1e-9
"""Gbit/s by which a sum of reservations may exceed a capacity through rounding."""

_ANY, _OWN, _NEAR, FAR = range(4)
"""Which servers may take one more worker: any; the job's own; those in its racks, or in other racks, whose links have
enough free bandwidth."""


class _Space(NamedTuple):
    """Free GPUs and unreserved bandwidth, read and updated by the kernels."""

    gpus: _Ints  # free GPUs, shape (servers,)
    link: _Reals  # unreserved bandwidth of each server's link, Gbit/s
    uplink: _Reals  # unreserved bandwidth of each rack's uplink, Gbit/s
    rack: _Ints  # of each server, shape (servers,)


RESERVED = "reserved"
"""Name of this rule as a scheduler's `placement`; the other rules are in `rarlib.allocate.placement`."""


class Residual:
    """Residual GPUs (a server's first resource), links and uplinks while jobs are placed one after the other."""

    def __init__(self, network: TreeNetwork) -> None:
        gpus = network.capacity[:, 0].astype(np.int64)
        self.space = _Space(gpus, network.link_gbps.copy(), network.rack_gbps.copy(), network.rack)

    def take(self, workers: _Ints, gbps: float) -> None:
        """Reserve GPUs and bandwidth for a job with these workers by server, shape (servers,)."""
        take(self.space, workers, gbps, 1)

    def whole(self, rows: _Ints, size: _Ints, gbps: _Reals, out: _Ints, *, head_blocks: bool = False) -> None:
        """Place whole gangs in the order of `rows`; one that does not fit is left out, or ends it (`head_blocks`).

        A gang goes to one server if a server has enough free GPUs (of those, the one with the fewest), else to one rack
        (again the one with the fewest), else to servers of any racks. A gang that spans servers uses only links with
        enough unreserved bandwidth, emptiest servers first. If a feasible placement exists, one is found. `out`
        receives workers, shape (jobs, servers); the rows in `rows` must be zero on entry.
        """
        _whole(self.space, rows, size, gbps, out, head_blocks)

    def mappings(self, rows: _Ints, first: _Ints, server: _Ints, gbps: _Reals, out: _Ints) -> None:
        """Place given mappings in the order of `rows`; one that does not fit is left out.

        The workers of row i sit on `server[first[i]:first[i + 1]]`; `gbps` and `out` as in `whole`.
        """
        _mappings(self.space, rows, first, server, gbps, out)

    def one_more(self, workers: _Ints, gbps: float) -> bool:
        """Add one worker to a job, placed already or not, in place; returns False if no server can take it.

        The worker goes to one of the job's servers if possible, else to one of its racks, else to another rack.
        """
        return bool(_one_more(self.space, workers, gbps))


@hot_kernel
def take(space: _Space, workers: _Ints, gbps: float, sign: int) -> None:
    """Reserve GPUs and bandwidth for a job with these workers by server; `sign` -1 releases them."""
    used, low, high = 0, len(space.uplink), -1
    for s in range(len(workers)):
        if workers[s] > 0:
            space.gpus[s] -= sign * workers[s]
            used += 1
            low, high = min(low, space.rack[s]), max(high, space.rack[s])
    if used > 1:
        for s in range(len(workers)):
            if workers[s] > 0:
                space.link[s] -= sign * gbps
    if used > 1 and low < high:
        for r in range(len(space.uplink)):
            for s in range(len(workers)):
                if workers[s] > 0 and space.rack[s] == r:
                    space.uplink[r] -= sign * gbps
                    break


@hot_kernel
def _fits(space: _Space, workers: _Ints, gbps: float) -> bool:
    """Whether a job with these workers by server fits the free GPUs and bandwidth."""
    used, low, high = 0, len(space.uplink), -1
    linked, up = True, True
    for s in range(len(workers)):
        if workers[s] > 0:
            if workers[s] > space.gpus[s]:
                return False
            used += 1
            low, high = min(low, space.rack[s]), max(high, space.rack[s])
            linked = linked and space.link[s] >= gbps - _SLACK
            up = up and space.uplink[space.rack[s]] >= gbps - _SLACK
    return used == 1 or (linked and (low == high or up))


@hot_kernel
def _gang(space: _Space, count: int, gbps: float, workers: _Ints) -> bool:
    """Place a gang into `workers`, all 0 before; see `Residual.whole`."""
    where = -1
    for s in range(len(workers)):
        if space.gpus[s] >= count and (where < 0 or space.gpus[s] < space.gpus[where]):
            where = s
    if where >= 0:
        workers[where] = count
        space.gpus[where] -= count
        return True
    home, least = -1, 0
    for r in range(len(space.uplink)):
        free = _free(space, r, gbps)
        if free >= count and (home < 0 or free < least):
            home, least = r, free
    if home < 0 and _free(space, -1, gbps) < count:
        return False
    left = count
    while left > 0:  # emptiest servers first, ties by index
        where = -1
        for s in range(len(workers)):
            if workers[s] == 0 and _reached(space, s, home, gbps) and (where < 0 or space.gpus[s] > space.gpus[where]):
                where = s
        workers[where] = min(space.gpus[where], left)
        left -= workers[where]
    take(space, workers, gbps, 1)
    return True


@hot_kernel
def _reached(space: _Space, s: int, home: int, gbps: float) -> bool:
    """Whether a gang that spans servers may use server `s`: in rack `home`, or with -1, in any with enough uplink."""
    if space.gpus[s] <= 0 or space.link[s] < gbps - _SLACK:
        return False
    return space.rack[s] == home if home >= 0 else space.uplink[space.rack[s]] >= gbps - _SLACK


@hot_kernel
def _free(space: _Space, home: int, gbps: float) -> int:
    """Free GPUs on the servers that a gang may use according to `_reached`."""
    free = 0
    for s in range(len(space.gpus)):
        if _reached(space, s, home, gbps):
            free += space.gpus[s]
    return free


@hot_kernel
def _whole(space: _Space, rows: _Ints, size: _Ints, gbps: _Reals, out: _Ints, head_blocks: bool) -> None:
    for row in rows:
        if not _gang(space, size[row], gbps[row], out[row]) and head_blocks:
            break


@hot_kernel
def _mappings(space: _Space, rows: _Ints, first: _Ints, server: _Ints, gbps: _Reals, out: _Ints) -> None:
    for at in range(len(rows)):
        row = rows[at]
        for w in range(first[at], first[at + 1]):
            out[row, server[w]] += 1
        if _fits(space, out[row], gbps[row]):
            take(space, out[row], gbps[row], 1)
        else:
            out[row, :] = 0


@hot_kernel
def _one_more(space: _Space, workers: _Ints, gbps: float) -> bool:
    take(space, workers, gbps, -1)
    found = _next(space, workers, gbps)
    if found >= 0:
        workers[found] += 1
    take(space, workers, gbps, 1)
    return found >= 0


@hot_kernel
def _next(space: _Space, workers: _Ints, gbps: float) -> int:
    """Server for one more worker, or -1; the job's own reservations must have been released from `space`."""
    used, linked, up = False, True, True
    for s in range(len(workers)):
        if workers[s] > 0:
            used = True
            linked = linked and space.link[s] >= gbps - _SLACK
            up = up and space.uplink[space.rack[s]] >= gbps - _SLACK
    found = _emptiest(space, workers, gbps, _OWN if used else _ANY)
    if found < 0 and used and linked:
        found = _emptiest(space, workers, gbps, _NEAR)
        if found < 0 and up:
            found = _emptiest(space, workers, gbps, FAR)
    return found


@hot_kernel
def _emptiest(space: _Space, workers: _Ints, gbps: float, scope: int) -> int:
    """Server in scope with the most GPUs to spare, ties by index; -1 if there is none."""
    where = -1
    for s in range(len(workers)):
        spare = space.gpus[s] - workers[s]
        emptier = spare > 0 and (where < 0 or spare > space.gpus[where] - workers[where])
        if emptier and _in_scope(space, workers, gbps, scope, s):
            where = s
    return where


@hot_kernel
def _in_scope(space: _Space, workers: _Ints, gbps: float, scope: int, s: int) -> bool:
    if scope <= _OWN:
        return scope == _ANY or workers[s] > 0
    if space.link[s] < gbps - _SLACK:
        return False
    if scope == FAR:
        return space.uplink[space.rack[s]] >= gbps - _SLACK
    near = False
    for other in range(len(workers)):
        near = near or (workers[other] > 0 and space.rack[other] == space.rack[s])
    return near
