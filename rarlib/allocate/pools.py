"""Pools of equal nodes: every gang stays inside one pool, and each pool is filled separately.

A pool consists of the nodes of one GPU type, or of one GPU type in one rack.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError

_Rule = Callable[[NDArray[np.int64], int, Mapping[int, int], Mapping[int, Placement]], dict[int, Placement]]
"""Places gangs on the nodes of one pool. Arguments: nodes, GPUs per node, GPUs by job, current placements."""


class Pools(NamedTuple):
    """The pools of a cluster."""

    nodes: tuple[NDArray[np.int64], ...]  # nodes of each pool, ascending
    of_node: NDArray[np.int64]  # pool of each node, shape (nodes,)
    gpus_per_node: NDArray[np.int64]  # GPUs of a node of each pool, shape (pools,)
    capacity: NDArray[np.int64]  # GPUs of each pool, shape (pools,)

    @classmethod
    def of(cls, cluster: Cluster, of_node: NDArray[np.int64], scheduler: str) -> "Pools":
        """Build the pools from the pool of each node.

        Raises:
            InputError: naming the scheduler and the GPU type, when nodes of a pool differ in size.
        """
        nodes = tuple(np.flatnonzero(of_node == pool) for pool in range(int(of_node.max()) + 1))
        for part in nodes:
            if len(set(cluster.gpus[part].tolist())) > 1:
                raise InputError(f"{scheduler} needs equal nodes of type {cluster.gpu_type[part[0]]}", file="--cluster")
        gpus_per_node = np.array([int(cluster.gpus[part[0]]) for part in nodes])
        return cls(nodes, of_node, gpus_per_node, gpus_per_node * np.array([len(part) for part in nodes]))

    def place(
        self, wanted: Mapping[int, tuple[int, int]], held: Mapping[int, Placement], rule: _Rule
    ) -> dict[int, Placement]:
        """Placement of every gang, by job in ascending order, by a rule in each pool.

        `wanted` is pool and GPUs by job; the sum in a pool must not exceed its GPUs.
        """
        gangs: list[dict[int, int]] = [{} for _ in self.nodes]
        before: list[dict[int, Placement]] = [{} for _ in self.nodes]
        for job, (pool, gpus) in wanted.items():
            gangs[pool][job] = gpus
        for job, placement in held.items():
            before[self.of_node[placement[0][0]]][job] = placement
        after: dict[int, Placement] = {}
        for pool, nodes in enumerate(self.nodes):
            after |= rule(nodes, int(self.gpus_per_node[pool]), gangs[pool], before[pool])
        return dict(sorted(after.items()))
