"""A model of embeddings that ignore locality, to explain Figures 5 and 6 of GADGET.

While no capacity binds, every mapping is optimal for the LP of Alg. 2: nothing in (12)-(19) rewards workers on one
server. Column generation over packed rings finds packed mappings; a general solver ends at some vertex, where the nodes
of a ring may be anywhere. Here such mappings are drawn without any LP: every active job requests N_i workers, each on a
server drawn with probability proportional to its GPUs. Jobs are placed in random order, and a job whose mapping does
not fit is left out, as in heuristic rounding. This is our inference from the published values, not a procedure of the
paper.
"""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.present import rows_in_system
from rarlib.allocate.rings import Residual
from rarlib.cost.reserved import TreeNetwork
from rarlib.ilp.gadget.problem import TOLERANCE, SlotJobs
from rarlib.model.decisions import Allocation, Decision, Wake
from rarlib.model.scheduler import View


class Scattered:
    """Rings on servers drawn at random, for every job in every slot of one second.

    Args:
        jobs: all jobs.
        network: the servers and links.
        rng: random stream of the draws.
    """

    name: ClassVar[str] = "scattered"
    label: ClassVar[str] = "Scattered"
    paper: ClassVar[str] = ""

    def __init__(self, jobs: SlotJobs, network: TreeNetwork, rng: np.random.Generator) -> None:
        self._jobs, self._network, self._rng = jobs, network, rng

    def decide(self, view: View) -> Iterable[Decision]:
        """Draw mappings and place those that fit."""
        rows = rows_in_system(view)
        if len(rows):
            yield Allocation(rows, self.allocate(self._network, rows, view.attained_gpu_s(rows)))
            yield Wake(view.now_s + 1.0)

    def allocate(self, network: TreeNetwork, active: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.int64]:
        """One slot; arguments and result as in `gadget_parts.stated.Stated.allocate`."""
        jobs = self._jobs
        largest = np.floor(np.minimum(jobs.largest[active], jobs.limit[active] - done) + TOLERANCE).astype(np.int64)
        workers = np.zeros((len(active), network.servers), np.int64)
        ends = np.cumsum(network.capacity[:, 0])
        order = self._rng.permutation(len(active))
        first = np.concatenate([[0], np.cumsum(largest[order])])
        server = np.searchsorted(ends, self._rng.random(first[-1]) * ends[-1], side="right")
        Residual(network).mappings(order, first, server, jobs.bandwidth[active], workers)
        return workers
