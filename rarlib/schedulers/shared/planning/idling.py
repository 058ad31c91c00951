"""A planning pass in which gangs take idle GPUs only, and the next gang in order waits for exits.

This reads "available" in Alg. 2, l. 2 and Alg. 3, l. 5 as "idle now", the only reading in which their wait lines mean
anything: U never falls, so waiting for an exit cannot make a GPU pass the limit, but it does make GPUs idle.
"""

import numpy as np

from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.prices import Prices
from rarlib.schedulers.shared.planning import choose, traffic
from rarlib.schedulers.shared.planning.batch import Batch, Reading
from rarlib.schedulers.shared.planning.board import Board, charge
from rarlib.schedulers.shared.planning.traffic import Traffic


@kernel
def _choose(b: Board, batch: Batch, r: Reading, i: int, now: float) -> bool:
    gang = batch.gang[i]
    room = r.theta - batch.estimate[i]
    if r.on_finish:
        room = np.inf if now + batch.plain[i] <= r.theta else -np.inf
    if gang <= r.kappa:  # Alg. 1, l. 10
        return choose.small(b, gang, room, r.small_rule)
    return choose.least_busy_servers(b, gang, room, r.widening)


@hot_kernel
def _highest(b: Board, batch: Batch, r: Reading, i: int, now: float) -> float:
    """Level at which the limit would just let the choice for gang `i` pass."""
    if r.on_finish:
        return now + batch.plain[i]
    level = 0.0
    for g in b.picks[: batch.gang[i]]:
        level = max(level, b.busy[g])
    return level + batch.estimate[i]


@kernel
def idle_pass(b: Board, t: Traffic, batch: Batch, prices: Prices, r: Reading) -> tuple[bool, float, float]:
    """Plan a whole batch, event by event, with the simulator's own prices.

    Returns:
        Whether every gang found GPUs and the makespan stays below the bound and within the horizon; makespan; highest
        level reached, which is the least limit with the same outcome.
    """
    now, peak = r.now, 0.0
    for i in range(batch.running[0]):
        traffic.begin(t, b, batch, prices, i, now)
        charge(b, batch.gpus[batch.at[i] : batch.at[i + 1]], batch.estimate[i])
    for i in range(batch.running[0], len(batch.row)):  # Alg. 1, l. 9
        spare = b.spare.sum()
        while spare < batch.gang[i] or not _choose(b, batch, r, i, now):
            now = traffic.next_finish(t, batch)  # Alg. 2, l. 8-9; Alg. 3, l. 11-12
            if now == np.inf or now >= r.bound or now > r.horizon:
                return False, now, peak
            traffic.end_all(t, b, batch, prices, now)
            spare = b.spare.sum()
        peak = max(peak, _highest(b, batch, r, i, now))
        batch.gpus[batch.at[i] : batch.at[i + 1]] = np.sort(b.picks[: batch.gang[i]])
        charge(b, batch.gpus[batch.at[i] : batch.at[i + 1]], batch.estimate[i])
        traffic.begin(t, b, batch, prices, i, now)
    while t.size[0] > 0:
        now = traffic.next_finish(t, batch)
        if now == np.inf or now >= r.bound or now > r.horizon:
            return False, now, peak
        traffic.end_all(t, b, batch, prices, now)
    return True, now, peak
