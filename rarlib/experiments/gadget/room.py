"""Free GPUs and bandwidth of one slot, and the placement rule of the baselines: greedy, where a cycle can be formed."""

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.reserved import Network

SLACK = 1e-9
"""Gbit/s by which sums of reservations may miss a capacity through rounding."""


class Room:
    """What is left of a network's GPUs, server links and uplinks while jobs are placed one after the other.

    Attributes:
        gpus: free GPUs, shape (servers,).
        link: unreserved bandwidth of each server's link, Gbit/s.
        uplink: unreserved bandwidth of each rack's uplink, Gbit/s.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.gpus = network.capacity[:, 0].astype(np.int64)
        self.link = network.link_gbps.copy()
        self.uplink = network.rack_gbps.copy()

    def take(self, workers: NDArray[np.int64], gbps: float, sign: int = 1) -> None:
        """Reserve for a job with these workers by server, shape (servers,); `sign` -1 gives back."""
        used = workers > 0
        self.gpus -= sign * workers
        if np.count_nonzero(used) > 1:
            self.link[used] -= sign * gbps
            racks = np.unique(self._network.rack[used])
            if len(racks) > 1:
                self.uplink[racks] -= sign * gbps

    def fits(self, workers: NDArray[np.int64], gbps: float) -> bool:
        """Whether a job with these workers by server has room and bandwidth."""
        used = np.flatnonzero(workers)
        if (workers[used] > self.gpus[used]).any():
            return False
        if len(used) == 1:
            return True
        racks = np.unique(self._network.rack[used])
        linked = bool((self.link[used] >= gbps - SLACK).all())
        return linked and (len(racks) == 1 or bool((self.uplink[racks] >= gbps - SLACK).all()))

    def gang(self, count: int, gbps: float) -> NDArray[np.int64] | None:
        """Place a whole gang and reserve for it; None if it cannot be placed.

        On one server if one has room (the fullest such one), else in one rack (the fullest such one), else anywhere;
        wherever it spans servers, only on links with enough bandwidth left, emptiest servers first. Whenever there is a
        placement, one is found.
        """
        whole = np.flatnonzero(self.gpus >= count)
        if len(whole):
            server, workers = whole[np.argmin(self.gpus[whole])], np.zeros(len(self.gpus), np.int64)
            workers[server] = count
            self.gpus[server] -= count
            return workers
        linked = (self.gpus > 0) & (self.link >= gbps - SLACK)
        rack = self._network.rack
        free = np.bincount(rack[linked], self.gpus[linked], minlength=len(self.uplink))
        racks = np.flatnonzero(free >= count)
        if len(racks):
            chosen = linked & (rack == racks[np.argmin(free[racks])])
        else:
            chosen = linked & (self.uplink >= gbps - SLACK)[rack]
            if self.gpus[chosen].sum() < count:
                return None
        return self._on(np.flatnonzero(chosen), count, gbps)

    def one_more(self, workers: NDArray[np.int64], gbps: float) -> bool:
        """Add one worker to a job placed already (or to none yet), in place; False if there is no place for it.

        On one of its servers if possible, else in one of its racks, else in another.
        """
        used = workers > 0
        self.take(workers, gbps, -1)
        found = self._next(used, workers, gbps)
        if found is not None:
            workers[found] += 1
        self.take(workers, gbps)
        return found is not None

    def _next(self, used: NDArray[np.bool_], workers: NDArray[np.int64], gbps: float) -> int | None:
        """Server for one more worker, the job itself not being counted in what is left."""
        spare = self.gpus - workers
        free = spare > 0
        if not used.any():
            return _emptiest(free, spare)
        if (free & used).any():
            return _emptiest(free & used, spare)
        linked = self.link >= gbps - SLACK
        if not linked[used].all():
            return None
        rack = self._network.rack
        own = np.unique(rack[used])
        near = free & linked & np.isin(rack, own)
        if near.any():
            return _emptiest(near, spare)
        up = self.uplink >= gbps - SLACK
        if not up[own].all():
            return None
        return _emptiest(free & linked & up[rack], spare)

    def _on(self, servers: NDArray[np.int64], count: int, gbps: float) -> NDArray[np.int64]:
        """The gang on these servers, emptiest first, ties by index."""
        workers = np.zeros(len(self.gpus), np.int64)
        for server in servers[np.argsort(-self.gpus[servers], kind="stable")]:
            workers[server] = min(int(self.gpus[server]), count - int(workers.sum()))
        self.take(workers, gbps)
        return workers


def _emptiest(allowed: NDArray[np.bool_], spare: NDArray[np.int64]) -> int | None:
    if not allowed.any():
        return None
    return int(np.argmax(np.where(allowed, spare, -1)))
