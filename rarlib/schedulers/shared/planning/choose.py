"""Which GPUs a planner gives to a gang: the selection lines of Alg. 2 and 3 and of the baselines."""

from rarlib.model.heap import before, pop, sink
from rarlib.model.jit import hot_kernel
from rarlib.schedulers.shared.planning.batch import PassSettings
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
def _collect(b: GpuState, server: int, level_limit: float, count: int) -> int:
    """Append the server's available GPUs of low enough level to the candidates; returns the new count."""
    if b.spare[server] == 0:
        return count
    short = b.short[0]
    for g in range(b.first[server], b.first[server + 1]):
        if not b.idle[g]:
            continue
        if b.limited[g] <= level_limit:
            b.heap[count] = g
            count += 1
        else:
            short = min(short, b.limited[g] - level_limit)
    b.short[0] = short
    b.looked[0] += b.first[server + 1] - b.first[server]
    return count


@hot_kernel
def _least(b: GpuState, count: int, taken: int, gang: int) -> int:
    """Complete the picks by those of lowest rank among `count` candidates; returns the new number of picks."""
    first = taken
    for g in b.heap[:count]:
        if taken < gang:
            taken += 1
        elif not before(b.ranked, g, b.picks[gang - 1]):
            continue
        at = taken - 1
        while at > first and before(b.ranked, g, b.picks[at - 1]):
            b.picks[at] = b.picks[at - 1]
            at -= 1
        b.picks[at] = g
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
def _least_busy_servers(b: GpuState, gang: int, level_limit: float, widening: float) -> bool:
    """LBSGF (Alg. 3, l. 2-7): the least busy GPUs of the least busy servers that hold lambda_j (`widening`) gangs."""
    servers = len(b.load)
    for s in range(servers):
        b.key[s] = b.load[s] / (b.first[s + 1] - b.first[s])
        b.heap[s] = s
    b.looked[0] += servers
    for at in range(servers // 2 - 1, -1, -1):
        sink(b.heap, b.key, b.place, servers, at)
    held, left = 0, servers
    while left > 0 and held < widening * gang:  # l. 2: shortest prefix of the sorted servers that is large enough
        s = pop(b.heap, b.key, b.place, left)
        left -= 1
        b.heap[left] = s  # store it in the tail that the shrinking heap leaves free
        held += b.first[s + 1] - b.first[s]
    for k in range(left, servers):
        b.place[k] = b.heap[k]
    count = 0
    for s in b.place[left:servers]:  # l. 3-5
        count = _collect(b, s, level_limit, count)
    return count >= gang and _least(b, count, 0, gang) == gang


@hot_kernel
def choose(b: GpuState, r: PassSettings, gang: int, level_limit: float) -> bool:
    """FA-FFP for small gangs (Alg. 2, l. 2-4), also first fit and list scheduling, the same search; else LBSGF.

    Returns whether enough GPUs, left in `picks`, have a level of at most `level_limit`: theta minus what the gang adds.
    """
    if gang > r.kappa:  # Alg. 1, l. 10
        return _least_busy_servers(b, gang, level_limit, r.widening)
    if r.small_rule == _PACK:
        return _pack(b, gang, level_limit)
    if r.small_rule == _FIRST:
        return _first(b, gang, level_limit)
    if r.small_rule == _ONE_SERVER:
        return _one_server(b, gang, level_limit)
    return _literal(b, gang, level_limit)
