"""Which GPUs a gang gets: placement rules, independent of the order in which jobs are served."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.adjacent import take_adjacent
from rarlib.model.decisions import Placement
from rarlib.model.draws import remainder
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel
from rarlib.model.scheduler import View

_ANY, _PACK, SPREAD, RANDOM, CONSOLIDATE, ONE_TYPE, _ADJACENT = range(7)

RULES = {
    "any": _ANY,
    "pack": _PACK,
    "spread": SPREAD,
    "random": RANDOM,
    "consolidate": CONSOLIDATE,
    "one-type": ONE_TYPE,
    "adjacent": _ADJACENT,
}
"""Rules by name. All but `consolidate` accept any free GPUs, so a gang fits whenever enough GPUs are free.

any: nodes in index order, as many GPUs as are free on each (first fit by GPU).
pack: the fullest node that holds the whole gang; if none does, emptiest nodes first (fewest servers).
spread: one GPU at a time from the node with most free GPUs (evens out what is left).
random: nodes in random order, as many GPUs as are free on each.
consolidate: as pack, but the gang waits unless it gets the fewest servers an empty cluster would allow.
one-type: as pack, but on GPUs of the fastest type that can host the gang; across types only where none can.
adjacent: the run of neighbouring nodes with the fewest free GPUs that hold the gang, there the fullest node that holds
    it alone, or else nodes in index order; if no run holds it, the largest runs first. Slurm's rule (`select/cons_tres`
    without a topology, nodes of equal weight).
"""


def rule_number(name: str) -> int:
    """Number of a placement rule.

    Raises:
        InputError: for an unknown name.
    """
    if name not in RULES:
        raise InputError(f"unknown placement {name!r}; known: {', '.join(RULES)}", field="placement")
    return RULES[name]


def first_fit(free: NDArray[np.int64], gpus: int) -> NDArray[np.int64]:
    """GPUs taken on each node by a gang that takes free GPUs from the first node on, shape (nodes,)."""
    return np.diff(np.minimum(np.cumsum(free), gpus), prepend=0)


@hot_kernel
def fewest_servers(capacity: NDArray[np.int64], gpus: int) -> int:
    """Fewest servers that could hold a gang on the empty cluster; `capacity` in descending order."""
    held = 0
    for i in range(len(capacity)):
        held += capacity[i]
        if held >= gpus:
            return i + 1
    return len(capacity) + 1


@hot_kernel
def _take(free: NDArray[np.int64], counts: NDArray[np.int64], node: int, left: int) -> int:
    grabbed = min(free[node], left)
    counts[node] = grabbed
    return left - grabbed


@hot_kernel
def _emptiest(free: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    best = -1
    for node in range(len(free)):
        spare = free[node] - counts[node]
        if spare > 0 and (best < 0 or spare > free[best] - counts[best]):
            best = node
    return best


def tiers(gpu_type: Sequence[str], node_speed: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank of each node's GPU type by its slowest node (0: fastest), ties by first node; shape (nodes,)."""
    names = np.array(gpu_type)
    kinds = list(dict.fromkeys(gpu_type))
    slowest = [float(node_speed[names == kind].min()) for kind in kinds]
    ranked = sorted(range(len(kinds)), key=lambda k: (-slowest[k], k))
    rank = {kinds[k]: tier for tier, k in enumerate(ranked)}
    return np.array([rank[kind] for kind in gpu_type], dtype=np.int64)


@hot_kernel
def roomy_tier(free: NDArray[np.int64], gpus: int, tier: NDArray[np.int64]) -> int:
    """Rank of the fastest type with at least `gpus` free GPUs; -1 if there is none."""
    wanted, last = 0, 0
    while wanted <= last:
        gpus_free = 0
        for node in range(len(free)):
            last = max(last, tier[node])
            gpus_free += free[node] if tier[node] == wanted else 0
        if gpus_free >= gpus:
            return wanted
        wanted += 1
    return -1


@hot_kernel
def first_nodes(free: NDArray[np.int64], gpus: int, counts: NDArray[np.int64]) -> None:
    """Take free GPUs from the first node on."""
    left = gpus
    for node in range(len(free)):
        left = _take(free, counts, node, left)
        if left == 0:
            break


