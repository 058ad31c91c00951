"""The next event: at one instant finishes come first, then level crossings, then arrivals."""

import numpy as np

from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices, slot_end
from rarlib.simulator import progress
from rarlib.simulator.state import RUNNING, WAITING, State

NO_PASS, PASS, EXPIRY, OVER = range(4)
"""What the driver must do after an instant: nothing; a scheduling pass; renew a job's row of prices; end the run,
because no event is left."""


@hot_kernel
def next_event(s: State) -> float:
    """Time of the next event of a job, one that runs or arrives; inf if there is none."""
    time = np.inf
    if s.run[0].heap > 0:
        time = min(time, s.job[s.heap[0]].due)
    if s.run[0].arrived < len(s.job):
        time = min(time, s.job[s.run[0].arrived].submit_s)
    return time


@hot_kernel
def next_time(s: State) -> float:
    """Time of the next event or pass; inf if there is none."""
    return min(s.run[0].pass_due, next_event(s))


@hot_kernel
def pass_boundary(s: State, time: float) -> float:
    """Earliest time, not before `time`, at which a scheduling pass may take place."""
    return slot_end(time, s.run[0].quantum, s.run[0].origin_s)


@hot_kernel
def _advance(s: State, time: float) -> None:
    span = time - s.run[0].now
    s.run[0].area_system += span * (s.run[0].arrived - s.run[0].finished)
    s.run[0].area_waiting += span * s.run[0].waiting
    s.run[0].area_busy += span * s.run[0].busy
    s.run[0].now = time


@hot_kernel
def open_instant(s: State, prices: Prices) -> int:
    """Move to the next event time and process its finishes, level crossings and arrivals.

    Returns:
        `PASS` when a scheduling pass is due now. `EXPIRY` when the prices of job `s.run[0].expired` have expired: write
        its new row, call `progress.reprice`, then call this function again, since the instant is not over. `OVER` when
        no event is left before the end of the run.
    """
    now = next_time(s)
    if now >= s.run[0].until_s:
        return OVER
    _advance(s, now)
    changed = False
    while s.run[0].heap > 0 and s.job[s.heap[0]].due <= now:
        job = s.heap[0]
        if s.job[job].finish_due <= now:
            progress.finish_job(s, prices, job, now)
        elif s.job[job].expiry_due <= now:
            progress.expire(s, prices, job, now)
            if changed:
                s.run[0].pass_due = min(s.run[0].pass_due, pass_boundary(s, now))
            return EXPIRY
        else:
            progress.settle(s, prices, job, now)
            s.job[job].level += 1
            progress.plan_event(s, prices, job)
        s.run[0].events += 1
        changed = True
    while s.run[0].arrived < len(s.job) and s.job[s.run[0].arrived].submit_s <= now:
        job = s.run[0].arrived
        s.job[job].phase = WAITING
        s.job[job].settled = s.job[job].submit_s
        s.run[0].arrived += 1
        s.run[0].waiting += 1
        s.run[0].events += 1
        changed = True
    if changed:
        s.run[0].pass_due = min(s.run[0].pass_due, pass_boundary(s, now))
    if s.run[0].pass_due > now:
        return NO_PASS
    s.run[0].pass_due = np.inf
    s.run[0].passes += 1
    return PASS


@hot_kernel
def cut(s: State, prices: Prices) -> None:
    """End a run at its `until_s`: time is accounted for up to then, and jobs due at exactly that time finish."""
    _advance(s, s.run[0].until_s)
    now = s.run[0].now
    for job in range(s.run[0].arrived):
        if s.job[job].phase == RUNNING:
            if s.job[job].finish_due <= now:
                progress.finish_job(s, prices, job, now)
            else:
                progress.stop(s, prices, job, now)
        elif s.job[job].phase == WAITING:
            s.job[job].queue_s += now - s.job[job].settled
            s.job[job].settled = now
