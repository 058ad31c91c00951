"""Which GPUs a gang gets: placement rules, independent of the order in which jobs are served."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel

ANY, PACK, SPREAD, RANDOM, CONSOLIDATE = range(5)

RULES = {"any": ANY, "pack": PACK, "spread": SPREAD, "random": RANDOM, "consolidate": CONSOLIDATE}
"""Rules by name. All but `consolidate` accept any free GPUs, so a gang fits whenever enough GPUs are free.

any: nodes in index order, as many GPUs as are free on each (first fit by GPU).
pack: the fullest node that holds the whole gang; if none does, emptiest nodes first (fewest servers).
spread: one GPU at a time from the node with most free GPUs (evens out what is left).
random: nodes in random order, as many GPUs as are free on each.
consolidate: as pack, but the gang waits unless it gets the fewest servers an empty cluster would allow.
"""


def rule_number(name: str) -> int:
    """Number of a placement rule.

    Raises:
        InputError: for an unknown name.
    """
    if name not in RULES:
        raise InputError(f"unknown placement {name!r}; known: {', '.join(RULES)}", field="placement")
    return RULES[name]


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
def _next_random(state: NDArray[np.uint64], bound: int) -> int:
    """Draw from 0..bound-1 (xorshift64 of Marsaglia 2003: shifts only, so plain Python has no overflow to warn of)."""
    z = state[0]
    z ^= z << np.uint64(13)
    z ^= z >> np.uint64(7)
    z ^= z << np.uint64(17)
    state[0] = z
    return int((z >> np.uint64(16)) % np.uint64(bound))


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


@hot_kernel
def _pack(free: NDArray[np.int64], gpus: int, counts: NDArray[np.int64]) -> None:
    tightest = -1
    for node in range(len(free)):
        if free[node] >= gpus and (tightest < 0 or free[node] < free[tightest]):
            tightest = node
    if tightest >= 0:
        counts[tightest] = gpus
        return
    left = gpus
    while left > 0:
        best = -1
        for node in range(len(free)):
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
        skip = _next_random(state, choices)
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
    state: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> bool:
    """Choose GPUs for a gang.

    Args:
        free: free GPUs by node, shape (nodes,).
        gpus: gang size.
        rule: number of the placement rule.
        capacity: GPUs of each node in descending order, shape (nodes,).
        state: random state of the run, shape (1,); used by `random` only.
        counts: result, GPUs taken on each node, shape (nodes,); zero on entry, and still zero when refused.

    Returns:
        Whether the gang was placed.
    """
    if rule in (PACK, CONSOLIDATE):
        _pack(free, gpus, counts)
        if rule == CONSOLIDATE:
            servers = 0
            for node in range(len(free)):
                servers += counts[node] > 0
            if servers > fewest_servers(capacity, gpus):
                counts[:] = 0
                return False
    elif rule == SPREAD:
        for _ in range(gpus):
            counts[_emptiest(free, counts)] += 1
    elif rule == RANDOM:
        _random(free, gpus, counts, state)
    else:
        left = gpus
        for node in range(len(free)):
            left = _take(free, counts, node, left)
            if left == 0:
                break
    return True


def place(
    free: NDArray[np.int64], gpus: int, name: str, cluster_gpus: NDArray[np.int64], state: NDArray[np.uint64]
) -> Placement | None:
    """`choose` for the readable side: the placement, or None when the gang does not fit now."""
    if gpus > int(free.sum()):
        return None
    counts = np.zeros(len(free), np.int64)
    if not choose(free, gpus, rule_number(name), np.sort(cluster_gpus)[::-1], state, counts):
        return None
    return tuple((int(node), int(counts[node])) for node in np.flatnonzero(counts))
