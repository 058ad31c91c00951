"""What is to be planned, and what a pass makes of it: plain arrays for the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel
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


@kernel
def slot_end(prices: Prices, time: float) -> float:
    """`time`, or the end of the slot it falls into: a job holds its GPUs until the end of its last slot (eq. 9)."""
    if prices.slot_s <= 0.0:
        return time
    return np.ceil(time / prices.slot_s - 1e-9) * prices.slot_s


@kernel
def servers_of(server: NDArray[np.int64], gpus: NDArray[np.int64]) -> int:
    """Number of servers that ascending GPUs lie on."""
    count = 1
    for i in range(1, len(gpus)):
        count += server[gpus[i]] != server[gpus[i - 1]]
    return count


@kernel
def duration(prices: Prices, row: int, work: float, servers: int, sharers: int, speed: float) -> float:
    """Time for `work` iterations in a fixed neighbourhood, rounded up to whole slots; inf when none fits a slot."""
    rate = iterations_per_s(prices, row, iteration_s(prices, row, servers, sharers) / speed)
    if work <= 0.0:
        return 0.0
    return slot_end(prices, work / rate) if rate > 0.0 else np.inf
