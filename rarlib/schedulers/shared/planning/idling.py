"""A planning pass in which gangs take idle GPUs only, and the next gang in order waits until others exit.

This reads "available" in Alg. 2, l. 2 and Alg. 3, l. 5 as "idle now", the only reading in which the lines on waiting
have an effect: U never falls, so waiting for an exit cannot make a GPU pass the limit, but it does make GPUs idle.

The pass is a simulation: gangs start and finish on a state of the simulator, which models contention (eq. 6-9). The GPU
state adds which GPUs they hold, and U.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel, kernel
from rarlib.schedulers.shared.planning import choose
from rarlib.schedulers.shared.planning.batch import Batch, PassSettings
from rarlib.schedulers.shared.planning.gpu_state import GpuState, charge, occupy, vacate
from rarlib.simulator import progress
from rarlib.simulator.state import State


@kernel
def _choose(b: GpuState, batch: Batch, r: PassSettings, i: int, now: float) -> bool:
    gang = batch.gang[i]
    level_limit = r.theta - batch.estimate[i]
    if r.on_finish:
        end = now + batch.plain[i]
        level_limit = np.inf if end <= r.theta else -np.inf
        b.short[0] = min(b.short[0], end - r.theta if end > r.theta else np.inf)
    if gang <= r.kappa:  # Alg. 1, l. 10
        return choose.small(b, gang, level_limit, r.small_rule)
    return choose.least_busy_servers(b, gang, level_limit, r.widening)


@hot_kernel
def _highest(b: GpuState, batch: Batch, r: PassSettings, i: int, now: float) -> float:
    """Smallest limit under which the choice for gang `i` would pass."""
    if r.on_finish:
        return now + batch.plain[i]
    level = 0.0
    for g in b.picks[: batch.gang[i]]:
        level = max(level, b.busy[g])
    return level + batch.estimate[i]


@hot_kernel
def _begin(b: GpuState, s: State, batch: Batch, i: int, counts: NDArray[np.int64], now: float) -> None:
    """Start gang `i` on its GPUs in the batch; `counts` is zero before and after, shape (servers,)."""
    gpus = batch.gpus[batch.at[i] : batch.at[i + 1]]
    charge(b, gpus, batch.estimate[i])
    occupy(b, gpus)
    for g in gpus:
        counts[b.server[g]] += 1
    progress.start(s, batch.prices, i, counts, now)
    for g in gpus:
        counts[b.server[g]] = 0


@hot_kernel
def _next_finish(s: State) -> float:
    """Earliest finish of a running gang, inf when none runs."""
    return s.job[s.heap[0]].due if s.run[0].heap > 0 else np.inf


@hot_kernel
def _end_all(b: GpuState, s: State, batch: Batch, now: float) -> None:
    """Release the GPUs of every gang that finishes now."""
    while s.run[0].heap > 0 and s.job[s.heap[0]].due <= now:
        i = s.heap[0]
        progress.finish_job(s, batch.prices, i, now)
        vacate(b, batch.gpus[batch.at[i] : batch.at[i + 1]])


@kernel
def idle_pass(b: GpuState, s: State, batch: Batch, r: PassSettings) -> tuple[bool, float, float]:
    """Plan a whole batch, event by event.

    Returns:
        Whether every gang found GPUs and the makespan stays below the bound and within the horizon; makespan; highest
        level reached, which is the smallest limit with the same outcome.
    """
    now, peak, counts = r.now, 0.0, np.zeros(len(b.spare), np.int64)
    for i in range(batch.running[0]):
        _begin(b, s, batch, i, counts, now)
    for i in range(batch.running[0], len(batch.row)):  # Alg. 1, l. 9
        while b.spare.sum() < batch.gang[i] or not _choose(b, batch, r, i, now):
            now = _next_finish(s)  # Alg. 2, l. 8-9; Alg. 3, l. 11-12
            if now == np.inf or now >= r.bound or now > r.horizon:
                return False, now, peak
            _end_all(b, s, batch, now)
        peak = max(peak, _highest(b, batch, r, i, now))
        batch.gpus[batch.at[i] : batch.at[i + 1]] = np.sort(b.picks[: batch.gang[i]])
        _begin(b, s, batch, i, counts, now)
    while s.run[0].heap > 0:
        now = _next_finish(s)
        if now == np.inf or now >= r.bound or now > r.horizon:
            return False, now, peak
        _end_all(b, s, batch, now)
    batch.start[:] = s.job.start_s
    batch.finish[:] = s.job.finish_s
    return True, now, peak
