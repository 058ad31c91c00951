"""The exact mode: every phase of every job is an event, and rates are fair whenever the set of sending flows changes.

A job computes, then sends all its flows, then begins again; its iteration ends with the last of its flows. Between two
events every flow has a constant rate, which depends on the set of sending flows only and is remembered by that set.
At one instant, flows end first, then jobs begin to send, and then rates are set once.

A run may be interrupted at any time and resumed; a job may have a goal, in seconds of its own computing and sending
alone, at which the run stops.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.modulo import product64, sum64
from rarlib.fabric.phase_state import Phases, PhaseState, flip, new_phases, set_rates
from rarlib.fabric.rates import FlowTable
from rarlib.model.jit import hot_kernel

_FACTOR, _STEP = np.uint64(6364136223846793005), np.uint64(1442695040888963407)

HORIZON, GOAL, ALL_DONE, GIVEN_UP = range(4)
"""Why a run stops: at its horizon; a job has reached its goal; all jobs did their iterations; too many events."""


class PhaseRun(NamedTuple):
    """Record of a run of the exact mode.

    Attributes:
        ends: when iterations end, those of a job one after the other, shape (sum of iterations,); nan: never.
        events: ends of computing and of sending, of all jobs.
        whole: whether all jobs did their iterations before `most` events.
    """

    ends: NDArray[np.float64]
    events: int
    whole: bool


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
    """Begin to compute; the phase ends early if the job reaches its goal."""
    whole_s = _computing_s(phases, s, job)
    s.length[job] = min(whole_s, s.goal[job])
    s.beyond[job] = whole_s - s.length[job]
    s.ready[job] = now + s.length[job]


@hot_kernel
def _end_iteration(phases: Phases, s: PhaseState, job: int, now: float, ends: NDArray[np.float64]) -> int:
    """Begin the next iteration; 1 if this one was the last that counts."""
    last = 0
    if s.done[job] < phases.iterations[job]:
        if len(ends) > 0:
            ends[phases.first_end[job] + s.done[job]] = now
        last = int(s.done[job] + 1 == phases.iterations[job])
    s.done[job] += 1
    s.ready[job] = np.inf
    if not (last == 1 and phases.leave):
        _compute(phases, s, job, now)
    return last


@hot_kernel
def start_sending(table: FlowTable, phases: Phases, s: PhaseState, job: int, share: float) -> None:
    """Put all flows of a job among the active ones.

    Args:
        table: flows of all jobs.
        phases: the jobs.
        s: updated; rates are to be set.
        job: the job.
        share: of its exchange that is left; less is sent if the job reaches its goal before.
    """
    s.ready[job] = np.inf
    whole_s = share * phases.send_s[job]
    s.length[job] = min(whole_s, s.goal[job])
    s.beyond[job] = whole_s - s.length[job]
    if s.beyond[job] > 0.0:
        share = s.length[job] / phases.send_s[job]
    many = s.tally[0]
    for flow in range(s.flow[job], s.flow[job + 1]):
        s.left[flow] = table.size[flow] * share
        s.active[many] = flow
        many += 1
        flip(s, flow)
    s.sending[job] = many - s.tally[0]
    s.tally[0] = many


@hot_kernel
def _start_all(table: FlowTable, phases: Phases, s: PhaseState, now: float, ends: NDArray[np.float64]) -> bool:
    """Begin the exchanges of jobs that have computed; whether a job has reached its goal."""
    reached = False
    for job in range(len(s.ready)):
        if s.ready[job] <= now:
            s.tally[2] += 1
            s.goal[job] -= s.length[job]
            if s.goal[job] == 0.0:
                reached = True
                continue
            before = s.tally[0]
            start_sending(table, phases, s, job, 1.0)
            if s.tally[0] == before:  # a job that never sends
                s.tally[1] -= _end_iteration(phases, s, job, now, ends)
    return reached


@hot_kernel
def advance(
    table: FlowTable,
    phases: Phases,
    s: PhaseState,
    now: float,
    horizon: float,
    most: int,
    ends: NDArray[np.float64],
) -> tuple[float, int]:
    """Run events until the horizon, a goal, the last iteration that counts, or too many events.

    Args:
        table: flows of all jobs.
        phases: the jobs.
        s: the state now; updated. The rates of the set that sends must be known (`set_rates`).
        now: the time.
        horizon: when to stop at the latest, s; inf: never.
        most: events of the state at which the run is given up.
        ends: receives the ends of iterations; shape (0,) to forget them.

    Returns:
        The time, and why the run stops.
    """
    while s.tally[1] > 0:
        if s.tally[2] >= most:
            return now, GIVEN_UP
        before = s.tally[0]
        then = _next_event(s, before, now)
        if then > horizon or then == np.inf:
            if horizon < np.inf:
                for at in range(before):
                    s.left[s.active[at]] -= s.rate[s.active[at]] * (horizon - now)
                now = horizon
            return now, HORIZON
        s.tally[0], ended = _send(table, s, before, now, then)
        changed = s.tally[0] < before
        now = then
        s.tally[2] += ended
        sent = s.tally[0]
        reached = _start_all(table, phases, s, now, ends)
        changed = changed or s.tally[0] > sent
        for at in range(ended):
            job = s.ended[at]
            s.goal[job] -= s.length[job]
            if s.goal[job] == 0.0:
                reached = True
            else:
                s.tally[1] -= _end_iteration(phases, s, job, now, ends)
        if changed and s.tally[0] > 0:
            set_rates(table, s)
        if reached:
            return now, GOAL
    return now, ALL_DONE


@hot_kernel
def _appear(phases: Phases, s: PhaseState) -> None:
    """Let all jobs begin to compute when they appear."""
    for job in range(len(s.ready)):
        _compute(phases, s, job, phases.start_s[job])


def run_phases(table: FlowTable, phases: Phases, most: int) -> PhaseRun:
    """Run jobs over a fabric until each has done its iterations.

    Args:
        table: flows of all jobs.
        phases: the jobs.
        most: events after which the run is given up; a job that others keep waiting for ever never ends.
    """
    ends = np.full(phases.first_end[-1], np.nan)
    state = new_phases(table, phases)
    _appear(phases, state)
    why = advance(table, phases, state, 0.0, np.inf, most, ends)[1]
    return PhaseRun(ends, int(state.tally[2]), why == ALL_DONE)
