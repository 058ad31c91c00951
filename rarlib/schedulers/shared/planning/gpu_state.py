"""The GPU state of a planner: GPUs numbered server by server, and what has been planned on each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

BUSY, FINISH = range(2)
LEVELS = {"busy": BUSY, "finish": FINISH}
"""The level that a limit or a ranking uses: accumulated estimated busy time U, or the time at which a GPU is next
free."""


class GpuState(NamedTuple):
    """State of all GPUs during one pass; times in seconds (or slots)."""

    server: NDArray[np.int64]  # server of each GPU, shape (GPUs,)
    first: NDArray[np.int64]  # first GPU of each server, shape (servers + 1,)
    # U_s^g, estimated execution time accumulated on each GPU, in whole units of `Batch.estimate`
    busy: NDArray[np.float64]
    release: NDArray[np.float64]  # time at which each GPU is next free, as planned
    limited: NDArray[np.float64]  # `busy` or `release`, the level on which the limit theta is tested
    ranked: NDArray[np.float64]  # `busy` or `release`, the level by which GPUs are ranked
    idle: NDArray[np.bool_]  # whether a GPU may be chosen now (always, when gangs queue on busy GPUs)
    spare: NDArray[np.int64]  # GPUs of each server that may be chosen now, shape (servers,)
    load: NDArray[np.float64]  # sum of `busy` over each server's GPUs
    used: NDArray[np.bool_]  # whether a server has hosted anything in this pass
    picks: NDArray[np.int64]  # result of a choice, shape (GPUs,)
    counts: NDArray[np.int64]  # scratch space, zeros between uses, shape (servers,)
    heap: NDArray[np.int64]  # scratch space for GPUs or servers, shape (max(GPUs, servers),)
    place: NDArray[np.int64]  # their positions in it, or scratch space, shape (max(GPUs, servers),)
    key: NDArray[np.float64]  # scratch space for ranking servers, shape (servers,)
    # number of GPUs and servers examined so far, shape (1,): the operations that Theorem 6 counts
    looked: NDArray[np.int64]
    # by how much the limit was exceeded in this pass where it was exceeded least, shape (1,); inf: nowhere
    short: NDArray[np.float64]


def idle_gpus(gpus: NDArray[np.int64], now: float, limit: int, rank: int) -> GpuState:
    """The state in which all GPUs are idle from `now` on (Alg. 1, l. 2).

    Alg. 1 resets U only once, before both loops. A second pass would then start on full GPUs, so every pass gets a new
    state. Limits and ranks are on `BUSY` or `FINISH`.
    """
    total, servers = int(gpus.sum()), len(gpus)
    levels = (np.zeros(total), np.full(total, now))
    return GpuState(
        server=np.repeat(np.arange(servers), gpus),
        first=np.concatenate([[0], np.cumsum(gpus)]),
        busy=levels[BUSY],
        release=levels[FINISH],
        limited=levels[limit],
        ranked=levels[rank],
        idle=np.ones(total, np.bool_),
        spare=gpus.copy(),
        load=np.zeros(servers),
        used=np.zeros(servers, np.bool_),
        picks=np.zeros(total, np.int64),
        counts=np.zeros(servers, np.int64),
        heap=np.zeros(max(total, servers), np.int64),
        place=np.zeros(max(total, servers), np.int64),
        key=np.zeros(servers),
        looked=np.zeros(1, np.int64),
        short=np.full(1, np.inf),
    )


@hot_kernel
def clear(b: GpuState, now: float) -> None:
    """Make all GPUs idle and unused again, as `idle_gpus` does; the count of what was examined goes on."""
    b.busy[:] = 0.0
    b.release[:] = now
    b.idle[:] = True
    b.load[:] = 0.0
    b.used[:] = False
    b.short[0] = np.inf
    for s in range(len(b.spare)):
        b.spare[s] = b.first[s + 1] - b.first[s]


@hot_kernel
def take(b: GpuState, gpus: NDArray[np.int64]) -> None:
    """Write the picks of the last choice, ascending, shape (gang,)."""
    for k in range(len(gpus)):
        at = k
        while at > 0 and gpus[at - 1] > b.picks[k]:
            gpus[at] = gpus[at - 1]
            at -= 1
        gpus[at] = b.picks[k]


@hot_kernel
def charge(b: GpuState, gpus: NDArray[np.int64], estimate: float) -> None:
    """Add a gang's estimated execution time to its GPUs (Alg. 2, l. 6; Alg. 3, l. 9)."""
    for g in gpus:
        b.busy[g] += estimate
        b.load[b.server[g]] += estimate
        b.used[b.server[g]] = True
