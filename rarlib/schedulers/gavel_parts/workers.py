"""Which GPUs the jobs of a round get: the largest first, each on the GPUs it had if they are still free.

Source: Narayanan et al., OSDI 2020, section 5, as coded by the authors of Sia (SOSP 2023): GPUs are dealt in their
order, so that a gang may straddle two nodes though a third would hold it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement

Workers = tuple[int, ...]
"""GPUs of a job, numbered through the nodes of one type."""


def deal(size: Mapping[int, int], before: Mapping[int, Workers]) -> dict[int, Workers]:
    """GPUs of one type for the jobs that run there.

    Args:
        size: job -> GPUs, in the order in which equal sizes are dealt; together they fit.
        before: GPUs of this type that jobs held in the last round.

    Returns:
        Job -> its GPUs.
    """
    dealt: dict[int, Workers] = {}
    taken: set[int] = set()
    following = 0
    for gpus in sorted(set(size.values()), reverse=True):
        jobs = [job for job in size if size[job] == gpus]
        for job in jobs:
            if job in before and len(before[job]) == gpus and taken.isdisjoint(before[job]):
                dealt[job] = before[job]
                taken.update(before[job])
        for job in jobs:
            if job not in dealt:
                mine: list[int] = []
                while len(mine) < gpus:
                    if following not in taken:
                        mine.append(following)
                        taken.add(following)
                    following += 1
                dealt[job] = tuple(mine)
    return dealt


def placement(workers: Workers, node_of: NDArray[np.int64] | Sequence[int]) -> Placement:
    """GPUs as counts by node.

    Args:
        workers: GPUs of one type.
        node_of: node of each GPU of that type.
    """
    nodes, counts = np.unique([node_of[worker] for worker in workers], return_counts=True)
    return tuple(zip(nodes.tolist(), counts.tolist(), strict=True))
