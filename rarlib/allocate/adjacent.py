"""Slurm's placement rule: the tightest run of neighbouring nodes that holds a gang."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel


@hot_kernel
def _best_run(free: NDArray[np.int64], counts: NDArray[np.int64], left: int) -> tuple[int, int]:
    """First node and end of the smallest run of untaken nodes with `left` free GPUs, or of the largest run."""
    first, end, best, begin, total = 0, 0, 0, 0, 0
    for node in range(len(free) + 1):
        if node < len(free) and free[node] > 0 and counts[node] == 0:
            total += free[node]
            continue
        if total > 0 and ((total >= left and (best < left or total < best)) or (total < left and total > best)):
            first, end, best = begin, node, total
        begin, total = node + 1, 0
    return first, end


@hot_kernel
def take_adjacent(free: NDArray[np.int64], gpus: int, counts: NDArray[np.int64]) -> None:
    """GPUs of a gang, which must fit; `counts`, all zero on entry, receives those taken on each node."""
    left = gpus
    while left > 0:
        first, end = _best_run(free, counts, left)
        tightest = -1
        for node in range(first, end):
            if free[node] >= left and (tightest < 0 or free[node] < free[tightest]):
                tightest = node
        if tightest >= 0:
            counts[tightest] = left
            return
        for node in range(first, end):
            counts[node] = min(free[node], left)
            left -= counts[node]
            if left == 0:
                return
