"""A planning pass in which gangs queue on busy GPUs: a gang starts at the latest release among its GPUs.

The baselines need this availability to reproduce the published differences. No gang waits
for an exit here, so the wait lines of Alg. 2 (8-9) and Alg. 3 (11-12) have no counterpart: U never falls, so waiting
could never make a busy GPU pass the limit.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel
from rarlib.model.prices import iteration_s, reach
from rarlib.schedulers.shared.planning.batch import Batch, PassSettings, duration
from rarlib.schedulers.shared.planning.choose import choose
from rarlib.schedulers.shared.planning.gpu_state import GpuState, charge, clear, take

_PRECISION = 1e-12
"""Relative error of a limit and of what exceeds it."""


@hot_kernel
def promise(b: GpuState, batch: Batch, i: int, gpus: NDArray[np.int64]) -> None:
    """Put gang `i` at the end of the queues of its GPUs.

    The duration assumes that no other job shares its links, since the jobs that will run beside it are not known yet.
    """
    begin, server = 0.0, b.heap[: len(gpus)]
    for k, g in enumerate(gpus):
        begin = max(begin, b.release[g])
        server[k] = b.server[g]
    servers, speed, link = reach(batch.prices, server)
    tau = iteration_s(batch.prices, i, servers, 1, link) / speed
    batch.start[i] = begin
    batch.finish[i] = begin + duration(batch.prices, i, tau)
    for k, g in enumerate(gpus):
        b.release[g] = batch.finish[i]
        batch.gpus[batch.at[i] + k] = g
    charge(b, gpus, batch.estimate[i])


@hot_kernel
def queue_pass(b: GpuState, batch: Batch, r: PassSettings) -> tuple[bool, float, float]:
    """Plan a whole batch on GPUs that are idle at first.

    Returns:
        Whether every gang found GPUs and the makespan stays below the bound and within the horizon; makespan; highest
        level reached, which is the smallest limit with the same outcome.
    """
    clear(b, r.now)
    makespan, peak = r.now, 0.0
    for i in range(batch.running[0]):
        promise(b, batch, i, batch.gpus[batch.at[i] : batch.at[i + 1]])
    for i in range(batch.running[0], len(batch.row)):
        added = batch.plain[i] if r.on_finish else batch.estimate[i]
        if not choose(b, r, batch.gang[i], r.theta - added):
            return False, makespan, peak
        gpus = batch.gpus[batch.at[i] : batch.at[i + 1]]
        take(b, gpus)
        for g in gpus:
            peak = max(peak, b.limited[g] + added)
        promise(b, batch, i, gpus)
        makespan = max(makespan, batch.finish[i])
        if makespan >= r.bound or makespan > r.horizon:
            return False, makespan, peak
    return True, makespan, peak


@hot_kernel
def first_feasible(b: GpuState, batch: Batch, r: PassSettings, units: float, first: int, last: int) -> int:
    """Smallest whole limit, in steps of so many units, under which a pass places every gang; -1: none up to `last`."""
    theta = first
    while theta <= last:
        settings = PassSettings(
            theta * units, r.kappa, r.widening, r.small_rule, r.on_finish, r.bound, r.horizon, r.now
        )
        if queue_pass(b, batch, settings)[0]:
            return theta
        theta = next_limit(theta, b.short[0] / units, last)
    return -1


@hot_kernel
def next_limit(theta: int, short: float, last: int) -> int:
    """The smallest limit after `theta` under which a pass may decide otherwise, `last` + 1 if none up to `last` does.

    A pass takes the same decisions under every limit that is exceeded wherever `theta` is, at least by `short` steps.
    Limits are sums of floating point numbers: within their precision, the limit before is tried, too.
    """
    if short > last - theta + 1:
        return last + 1
    return theta + max(1, math.ceil(short - _PRECISION * (theta + short)))
