"""The exact mode: every phase of every job is an event, and rates are fair whenever the set of sending flows changes.

A job computes, then sends all its flows, then begins again; its iteration ends with the last of its flows. Between two
events every flow has a constant rate, which depends on the set of sending flows only and is remembered by that set.
At one instant, flows end first, then jobs begin to send, and then rates are set once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.phase_state import Phases, PhaseState, flip, new_phases, set_rates
from rarlib.fabric.rates import FlowTable
from rarlib.fabric.routing import product64, sum64
from rarlib.model.jit import hot_kernel

_FACTOR, _STEP = np.uint64(6364136223846793005), np.uint64(1442695040888963407)


class PhaseRun(NamedTuple):
    """Record of a run of the exact mode."""

    # when iterations end, those of a job one after the other, shape (sum of iterations,); nan: never
    ends: NDArray[np.float64]
    events: int  # ends of computing and of sending, of all jobs
    whole: bool  # whether all jobs did their iterations before `most` events


@hot_kernel
def _computing_s(phases: Phases, s: PhaseState, job: int) -> float:
    """Seconds of the next computing phase."""
    if phases.noise[job] == 0.0:
        return phases.compute_s[job]
    s.draws[job] = sum64(product64(s.draws[job], _FACTOR), _STEP)
    u = (s.draws[job] >> np.uint64(11)) * 2.0**-53
    return phases.compute_s[job] * (1.0 + phases.noise[job] * (2.0 * u - 1.0))


@hot_kernel
def _next_event(s: PhaseState, many: int, now: float) -> float:
    """Time of the next event; inf if nothing will ever happen."""
    then = np.inf
    for job in range(len(s.ready)):
        then = min(then, s.ready[job])
    for at in range(many):
        flow = s.active[at]
        s.finish[at] = np.inf
        if s.left[flow] <= 0.0:
            s.finish[at] = now
        elif s.rate[flow] > 0.0:
            s.finish[at] = now + s.left[flow] / s.rate[flow]
        then = min(then, s.finish[at])
    return then


@hot_kernel
def _send(table: FlowTable, s: PhaseState, many: int, now: float, then: float) -> tuple[int, int]:
    """Send until the next event: flows still active, and jobs whose exchange ended (in `ended`)."""
    kept, ended = 0, 0
    for at in range(many):
        flow = s.active[at]
        if s.finish[at] > then:
            s.left[flow] -= s.rate[flow] * (then - now)
            s.active[kept] = flow
            kept += 1
            continue
        flip(s, flow)
        job = table.owner[flow]
        s.sending[job] -= 1
        if s.sending[job] == 0:
            s.ended[ended] = job
            ended += 1
    return kept, ended


@hot_kernel
def _compute(phases: Phases, s: PhaseState, job: int, now: float) -> None:
    """Begin to compute."""
    s.ready[job] = now + _computing_s(phases, s, job)


@hot_kernel
def _end_iteration(phases: Phases, s: PhaseState, job: int, now: float, ends: NDArray[np.float64]) -> int:
    """Begin the next iteration; 1 if this one was the last that counts."""
    last = 0
    if s.done[job] < phases.iterations[job]:
        ends[phases.first_end[job] + s.done[job]] = now
        last = int(s.done[job] + 1 == phases.iterations[job])
    s.done[job] += 1
    s.ready[job] = np.inf
    if not (last == 1 and phases.leave):
        _compute(phases, s, job, now)
    return last


@hot_kernel
def _start_sending(table: FlowTable, s: PhaseState, job: int) -> None:
    """Put all flows of a job among the active ones; rates are to be set."""
    s.ready[job] = np.inf
    many = s.tally[0]
    for flow in range(s.flow[job], s.flow[job + 1]):
        s.left[flow] = table.size[flow]
        s.active[many] = flow
        many += 1
        flip(s, flow)
    s.sending[job] = many - s.tally[0]
    s.tally[0] = many


@hot_kernel
def _start_all(table: FlowTable, phases: Phases, s: PhaseState, now: float, ends: NDArray[np.float64]) -> None:
    """Begin the exchanges of jobs that have computed."""
    for job in range(len(s.ready)):
        if s.ready[job] <= now:
            s.tally[2] += 1
            before = s.tally[0]
            _start_sending(table, s, job)
            if s.tally[0] == before:  # a job that never sends
                s.tally[1] -= _end_iteration(phases, s, job, now, ends)


@hot_kernel
def _run(table: FlowTable, phases: Phases, s: PhaseState, most: int, ends: NDArray[np.float64]) -> None:
    """Run events from the begin, until all jobs did their iterations, nothing happens, or there are too many events."""
    for job in range(len(s.ready)):
        _compute(phases, s, job, phases.start_s[job])
    now = 0.0
    while s.tally[1] > 0 and s.tally[2] < most:
        before = s.tally[0]
        then = _next_event(s, before, now)
        if then == np.inf:
            return
        s.tally[0], ended = _send(table, s, before, now, then)
        changed = s.tally[0] < before
        now = then
        s.tally[2] += ended
        sent = s.tally[0]
        _start_all(table, phases, s, now, ends)
        changed = changed or s.tally[0] > sent
        for at in range(ended):
            s.tally[1] -= _end_iteration(phases, s, s.ended[at], now, ends)
        if changed and s.tally[0] > 0:
            set_rates(table, s)


def run_phases(table: FlowTable, phases: Phases, most: int) -> PhaseRun:
    """Run jobs until each has done its iterations, or for `most` events: a job may be kept waiting for ever."""
    ends = np.full(phases.first_end[-1], np.nan)
    state = new_phases(table, phases)
    _run(table, phases, state, most, ends)
    return PhaseRun(ends, int(state.tally[2]), bool(state.tally[1] == 0))
