"""What is to be planned, and what a pass makes of it: plain arrays for the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.prices import Prices, iteration_s, iterations_per_s


class Batch(NamedTuple):
    """Gangs in planning order; the first `running` of them hold GPUs already. Times in seconds (or slots).

    Attributes:
        row: the gang's row in the price table, shape (gangs,).
        gang: GPUs of each gang.
        work: iterations it still has to do.
        estimate: rho-hat / u, what it adds to U of each of its GPUs.
        plain: its duration alone on one server.
        at: position of its first GPU in `gpus`, shape (gangs + 1,).
        gpus: GPUs of every gang, ascending within a gang, shape (sum of gangs,); filled by a pass.
        start: planned start, filled by a pass.
        finish: planned finish, filled by a pass.
        running: number of gangs that hold GPUs when planning begins, shape (1,).
    """

    row: NDArray[np.int64]
    gang: NDArray[np.int64]
    work: NDArray[np.float64]
    estimate: NDArray[np.float64]
    plain: NDArray[np.float64]
    at: NDArray[np.int64]
    gpus: NDArray[np.int64]
    start: NDArray[np.float64]
    finish: NDArray[np.float64]
    running: NDArray[np.int64]


class Reading(NamedTuple):
    """One pass's settings.

    Attributes:
        theta: limit on the level of every chosen GPU.
        kappa: largest gang that counts as small (Alg. 1, l. 10).
        widening: lambda_j of Alg. 3.
        small_rule: rule for small gangs.
        on_finish: whether the limit is tested on finish times (else on accumulated busy time).
        bound: give up as soon as the makespan cannot stay below this.
        horizon: latest finish allowed (T).
        now: time at which planning begins.
    """

    theta: float
    kappa: int
    widening: float
    small_rule: int
    on_finish: bool
    bound: float
    horizon: float
    now: float


@hot_kernel
def slot_end(prices: Prices, time: float) -> float:
    """`time`, or the end of the slot it falls into: a job holds its GPUs until the end of its last slot (eq. 9)."""
    if prices.slot_s <= 0.0:
        return time
    return np.ceil(time / prices.slot_s - 1e-9) * prices.slot_s


@hot_kernel
def reach(prices: Prices, server: NDArray[np.int64], gpus: NDArray[np.int64]) -> tuple[int, float, float]:
    """What a gang on ascending GPUs runs across.

    Returns:
        Number of servers; speed of the slowest; relative transfer time of the slowest link of its ring: its servers'
        links, and the uplinks of their racks if it spans racks.
    """
    count, last, crosses = 0, -1, False
    speed, link, uplink = np.inf, 0.0, 0.0
    home = prices.rack[server[gpus[0]]]
    for g in gpus:
        if server[g] == last:
            continue
        last = server[g]
        count += 1
        rack = prices.rack[last]
        crosses = crosses or rack != home
        speed = min(speed, prices.node_speed[last])
        link = max(link, prices.node_link[last])
        uplink = max(uplink, prices.rack_link[rack])
    return count, speed, max(link, uplink) if crosses else link


@hot_kernel
def duration(prices: Prices, row: int, work: float, tau: float) -> float:
    """Time for `work` iterations of `tau` each, rounded up to whole slots; inf when none fits a slot."""
    if work <= 0.0:
        return 0.0
    rate = iterations_per_s(prices, row, tau)
    return slot_end(prices, work / rate) if rate > 0.0 else np.inf


@kernel
def outlook(
    prices: Prices, rows: NDArray[np.int64], gangs: NDArray[np.int64], work: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What is known of gangs before they are placed, each of shape (gangs,).

    Returns:
        Duration on one server of the fastest speed, where nothing is shared; tau^u; duration at tau^u and the
        slowest speed.
    """
    plain, tau, longest = np.zeros_like(work), np.zeros_like(work), np.zeros_like(work)
    fastest, slowest = prices.node_speed.max(), prices.node_speed.min()
    for i in range(len(rows)):
        row = rows[i]
        plain[i] = duration(prices, row, work[i], iteration_s(prices, row, 1, 1) / fastest)
        tau[i] = worst_tau(prices, row, gangs[i], most)
        longest[i] = duration(prices, row, work[i], tau[i] / slowest)
    return plain, tau, longest


@kernel
def worst_tau(prices: Prices, row: int, gang: int, most: int) -> float:
    """Longest tau (section 5): on as many servers as possible, `most` jobs on the busiest, over the slowest links."""
    link = prices.node_link.max()
    if len(prices.rack_link) > 1:
        link = max(link, prices.rack_link.max())
    spread = iteration_s(prices, row, min(gang, len(prices.node_speed)), most, link)
    return max(spread, iteration_s(prices, row, 1, 1))
