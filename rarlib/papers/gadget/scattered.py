"""A model of embeddings that ignore locality, to explain Figures 5 and 6 of GADGET.

While no capacity binds, every mapping is optimal for the LP of Alg. 2: nothing in (12)-(19) rewards workers on one
server. Column generation over packed rings finds packed mappings; a general solver ends at some vertex, where the nodes
of a ring may lie anywhere. Such mappings are drawn here without any LP: every active job requests N_i workers, each on
a server drawn in proportion to its GPUs. Jobs are placed in random order, and a job whose mapping does not fit is left
out, as in heuristic rounding. This is our inference from the published values, not a procedure of the paper.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import SlotProblem
from rarlib.papers.gadget.room import Room


class Scattered:
    """Rings on servers drawn at random, once per slot and job.

    Args:
        rng: for the draws.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def __call__(self, problem: SlotProblem, done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Draw a mapping for each job and place those that fit."""
        room, workers = Room(problem.network), np.zeros((len(problem), problem.network.servers), np.int64)
        ends = np.cumsum(problem.network.capacity[:, 0])
        rows = self._rng.permutation(len(problem))
        first = np.concatenate([[0], np.cumsum(problem.largest[rows])])
        server = np.searchsorted(ends, self._rng.random(first[-1]) * ends[-1], side="right")
        room.mappings(rows, first, server, problem.bandwidth, workers)
        return workers
