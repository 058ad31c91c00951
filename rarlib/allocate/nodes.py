"""Placing gangs on the nodes of one GPU type: whole nodes for large gangs, one node for small ones (Sia, section 3.3).

A gang takes as many whole nodes as it fills, and the rest of it goes to one node. Sizes from `configurations` always
fit this way if the largest gangs come first, since the free GPUs of a node are then always a multiple of the next size.
For the rest of a rigid gang of another size there may be no single node; it is then spread over the nodes with the most
free GPUs (the authors' code splits it, too).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import first_fit
from rarlib.model.decisions import Placement


def arrange(
    nodes: NDArray[np.int64],
    gpus_per_node: int,
    gangs: Mapping[int, int],
    held: Mapping[int, Placement],
    *,
    locality: bool,
) -> dict[int, Placement]:
    """Place every gang.

    Args:
        nodes: the nodes of the type.
        gpus_per_node: GPUs of each.
        gangs: GPUs by job; their sum must not exceed the GPUs of the nodes.
        held: current placement of the jobs that run on these nodes.
        locality: jobs whose size is unchanged stay where they are, unless a larger gang needs their GPUs. Then gangs
            of one node are moved, the smallest first until enough GPUs are free, on the node where they have the
            fewest GPUs in all. If gang and node sizes are powers of two, no choice of gangs has fewer. If False, all
            gangs are packed anew.
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
