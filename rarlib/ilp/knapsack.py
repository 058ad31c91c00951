"""The 0/1 knapsack problem: which gangs are worth most together on a number of GPUs."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel


@kernel
def knapsack(size: NDArray[np.int64], profit: NDArray[np.float64], capacity: int, chosen: NDArray[np.bool_]) -> float:
    """Largest total profit of items whose sizes add up to at most `capacity`; O(items x capacity), exact.

    Sizes are at least 1, profits at least 0; `chosen` receives which items are taken.
    """
    best = np.zeros(capacity + 1)
    taken = np.zeros((len(size), capacity + 1), np.bool_)
    for item in range(len(size)):
        for used in range(capacity, size[item] - 1, -1):
            value = best[used - size[item]] + profit[item]
            if value > best[used]:
                best[used] = value
                taken[item, used] = True
    left = capacity
    for item in range(len(size) - 1, -1, -1):
        chosen[item] = taken[item, left]
        if chosen[item]:
            left -= size[item]
    return best[capacity]
