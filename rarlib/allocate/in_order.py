"""Assigning GPUs in index order: largest gangs first, each on the GPUs it held before if they are still free.

Source: Narayanan et al., OSDI 2020, section 5, as coded by the authors of Sia (SOSP 2023): GPUs are assigned in index
order, so a gang may be split over two nodes even if a third node could hold all of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import CPU, Cluster
from rarlib.model.decisions import Placement

Workers = tuple[int, ...]
"""GPUs of a job; the GPUs of one type are numbered consecutively across its nodes."""


def assign_gpus(size: Mapping[int, int], before: Mapping[int, Workers]) -> dict[int, Workers]:
    """Assign GPUs of one type to the jobs that run there, given those that they held in the last round.

    Jobs of equal size are served in the order of `size`, whose sum must fit.
    """
    assigned: dict[int, Workers] = {}
    taken: set[int] = set()
    following = 0
    for gpus in sorted(set(size.values()), reverse=True):
        jobs = [job for job in size if size[job] == gpus]
        for job in jobs:
            if job in before and len(before[job]) == gpus and taken.isdisjoint(before[job]):
                assigned[job] = before[job]
                taken.update(before[job])
        for job in jobs:
            if job not in assigned:
                mine: list[int] = []
                while len(mine) < gpus:
                    if following not in taken:
                        mine.append(following)
                        taken.add(following)
                    following += 1
                assigned[job] = tuple(mine)
    return assigned


def placement(workers: Workers, node_of: Sequence[int]) -> Placement:
    """The placement (GPUs per node) of numbered GPUs of one type, given the node of each GPU."""
    return tuple(sorted(Counter(node_of[worker] for worker in workers).items()))


class NumberedGpus:
    """GPUs of each type, numbered across its nodes, and which job held which of them at the last assignment.

    Attributes:
        capacity: GPUs of each type, in the order of its first node, shape (types,).
    """

    def __init__(self, cluster: Cluster) -> None:
        names = np.array(cluster.gpu_type)
        nodes = [np.flatnonzero(names == kind) for kind in dict.fromkeys(cluster.gpu_type) if kind != CPU]
        self._node_of: list[list[int]] = [np.repeat(part, cluster.gpus[part]).tolist() for part in nodes]
        self.capacity: NDArray[np.int64] = np.array([len(gpus) for gpus in self._node_of])
        self._held: list[dict[int, Workers]] = [{} for _ in nodes]

    def place(self, size: Sequence[Mapping[int, int]]) -> dict[int, Placement]:
        """Placement of every job, by job in ascending order, from GPUs by job for each type, in the order served."""
        self._held = [assign_gpus(wanted, before) for wanted, before in zip(size, self._held, strict=True)]
        wanted = {
            job: placement(workers, self._node_of[kind])
            for kind, assigned in enumerate(self._held)
            for job, workers in assigned.items()
        }
        return dict(sorted(wanted.items()))
