"""Placing gangs on the nodes of one GPU type: whole nodes for large gangs, one node for small ones (Sia, section 3.3).

A gang takes the whole nodes that it fills, and the rest of it sits on one node. Sizes from `configurations` always fit
this way, largest first, since every free part then is a multiple of what comes next. The rest of a rigid gang of
another size may find no single node; it then is spread over the nodes with most free GPUs (the authors' code splits
it, too).
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
    """Where every gang goes.

    Args:
        nodes: the nodes of the type.
        gpus_per_node: GPUs of each.
        gangs: GPUs by job; together no more than there are.
        held: where jobs are now, as far as they are on these nodes.
        locality: jobs whose size is unchanged stay where they are, but for those that must give way: of the smallest
            gangs those with the fewest GPUs in all. Otherwise everything is packed anew.
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
    """As `arrange`, but gangs take whatever GPUs are free, node by node; what does not change stays."""
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
    """Nodes of one size while they are filled.

    Attributes:
        parts: by job, GPUs by node.
    """

    def __init__(self, gpus_per_node: int, nodes: int) -> None:
        self._gpus_per_node, self._free = gpus_per_node, [gpus_per_node] * nodes
        self.parts: dict[int, dict[int, int]] = {}

    def take(self, job: int, node: int, gpus: int) -> None:
        """Give a job GPUs of a node."""
        self.parts.setdefault(job, {})[node] = gpus
        self._free[node] -= gpus

    def place(self, job: int, gpus: int) -> bool:
        """Place a gang, if whole nodes and one for its rest are free: the tightest one."""
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
        """Free GPUs for a gang of this size on one more node; those that had to go, none if only larger ones could."""
        need = min(gpus, self._gpus_per_node)
        best: dict[int, int] = {}
        smaller = {job: sum(parts.values()) for job, parts in self.parts.items() if sum(parts.values()) < gpus}
        for node, free in enumerate(self._free):
            going, freed = {}, free
            for job in sorted(smaller, key=lambda job: (smaller[job], job)):
                if freed < need and node in self.parts[job]:
                    going[job] = smaller[job]
                    freed += self.parts[job][node]
            if free < need <= freed and (not best or sum(going.values()) < sum(best.values())):
                best = going
        for job in best:
            for node, part in self.parts.pop(job).items():
                self._free[node] += part
        return best

    def spread(self, job: int, gpus: int) -> None:
        """Place a gang wherever GPUs are free, most of them first."""
        while gpus:
            node = max(range(len(self._free)), key=lambda node: (self._free[node], -node))
            part = min(gpus, self._free[node])
            self.take(job, node, part)
            gpus -= part
