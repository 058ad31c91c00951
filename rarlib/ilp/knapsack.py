"""The 0/1 knapsack problem: which gangs are worth most together on a number of GPUs."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel


@kernel
def knapsack(size: NDArray[np.int64], profit: NDArray[np.float64], capacity: int, chosen: NDArray[np.bool_]) -> float:
    """Largest total profit of items whose sizes add up to at most `capacity`; O(items x capacity), exact.

    Sizes are at least 1, profits at least 0; `chosen` receives which items are taken, none without profit.
    """
    best, other = np.zeros(capacity + 1), np.zeros(capacity + 1)
    taken = np.empty((len(size), capacity + 1), np.bool_)  # written and read only where an item fits
    worthy = np.flatnonzero(profit > 0.0)
    for item in worthy:
        fits = min(size[item], capacity + 1)
        # Slices that do not overlap, and no branch: several totals are computed at a time.
        rest, without, larger, chooses = best[: capacity + 1 - fits], best[fits:], other[fits:], taken[item, fits:]
        for k in range(len(without)):
            value = rest[k] + profit[item]
            chooses[k] = value > without[k]
            larger[k] = max(value, without[k])
        other[:fits] = best[:fits]
        best, other = other, best
    left = capacity
    chosen[:] = False
    for item in worthy[::-1]:
        chosen[item] = size[item] <= left and taken[item, left]
        left -= size[item] * chosen[item]
    return best[capacity]
