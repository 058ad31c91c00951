"""Mappings found so far: the columns of the augmented LP, kept from slot to slot."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.sparse import SparseRows
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork

if TYPE_CHECKING:
    from rarlib.ilp.gadget.augmented import Mixture

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]


class Columns:
    """Mappings of rings onto one network: which job, how many workers where, and what that loads.

    A mapping depends on the job's demand, bandwidth and ring size only, so it serves in every slot of one run.

    Attributes:
        network: the servers and links.
        limits: capacity of each place: nodes (server by server, resource by resource), links, uplinks; shape (places,).
        prices: of each place in the last augmented LP, where the next search for columns begins; shape (places,).
        rng: spreads first mappings over the servers; always the same stream, so that a slot is a function of the
            slots before it.
        last: the mixture found last with given weights, and what it was asked for; it serves again for the same.
        job: name of the job, shape (columns,).
        size: workers of the ring, shape (columns,).
        workers: shape (columns, servers).
        loads: shape (columns, places).
    """

    def __init__(self, network: TreeNetwork) -> None:
        servers, self._resources = network.capacity.shape
        self.rng = stream(0, "gadget", "columns")
        self.network = network
        self.limits = np.concatenate([network.capacity.ravel(), network.link_gbps, network.rack_gbps])
        self.prices = np.zeros(len(self.limits))
        self.job = np.zeros(0, np.int64)
        self.size = np.zeros(0, np.int64)
        self.workers = SparseRows.none(servers)
        self.loads = SparseRows.none(len(self.limits))
        self.last: tuple[bytes, Mixture] | None = None
        self._known: set[tuple[int, bytes]] = set()

    def __len__(self) -> int:
        return len(self.job)

    @property
    def worth(self) -> float:
        """All capacities at their prices."""
        priced = self.prices > 0.0
        return float(self.prices[priced] @ self.limits[priced])

    def add(self, job: _Ints, demand: _Reals, bandwidth: _Reals, workers: _Ints) -> int:
        """Take in mappings; row c of each argument belongs to mapping c. Returns how many were new."""
        fresh = np.array([self._unknown(name, row) for name, row in zip(job.tolist(), workers, strict=True)], bool)
        job, demand, bandwidth, workers = job[fresh], demand[fresh], bandwidth[fresh], workers[fresh]
        self.job = np.concatenate([self.job, job])
        self.size = np.concatenate([self.size, workers.sum(axis=1)])
        self.workers = self.workers.below(SparseRows.dense(workers))
        self.loads = self.loads.below(self.loads_of(workers, demand, bandwidth))
        return len(job)

    def _unknown(self, job: int, workers: NDArray[np.int64]) -> bool:
        before = len(self._known)
        self._known.add((job, workers.tobytes()))
        return len(self._known) > before

    def forget_others(self, jobs: NDArray[np.int64]) -> None:
        """Keep the mappings of these jobs only."""
        listed = np.zeros(max(self.job.max(initial=0), jobs.max(initial=0)) + 1, bool)
        listed[jobs] = True
        stays = listed[self.job]
        if not stays.all():
            self.job, self.size = self.job[stays], self.size[stays]
            kept = np.flatnonzero(stays)
            self.workers, self.loads = self.workers.take(kept), self.loads.take(kept)
            names = set(jobs.tolist())
            self._known = {key for key in self._known if key[0] in names}

    def loads_of(self, workers: _Ints, demand: _Reals, bandwidth: _Reals) -> SparseRows:
        """Eq. 16 and 17 for mappings laid out server by server (see `rarlib.model.tree_network`)."""
        network, resources = self.network, np.arange(self._resources)
        row, server = np.nonzero(workers)
        crossed = np.zeros((len(workers), network.racks), dtype=bool)
        crossed[row, network.rack[server]] = True
        over, rack = np.nonzero(crossed)
        links = network.servers * self._resources
        ring = bandwidth * (np.count_nonzero(workers, axis=1) > 1), bandwidth * (crossed.sum(axis=1) > 1)
        nodes = (server[:, None] * self._resources + resources).ravel()
        place = np.concatenate([nodes, links + server, links + network.servers + rack])
        value = np.concatenate([(workers[row, server][:, None] * demand[row]).ravel(), ring[0][row], ring[1][over]])
        row = np.concatenate([np.repeat(row, self._resources), row, over])
        return SparseRows.of(row, place, value, len(workers), len(self.limits))
