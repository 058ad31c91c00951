"""A planning pass in which gangs take idle GPUs only, and the next gang in order waits until others exit.

This reads "available" in Alg. 2, l. 2 and Alg. 3, l. 5 as "idle now", the only reading in which the lines on waiting
have an effect: U never falls, so waiting for an exit cannot make a GPU pass the limit, but it does make GPUs idle.

The pass is a simulation: gangs start and finish on a state of the simulator, which models contention (eq. 6-9). The GPU
state adds which GPUs they hold, and U.
"""

import numpy as np

from rarlib.model.jit import hot_kernel
from rarlib.schedulers.shared.planning.batch import Batch, PassSettings
from rarlib.schedulers.shared.planning.choose import choose
from rarlib.schedulers.shared.planning.gpu_state import GpuState, charge, clear, take
from rarlib.simulator import progress
from rarlib.simulator.state import State


@hot_kernel
def _choose(b: GpuState, batch: Batch, r: PassSettings, i: int, now: float) -> bool:
    level_limit = r.theta - batch.estimate[i]
    if r.on_finish:
        end = now + batch.plain[i]
        level_limit = np.inf if end <= r.theta else -np.inf
        b.short[0] = min(b.short[0], end - r.theta if end > r.theta else np.inf)
    return choose(b, r, batch.gang[i], level_limit)


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
def _begin(b: GpuState, s: State, batch: Batch, i: int, now: float) -> None:
    """Start gang `i` on its GPUs in the batch."""
    gpus = batch.gpus[batch.at[i] : batch.at[i + 1]]
    charge(b, gpus, batch.estimate[i])
    for g in gpus:
        b.idle[g] = False
        b.spare[b.server[g]] -= 1
        b.counts[b.server[g]] += 1
    progress.start(s, batch.prices, i, b.counts, now)
    for g in gpus:
        b.counts[b.server[g]] = 0


@hot_kernel
def _end_next(b: GpuState, s: State, batch: Batch, r: PassSettings) -> tuple[bool, float]:
    """Release the GPUs of all gangs that finish next, unless that is too late or none runs; returns when."""
    now = s.job[s.heap[0]].due if s.run[0].heap > 0 else np.inf
    if now == np.inf or now >= r.bound or now > r.horizon:
        return False, now
    while s.run[0].heap > 0 and s.job[s.heap[0]].due <= now:
        i = s.heap[0]
        progress.finish_job(s, batch.prices, i, now)
        for g in batch.gpus[batch.at[i] : batch.at[i + 1]]:
            b.idle[g] = True
            b.spare[b.server[g]] += 1
    return True, now


@hot_kernel
def idle_pass(b: GpuState, s: State, batch: Batch, r: PassSettings) -> tuple[bool, float, float]:
    """Plan a whole batch on idle GPUs, event by event.

    Returns:
        Whether every gang found GPUs and the makespan stays below the bound and within the horizon; makespan; highest
        level reached, which is the smallest limit with the same outcome.
    """
    clear(b, r.now)
    now, peak = r.now, 0.0
    for i in range(batch.running[0]):
        _begin(b, s, batch, i, now)
    for i in range(batch.running[0], len(batch.row)):  # Alg. 1, l. 9
        while len(b.idle) - s.run[0].busy < batch.gang[i] or not _choose(b, batch, r, i, now):
            going, now = _end_next(b, s, batch, r)  # Alg. 2, l. 8-9; Alg. 3, l. 11-12
            if not going:
                return False, now, peak
        peak = max(peak, _highest(b, batch, r, i, now))
        take(b, batch.gpus[batch.at[i] : batch.at[i + 1]])
        _begin(b, s, batch, i, now)
    while s.run[0].heap > 0:
        going, now = _end_next(b, s, batch, r)
        if not going:
            return False, now, peak
    for i in range(len(batch.row)):
        batch.start[i], batch.finish[i] = s.job[i].start_s, s.job[i].finish_s
    return True, now, peak
