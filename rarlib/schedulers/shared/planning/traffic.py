"""Who runs beside whom during an event-driven planning pass, and how fast: eq. 6-9 from the common price table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.prices import Prices, iteration_s, iterations_per_s
from rarlib.schedulers.shared.planning.batch import Batch, reach, slot_end
from rarlib.schedulers.shared.planning.board import Board, occupy, vacate


class Traffic(NamedTuple):
    """Running gangs of a pass.

    Attributes:
        holder: gang on each GPU, -1 when idle, shape (GPUs,).
        spanning: gangs on each server that span servers, shape (servers,).
        servers: servers of each gang, shape (gangs,).
        speed: relative speed of its slowest server.
        link: relative transfer time of its slowest link.
        sharers: p_j, spanning gangs on its busiest server (eq. 6); 0 for a gang on one server.
        rate: iterations per second.
        done: iterations done at `settled`.
        settled: time up to which `done` is counted.
        active: running gangs, shape (gangs,); the first `size[0]` are in use.
        size: shape (1,).
    """

    holder: NDArray[np.int64]
    spanning: NDArray[np.int64]
    servers: NDArray[np.int64]
    speed: NDArray[np.float64]
    link: NDArray[np.float64]
    sharers: NDArray[np.int64]
    rate: NDArray[np.float64]
    done: NDArray[np.float64]
    settled: NDArray[np.float64]
    active: NDArray[np.int64]
    size: NDArray[np.int64]


def new_traffic(gpus: int, servers: int, gangs: int) -> Traffic:
    """An idle cluster."""
    return Traffic(
        np.full(gpus, -1, np.int64),
        np.zeros(servers, np.int64),
        np.zeros(gangs, np.int64),
        np.zeros(gangs),
        np.zeros(gangs),
        np.zeros(gangs, np.int64),
        np.zeros(gangs),
        np.zeros(gangs),
        np.zeros(gangs),
        np.zeros(gangs, np.int64),
        np.zeros(1, np.int64),
    )


@hot_kernel
def _count_sharers(t: Traffic, b: Board, gpus: NDArray[np.int64]) -> int:
    most = 0
    for g in gpus:
        most = max(most, t.spanning[b.server[g]])
    return most


@hot_kernel
def _price(t: Traffic, batch: Batch, prices: Prices, i: int, now: float) -> None:
    """Settle what gang `i` has done, then recompute its rate and finish (eq. 8 and 9)."""
    t.done[i] += (now - t.settled[i]) * t.rate[i]
    t.settled[i] = now
    tau = iteration_s(prices, batch.row[i], t.servers[i], t.sharers[i], t.link[i])
    t.rate[i] = iterations_per_s(prices, batch.row[i], tau / t.speed[i])
    left = max(batch.work[i] - t.done[i], 0.0)
    if left == 0.0:
        batch.finish[i] = slot_end(prices, now)
    else:
        batch.finish[i] = slot_end(prices, now + left / t.rate[i]) if t.rate[i] > 0.0 else np.inf


@hot_kernel
def _reprice_neighbours(t: Traffic, b: Board, batch: Batch, prices: Prices, i: int, now: float) -> None:
    """Update every spanning gang on the servers of gang `i`; only those whose p changed get a new rate."""
    last_server = -1
    for gpu in batch.gpus[batch.at[i] : batch.at[i + 1]]:
        server = b.server[gpu]
        if server == last_server:
            continue
        last_server, last = server, -1
        for g in range(b.first[server], b.first[server + 1]):
            other = t.holder[g]
            if other < 0 or other in (last, i) or t.servers[other] == 1:
                continue
            last = other
            sharers = _count_sharers(t, b, batch.gpus[batch.at[other] : batch.at[other + 1]])
            if sharers != t.sharers[other]:
                t.sharers[other] = sharers
                _price(t, batch, prices, other, now)


@hot_kernel
def _count_on_servers(t: Traffic, b: Board, gpus: NDArray[np.int64], by: int) -> None:
    last = -1
    for g in gpus:
        if b.server[g] != last:
            last = b.server[g]
            t.spanning[last] += by


@kernel
def begin(t: Traffic, b: Board, batch: Batch, prices: Prices, i: int, now: float) -> None:
    """Gang `i` takes the GPUs entered for it in the batch."""
    gpus = batch.gpus[batch.at[i] : batch.at[i + 1]]
    occupy(b, gpus)
    batch.start[i] = now
    t.settled[i] = now
    t.servers[i], t.speed[i], t.link[i] = reach(prices, b.server, gpus)
    t.holder[gpus] = i
    t.active[t.size[0]] = i
    t.size[0] += 1
    if t.servers[i] > 1:
        _count_on_servers(t, b, gpus, 1)
        t.sharers[i] = _count_sharers(t, b, gpus)
        _reprice_neighbours(t, b, batch, prices, i, now)
    _price(t, batch, prices, i, now)


@hot_kernel
def next_finish(t: Traffic, batch: Batch) -> float:
    """Earliest finish of a running gang, inf when none runs."""
    time = np.inf
    for a in range(t.size[0]):
        time = min(time, batch.finish[t.active[a]])
    return time


@kernel
def end_all(t: Traffic, b: Board, batch: Batch, prices: Prices, now: float) -> None:
    """Let every gang whose finish has come give its GPUs back."""
    a = 0
    while a < t.size[0]:
        i = t.active[a]
        if batch.finish[i] > now:
            a += 1
            continue
        gpus = batch.gpus[batch.at[i] : batch.at[i + 1]]
        vacate(b, gpus)
        t.holder[gpus] = -1
        t.size[0] -= 1
        t.active[a] = t.active[t.size[0]]
        if t.servers[i] > 1:
            _count_on_servers(t, b, gpus, -1)
            _reprice_neighbours(t, b, batch, prices, i, now)
