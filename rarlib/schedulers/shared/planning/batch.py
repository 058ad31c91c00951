"""The input and result of a planning pass, as plain arrays for the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.prices import Prices, iteration_s, iterations_per_s, slot_end


class Batch(NamedTuple):
    """Gangs in planning order; the first `running` of them hold GPUs already. Times in seconds (or slots)."""

    row: NDArray[np.int64]  # the gang's row in the view, shape (gangs,)
    gang: NDArray[np.int64]  # GPUs of each gang
    prices: Prices  # price table of the gangs; its `work` is the work left of each
    # rho-hat / u, which a gang adds to U of each of its GPUs, in whole units (`prepare.whole_units`)
    estimate: NDArray[np.float64]
    units_per_s: float  # number of these units in a second (or slot)
    plain: NDArray[np.float64]  # duration of each gang alone on one server
    at: NDArray[np.int64]  # position of each gang's first GPU in `gpus`, shape (gangs + 1,)
    gpus: NDArray[np.int64]  # GPUs of every gang, ascending within a gang, shape (sum of gangs,); filled by a pass
    start: NDArray[np.float64]  # planned start, filled by a pass
    finish: NDArray[np.float64]  # planned finish, filled by a pass
    running: NDArray[np.int64]  # number of gangs that hold GPUs when planning begins, shape (1,)


class PassSettings(NamedTuple):
    """Settings of one pass."""

    # limit on the level of every chosen GPU: in units of `Batch.estimate`, or a time if it is one on finishes
    theta: float
    kappa: int  # largest gang that counts as small (Alg. 1, l. 10)
    widening: float  # lambda_j of Alg. 3
    small_rule: int  # rule for small gangs
    on_finish: bool  # whether the limit is tested on finish times; if not, on accumulated busy time
    bound: float  # give up as soon as the makespan cannot stay below this
    horizon: float  # latest finish allowed (T)
    now: float  # time at which planning begins


@hot_kernel
def duration(prices: Prices, gang: int, tau: float) -> float:
    """Time for a gang's work at `tau` per iteration, rounded up to whole slots; inf if no iteration fits a slot."""
    if prices.work[gang] <= 0.0:
        return 0.0
    rate = iterations_per_s(prices, gang, tau)
    return slot_end(prices.work[gang] / rate, prices.slot_s) if rate > 0.0 else np.inf


@kernel
def estimates(
    prices: Prices, gangs: NDArray[np.int64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimates for gangs before they are placed, each of shape (gangs,).

    Returns:
        Duration on one server of the fastest speed without contention; tau^u; duration at tau^u and the slowest speed.
    """
    plain, tau, longest = np.zeros(len(gangs)), np.zeros(len(gangs)), np.zeros(len(gangs))
    fastest, slowest = prices.node_speed.max(), prices.node_speed.min()
    for i in range(len(gangs)):
        plain[i] = duration(prices, i, iteration_s(prices, i, 1, 1) / fastest)
        tau[i] = worst_tau(prices, i, gangs[i], most)
        longest[i] = duration(prices, i, tau[i] / slowest)
    return plain, tau, longest


@kernel
def worst_tau(prices: Prices, row: int, gpus: int, most: int) -> float:
    """Longest tau (section 5): on as many servers as possible, `most` jobs on the busiest, over the slowest links."""
    link = prices.node_link.max()
    if len(prices.rack_link) > 1:
        link = max(link, prices.rack_link.max())
    spread = iteration_s(prices, row, min(gpus, len(prices.node_speed)), most, link)
    return max(spread, iteration_s(prices, row, 1, 1))
