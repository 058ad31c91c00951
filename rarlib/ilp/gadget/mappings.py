"""The best choice among the mappings of a mixture: rounding by an integer program.

The mode called MDK (multi-dimensional knapsack) in the reference code of Rost and Schmid, IFIP Networking 2018.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.augmented import Mixture
from rarlib.ilp.programs import Program, integer_optimum


def best_of(mixture: Mixture, gain: NDArray[np.float64], capacity: NDArray[np.float64]) -> NDArray[np.int64]:
    """At most one mapping of each job, together within all capacities, of the largest gain.

    Args:
        mixture: the mappings.
        gain: of embedding each job, shape (jobs,).
        capacity: of each place, shape (places,).

    Returns:
        The mapping of each job, -1: none, shape (jobs,).
    """
    picked = np.full(len(gain), -1)
    count = len(mixture.row)
    if count == 0:
        return picked
    upper = np.concatenate([np.ones(len(gain)), capacity])
    program = Program(
        gain=gain[mixture.row],
        matrix=mixture.loads.capacities(mixture.row, len(gain)),
        lower=np.full(len(upper), -np.inf),
        upper=upper,
        most=np.ones(count),
    )
    taken = np.flatnonzero(integer_optimum(program).x)
    picked[mixture.row[taken]] = taken
    return picked
