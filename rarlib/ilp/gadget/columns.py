"""Mappings found so far: the columns of the augmented LP, kept from slot to slot."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack

from rarlib.cost.reserved import TreeNetwork
from rarlib.model.seeds import stream


class Columns:
    """Mappings of rings onto one network: which job, how many workers where, and what that loads.

    A mapping depends on the job's demand, bandwidth and ring size only, so it serves in every slot of one run.

    Attributes:
        network: the servers and links.
        fitting: whether every mapping must fit into the empty network (eq. 5), or only each single worker and ring
            edge, as in Rost and Schmid's LP; the former cuts off mappings that no feasible allocation could use.
        spread: whether a job's first mappings are spread over the servers, or start where all others start. Both lead
            to an optimum of the LP, but to different ones: the latter takes far longer and is more fractional.
        limits: capacity of each place: nodes (server by server, resource by resource), links, uplinks; shape (places,).
        prices: of each place in the last augmented LP, where the next search for columns begins; shape (places,).
        rng: spreads first mappings over the servers; always the same stream, so that a slot is a function of the
            slots before it.
        job: name of the job, shape (columns,).
        size: workers of the ring, shape (columns,).
        workers: shape (columns, servers), sparse.
        loads: shape (columns, places), sparse.
    """

    def __init__(self, network: TreeNetwork, *, fitting: bool = True, spread: bool = True) -> None:
        servers, self._resources = network.capacity.shape
        self.rng = stream(0, "gadget", "columns")
        self.network, self.fitting, self.spread = network, fitting, spread
        self.limits = np.concatenate([network.capacity.ravel(), network.link_gbps, network.rack_gbps])
        self.prices = np.zeros(len(self.limits))
        self.job = np.zeros(0, np.int64)
        self.size = np.zeros(0, np.int64)
        self.workers = csr_matrix((0, servers), dtype=np.int64)
        self.loads = csr_matrix((0, len(self.limits)))
        self._known: set[tuple[int, bytes]] = set()
        self._racks = csr_matrix((np.ones(servers), (np.arange(servers), network.rack)), (servers, network.racks))

    def __len__(self) -> int:
        return len(self.job)

    @property
    def worth(self) -> float:
        """All capacities at their prices."""
        priced = self.prices > 0.0
        return float(self.prices[priced] @ self.limits[priced])

    def add(
        self,
        job: NDArray[np.int64],
        demand: NDArray[np.float64],
        bandwidth: NDArray[np.float64],
        workers: NDArray[np.int64],
    ) -> int:
        """Take in mappings; row c of each argument belongs to mapping c. Returns how many were new."""
        fresh = np.array(
            [self._unknown(name, row) for name, row in zip(job.tolist(), workers, strict=True)], dtype=bool
        )
        job, demand, bandwidth, workers = job[fresh], demand[fresh], bandwidth[fresh], workers[fresh]
        new = csr_matrix(workers)
        self.job = np.concatenate([self.job, job])
        self.size = np.concatenate([self.size, workers.sum(axis=1)])
        self.workers = vstack([self.workers, new], format="csr")
        self.loads = vstack([self.loads, self._loads(new, demand, bandwidth)], format="csr")
        return len(job)

    def _unknown(self, job: int, workers: NDArray[np.int64]) -> bool:
        before = len(self._known)
        self._known.add((job, workers.tobytes()))
        return len(self._known) > before

    def forget_others(self, jobs: NDArray[np.int64]) -> None:
        """Keep the mappings of these jobs only."""
        stays = np.isin(self.job, jobs)
        if not stays.all():
            self.job, self.size = self.job[stays], self.size[stays]
            self.workers, self.loads = self.workers[stays], self.loads[stays]
            names = set(jobs.tolist())
            self._known = {key for key in self._known if key[0] in names}

    def _loads(self, workers: csr_matrix, demand: NDArray[np.float64], bandwidth: NDArray[np.float64]) -> csr_matrix:
        """Eq. 16 and 17 for mappings laid out server by server (see `rarlib.cost.reserved`)."""
        n, r = workers.shape[0], self._resources
        row = np.repeat(np.arange(n), np.diff(workers.indptr))
        place = (workers.indices[:, None] * r + np.arange(r)).ravel()
        node = csr_matrix(
            ((workers.data[:, None] * demand[row]).ravel(), (np.repeat(row, r), place)), (n, self.network.servers * r)
        )
        used = csr_matrix((np.ones(workers.nnz), workers.indices, workers.indptr), workers.shape)
        loads = hstack([node, _ring(used, bandwidth), _ring(used @ self._racks, bandwidth)], format="csr")
        loads.eliminate_zeros()
        return loads


def _ring(used: csr_matrix, bandwidth: NDArray[np.float64]) -> csr_matrix:
    """Bandwidth on each used link of the mappings that use more than one."""
    count = np.diff(used.indptr)
    return csr_matrix((np.repeat(bandwidth * (count > 1), count), used.indices, used.indptr), used.shape)
