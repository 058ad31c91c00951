"""Placing gangs on the nodes of one GPU type: whole nodes for large gangs, one node for small ones (Sia, section 3.3).

A gang takes as many whole nodes as it fills, and the rest of it goes to one node. Sizes from `configurations` always
fit this way if the largest gangs come first, since the free GPUs of a node are then always a multiple of the next size.
For the rest of a rigid gang of another size there may be no single node; it is then spread over the nodes with the most
free GPUs (the authors' code splits it, too).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import first_fit
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError
from rarlib.model.offers import MOST_REPLICAS, Configurations, GoodputEstimates


def arrange(
    nodes: NDArray[np.int64],
    gpus_per_node: int,
    gangs: Mapping[int, int],
    held: Mapping[int, Placement],
    *,
    locality: bool,
) -> dict[int, Placement]:
    """Place every gang, GPUs by job, on the nodes of a type, where some of them run already.

    With `locality`, jobs whose size is unchanged stay where they are, unless a larger gang needs their GPUs. Then gangs
    of one node are moved, the smallest first until enough GPUs are free, on the node where they have the fewest GPUs in
    all. If gang and node sizes are powers of two, no choice of gangs has fewer. Without it, all gangs are packed anew.
    """
    free_nodes, at = _FreeNodes(gpus_per_node, len(nodes)), {node: i for i, node in enumerate(nodes.tolist())}
    queue, kept = dict(gangs), False
    for job, placement in held.items():
        if locality and sum(gpus for _, gpus in placement) == queue.get(job):
            for node, gpus in placement:
                free_nodes.take(job, at[node], gpus)
            del queue[job]
            kept = True
    while queue:
        job = max(queue, key=lambda job: (queue[job], -job))
        if free_nodes.place(job, queue[job]):
            del queue[job]
        elif evicted := free_nodes.evict(queue[job]) if kept else {}:
            queue.update(evicted)
        elif kept:
            return arrange(nodes, gpus_per_node, gangs, {}, locality=False)
        else:
            free_nodes.spread(job, queue.pop(job))
    return {
        job: tuple(sorted((int(nodes[i]), gpus) for i, gpus in parts.items()))
        for job, parts in free_nodes.parts.items()
    }


def anywhere(
    nodes: NDArray[np.int64], gpus_per_node: int, gangs: Mapping[int, int], held: Mapping[int, Placement]
) -> dict[int, Placement]:
    """As `arrange`, but gangs take any free GPUs, node by node; gangs whose size is unchanged stay where they are."""
    after = {job: now for job, now in held.items() if sum(part for _, part in now) == gangs.get(job)}
    free, at = np.full(len(nodes), gpus_per_node), {node: i for i, node in enumerate(nodes.tolist())}
    for placement in after.values():
        for node, part in placement:
            free[at[node]] -= part
    for job in sorted(gangs.keys() - after.keys(), key=lambda job: (-gangs[job], job)):
        taken = first_fit(free, gangs[job])
        free -= taken
        used = np.flatnonzero(taken)
        after[job] = tuple(zip(nodes[used].tolist(), taken[used].tolist(), strict=True))
    return after


class _FreeNodes:
    """Nodes of equal size, and the gangs placed on them so far.

    Attributes:
        parts: for each job, GPUs by node.
    """

    def __init__(self, gpus_per_node: int, nodes: int) -> None:
        self._gpus_per_node, self._free = gpus_per_node, [gpus_per_node] * nodes
        self.parts: dict[int, dict[int, int]] = {}

    def take(self, job: int, node: int, gpus: int) -> None:
        """Give a job GPUs of a node."""
        self.parts.setdefault(job, {})[node] = gpus
        self._free[node] -= gpus

    def place(self, job: int, gpus: int) -> bool:
        """Place a gang if enough whole nodes are free, and a node for its rest (the one with the fewest free GPUs)."""
        whole, rest = divmod(gpus, self._gpus_per_node)
        empty = [node for node, free in enumerate(self._free) if free == self._gpus_per_node]
        tight = [(free, node) for node, free in enumerate(self._free) if rest <= free and node not in empty[:whole]]
        if len(empty) < whole or (rest and not tight):
            return False
        for node in empty[:whole]:
            self.take(job, node, self._gpus_per_node)
        if rest:
            self.take(job, min(tight)[1], rest)
        return True

    def evict(self, gpus: int) -> dict[int, int]:
        """Free GPUs on one more node for a gang of this size by evicting smaller gangs; returns those."""
        need = min(gpus, self._gpus_per_node)
        best: dict[int, int] = {}
        smaller = sorted((size, job) for job, parts in self.parts.items() if (size := sum(parts.values())) < gpus)
        on_node: list[list[tuple[int, int]]] = [[] for _ in self._free]
        for size, job in smaller:
            for node in self.parts[job]:
                on_node[node].append((size, job))
        for node, free in enumerate(self._free):
            going, freed = {}, free
            for size, job in on_node[node]:
                if freed < need:
                    going[job] = size
                    freed += self.parts[job][node]
            if free < need <= freed and (not best or sum(going.values()) < sum(best.values())):
                best = going
        for job in best:
            for node, part in self.parts.pop(job).items():
                self._free[node] += part
        return best

    def spread(self, job: int, gpus: int) -> None:
        """Place a gang on any free GPUs, the nodes with the most free GPUs first."""
        while gpus:
            node = max(range(len(self._free)), key=lambda node: (self._free[node], -node))
            part = min(gpus, self._free[node])
            self.take(job, node, part)
            gpus -= part


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


def configurations(goodput: GoodputEstimates) -> Configurations:
    """Configurations: the sizes of gangs that Sia considers on each GPU type (SOSP 2023, section 3.1).

    Within a node, sizes are powers of two (1, 2, 4, ...) and the whole node; larger sizes are whole nodes. Any mix of
    such sizes can be packed, so a decision only depends on the number of GPUs of each type. (If the size of a node is
    not a power of two, the paper splits it into virtual nodes; here a gang may have to be spread.)

    As in the authors' code, there are no more nodes of a type than were ever profiled, and at most `MOST_REPLICAS`
    GPUs.
    """
    rows = []
    most_nodes = np.minimum(goodput.nodes, goodput.profiled_nodes)
    sizes = zip(goodput.gpus_per_node.tolist(), most_nodes.tolist(), strict=True)
    for kind, (size, nodes) in enumerate(sizes):
        gpus = 1
        while gpus < size:
            rows.append((kind, 1, gpus))
            gpus *= 2
        rows += [(kind, n, n * size) for n in range(1, nodes + 1) if n == 1 or n * size <= MOST_REPLICAS]
    return Configurations(*np.array(rows, dtype=np.int64).T.copy())