@hot_kernel
def pack(free: NDArray[np.int64], gpus: int, tier: NDArray[np.int64], only: int, counts: NDArray[np.int64]) -> None:
    """Pack on the nodes of one tier (`only`), or on all nodes if `only` is -1."""
    tightest = -1
    for node in range(len(free)):
        if only >= 0 and tier[node] != only:
            continue
        if free[node] >= gpus and (tightest < 0 or free[node] < free[tightest]):
            tightest = node
    if tightest >= 0:
        counts[tightest] = gpus
        return
    left = gpus
    while left > 0:
        best = -1
        for node in range(len(free)):
            if only >= 0 and tier[node] != only:
                continue
            if counts[node] == 0 and free[node] > 0 and (best < 0 or free[node] > free[best]):
                best = node
        left = _take(free, counts, best, left)


@hot_kernel
def _random(free: NDArray[np.int64], gpus: int, counts: NDArray[np.int64], state: NDArray[np.uint64]) -> None:
    """Draw nodes one by one among those with free GPUs that are not taken yet."""
    left = gpus
    while left > 0:
        choices = 0
        for node in range(len(free)):
            choices += free[node] > 0 and counts[node] == 0
        skip = remainder(state, choices)
        for node in range(len(free)):
            if free[node] > 0 and counts[node] == 0:
                if skip == 0:
                    left = _take(free, counts, node, left)
                    break
                skip -= 1


@hot_kernel
def choose(
    free: NDArray[np.int64],
    gpus: int,
    rule: int,
    capacity: NDArray[np.int64],
    tier: NDArray[np.int64],
    state: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> bool:
    """Choose GPUs for a gang: whether it was placed, and then the GPUs taken on each node in `counts`, zero before.

    `capacity` is GPUs of each node in descending order, `tier` the rank of each node's GPU type (`tiers`, for
    `one-type` only), `state` the random state of the run (for `random` only).
    """
    if rule in (_PACK, CONSOLIDATE):
        pack(free, gpus, tier, -1, counts)
        if rule == CONSOLIDATE:
            servers = 0
            for node in range(len(free)):
                servers += counts[node] > 0
            if servers > fewest_servers(capacity, gpus):
                counts[:] = 0
                return False
    elif rule == ONE_TYPE:
        pack(free, gpus, tier, roomy_tier(free, gpus, tier), counts)
    elif rule == _ADJACENT:
        take_adjacent(free, gpus, counts)
    elif rule == SPREAD:
        for _ in range(gpus):
            counts[_emptiest(free, counts)] += 1
    elif rule == RANDOM:
        _random(free, gpus, counts, state)
    else:
        first_nodes(free, gpus, counts)
    return True


@hot_kernel
def _take_gang(
    free: NDArray[np.int64],
    usable: NDArray[np.bool_],
    gpus: int,
    rule: int,
    capacity: NDArray[np.int64],
    tier: NDArray[np.int64],
    state: NDArray[np.uint64],
    scratch: NDArray[np.int64],
) -> bool:
    """`choose` on the usable nodes; `free` is reduced by what the gang takes.

    `scratch`, shape (2, nodes), receives free GPUs on usable nodes and the GPUs taken.
    """
    there, counts, total = scratch[0], scratch[1], 0
    for node in range(len(free)):
        there[node] = free[node] if usable[node] else 0
        counts[node] = 0
        total += there[node]
    if total < gpus or not choose(there, gpus, rule, capacity, tier, state, counts):
        return False
    for node in range(len(free)):
        free[node] -= counts[node]
    return True


class Placer:
    """The placement rules on the cluster of a run; one number is drawn from the random stream of its view."""

    def __init__(self, view: View) -> None:
        self._capacity = np.sort(view.cluster.gpus)[::-1]
        self._random = view.rng.integers(0, 2**63, 1, dtype=np.uint64)
        self._tier = tiers(view.cluster.gpu_type, view.prices.node_speed)
        self._all, self._scratch = np.ones(view.cluster.nodes, np.bool_), np.zeros((2, view.cluster.nodes), np.int64)

    def take(
        self, free: NDArray[np.int64], gpus: int, rule: str, nodes: NDArray[np.bool_] | None = None
    ) -> Placement | None:
        """Placement of a gang by a named rule, or None if it does not fit now; `free` is reduced by its GPUs.

        It may use `nodes`, shape (nodes,); None: all.
        """
        if gpus == 0:
            return ()
        usable = self._all if nodes is None else nodes
        choice = rule_number(rule), self._capacity, self._tier, self._random
        if not _take_gang(free, usable, gpus, *choice, self._scratch):
            return None
        counts = self._scratch[1]
        taken = counts.nonzero()[0]
        return tuple(zip(taken.tolist(), counts[taken].tolist(), strict=True))
