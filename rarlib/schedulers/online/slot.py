"""One slot of GADGET: LP-RS-MDE (Alg. 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import SlotProblem


class SlotResult(NamedTuple):
    """What Alg. 2 found for one slot; rows are those of the problem.

    Attributes:
        workers: the allocation, shape (jobs, servers).
        value: its sum of gains.
        lp_value: of the LP relaxation of (12), an upper bound of every allocation.
        augmented_value: of the LP whose ring sizes are fixed, an upper bound of every allocation with these sizes.
        ceiling: ceil(q_i), shape (jobs,); their maximum is Gamma.
        sizes: ring size chosen, 0: none, shape (jobs,).
        draws: roundings tried.
        approximate: whether the rounding passes the test of Alg. 2, l. 7.
        node_excess: largest load of a server over its capacity, by resource, shape (resources,); above 1: violated.
        link_excess: the same over all links.
        beta: limit of `node_excess` in Thm. 8, shape (resources,).
        gamma: limit of `link_excess` in Thm. 8.
        mappings: how many mappings the LP was decomposed into.
    """

    workers: NDArray[np.int64]
    value: float
    lp_value: float
    augmented_value: float
    ceiling: NDArray[np.int64]
    sizes: NDArray[np.int64]
    draws: int
    approximate: bool
    node_excess: NDArray[np.float64]
    link_excess: float
    beta: NDArray[np.float64]
    gamma: float
    mappings: int


def solve_slot(
    problem: SlotProblem,
    rng: np.random.Generator,
    *,
    rounding: str = "heuristic",
    draws: int = 1000,
    columns: object = None,
) -> SlotResult:
    """Alg. 2; `rounding` is `heuristic`, `vanilla` or `best-of-mappings`."""
    raise NotImplementedError
