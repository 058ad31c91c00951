"""Which GPUs a planner gives to a gang: the selection lines of Alg. 2 and 3 and of the baselines."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.heap import pop, sink
from rarlib.model.jit import hot_kernel, kernel
from rarlib.schedulers.shared.planning.gpu_state import GpuState

_PACK, LITERAL, _FIRST, _ONE_SERVER = range(4)
SMALL_RULES = {"pack": _PACK, "literal": LITERAL, "first": _FIRST, "one-server": _ONE_SERVER}
"""How small gangs are placed.

pack: servers that have been used in this pass first, then by index; inside a server the GPUs of lowest rank.
literal: the GPUs of lowest rank in the whole cluster (Alg. 2, l. 4 as printed; the rule of list scheduling).
first: the first GPUs by index (first fit).
one-server: as `pack`, but all on one server; a gang that no server has space for waits, unless no server is that large.
"""


@hot_kernel
def _heapify(b: GpuState, key: NDArray[np.float64], size: int) -> None:
    for at in range(size // 2 - 1, -1, -1):
        sink(b.heap, key, b.place, size, at)


@hot_kernel
def _collect(b: GpuState, server: int, level_limit: float, count: int) -> int:
    """Append the server's available GPUs of low enough level to the candidates; returns the new count."""
    if b.spare[server] == 0:
        return count
    for g in range(b.first[server], b.first[server + 1]):
        if not b.idle[g]:
            continue
        if b.limited[g] <= level_limit:
            b.heap[count] = g
            count += 1
        else:
            b.short[0] = min(b.short[0], b.limited[g] - level_limit)
    b.looked[0] += b.first[server + 1] - b.first[server]
    return count


@hot_kernel
def _least(b: GpuState, count: int, taken: int, gang: int) -> int:
    """Complete the picks by those of lowest rank among `count` candidates; returns the new number of picks."""
    _heapify(b, b.ranked, count)
    while taken < gang and count > 0:
        b.picks[taken] = pop(b.heap, b.ranked, b.place, count)
        taken += 1
        count -= 1
    return taken


@hot_kernel
def _pack(b: GpuState, gang: int, level_limit: float) -> bool:
    taken = 0
    for used in (True, False):
        for server in range(len(b.spare)):
            if b.used[server] == used and b.spare[server] > 0:
                taken = _least(b, _collect(b, server, level_limit, 0), taken, gang)
                if taken == gang:
                    return True
        b.looked[0] += len(b.spare)
    return False


@hot_kernel
def _one_server(b: GpuState, gang: int, level_limit: float) -> bool:
    largest = 0
    for used in (True, False):
        for server in range(len(b.spare)):
            largest = max(largest, b.first[server + 1] - b.first[server])
            if b.used[server] == used and b.spare[server] >= gang:
                count = _collect(b, server, level_limit, 0)
                if count >= gang:
                    return _least(b, count, 0, gang) == gang
        b.looked[0] += len(b.spare)
    return largest < gang and _pack(b, gang, level_limit)


@hot_kernel
def _first(b: GpuState, gang: int, level_limit: float) -> bool:
    taken = 0
    for server in range(len(b.spare)):
        count = _collect(b, server, level_limit, 0)
        for i in range(min(count, gang - taken)):
            b.picks[taken] = b.heap[i]
            taken += 1
        if taken == gang:
            return True
    return False


@hot_kernel
def _literal(b: GpuState, gang: int, level_limit: float) -> bool:
    count = 0
    for server in range(len(b.spare)):
        count = _collect(b, server, level_limit, count)
    return count >= gang and _least(b, count, 0, gang) == gang


@hot_kernel
def small(b: GpuState, gang: int, level_limit: float, rule: int) -> bool:
    """FA-FFP (Alg. 2, l. 2-4), and first fit and list scheduling, which are the same search.

    Returns whether enough GPUs, left in `picks`, have a level of at most `level_limit`: theta minus what the gang adds.
    """
    if rule == _PACK:
        return _pack(b, gang, level_limit)
    if rule == _FIRST:
        return _first(b, gang, level_limit)
    if rule == _ONE_SERVER:
        return _one_server(b, gang, level_limit)
    return _literal(b, gang, level_limit)


@kernel
def least_busy_servers(b: GpuState, gang: int, level_limit: float, widening: float) -> bool:
    """LBSGF (Alg. 3, l. 2-7): the least busy GPUs of the least busy servers, which hold lambda_j times the gang.

    Arguments and result as for `small`; `widening` is lambda_j.
    """
    servers = len(b.load)
    for s in range(servers):
        b.key[s] = b.load[s] / (b.first[s + 1] - b.first[s])
        b.heap[s] = s
    b.looked[0] += servers
    _heapify(b, b.key, servers)
    held, left = 0, servers
    while left > 0 and held < widening * gang:  # l. 2: shortest prefix of the sorted servers that is large enough
        s = pop(b.heap, b.key, b.place, left)
        left -= 1
        b.heap[left] = s  # store it in the tail that the shrinking heap leaves free
        held += b.first[s + 1] - b.first[s]
    chosen = b.heap[left:servers].copy()
    count = 0
    for s in chosen:  # l. 3-5
        count = _collect(b, s, level_limit, count)
    return count >= gang and _least(b, count, 0, gang) == gang
