"""Placing rings one after the other into what is free: fewest racks, then fewest servers, then the tightest ones."""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.pricing import LoadPrices, cheapest, tree_of
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.model.tree_network import Loads


class Packing:
    """What a slot has left while jobs are placed one by one.

    Attributes:
        workers: placed so far, shape (jobs, servers).
    """

    def __init__(self, problem: SlotProblem) -> None:
        network = problem.network
        self._problem, self._tree = problem, tree_of(network)
        self.workers = np.zeros((len(problem), network.servers), np.int64)
        some = 1.0 + TOLERANCE
        self._free = Loads(network.capacity * some, network.link_gbps * some, network.rack_gbps * some)

    @property
    def full(self) -> bool:
        """Whether no server has GPUs for a single worker of any job."""
        return bool(self._free.node[:, 0].max() < self._problem.demand[:, 0].min(initial=np.inf))

    def fits(self, row: int, workers: NDArray[np.int64]) -> bool:
        """Whether job `row` could be placed as given, shape (servers,)."""
        return all((load <= free).all() for load, free in zip(self._loads(row, workers), self._free, strict=True))

    def take(self, row: int, workers: NDArray[np.int64]) -> None:
        """Place job `row` as given, shape (servers,), whether it fits or not."""
        for load, free in zip(self._loads(row, workers), self._free, strict=True):
            np.subtract(free, load, out=free)
        self.workers[row] = workers

    def _loads(self, row: int, workers: NDArray[np.int64]) -> Loads:
        demand, bandwidth = self._problem.demand[row : row + 1], self._problem.bandwidth[row : row + 1]
        return self._problem.network.loads(workers[None], demand, bandwidth)

    def place(self, row: int, size: int) -> bool:
        """Place a ring of `size` workers of job `row`; whether it fits."""
        demand, bandwidth = self._problem.demand[row], self._problem.bandwidth[row : row + 1]
        node = self._free.node
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.where(demand > 0.0, node / demand, np.inf).min(axis=1)
        most_workers = np.clip(np.floor(fit), 0, size).astype(np.int64)
        if most_workers.sum() < size:
            return False
        # A worker costs 1 to 2, less on tighter servers; a link as much as all workers, an uplink as much as all links.
        tight = 1.0 + node[:, 0] / max(float(node[:, 0].max()), 1.0)
        step = 2.0 * size / max(float(bandwidth[0]), TOLERANCE)
        link, uplink = np.full(len(most_workers), step), np.full(len(self._free.uplink), step * (size + 1))
        tree = self._tree._replace(link=self._free.link, uplink=self._free.uplink)
        cost, workers = cheapest(
            tree, LoadPrices(tight[None], link, uplink), np.array([size]), bandwidth, most_workers[None]
        )
        best = int(cost[0].argmin())
        if not np.isfinite(cost[0, best]):
            return False
        self.take(row, workers[0, best])
        return True


def pack(problem: SlotProblem, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place rings of the given sizes, largest first, whatever fits; shape (jobs, servers)."""
    packing = Packing(problem)
    for row in np.argsort(-sizes, kind="stable"):
        if sizes[row]:
            packing.place(int(row), int(sizes[row]))
    return packing.workers
