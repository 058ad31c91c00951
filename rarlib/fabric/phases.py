"""The exact mode: every phase of every job is an event, and rates are fair whenever the set of sending flows changes.

A job computes, then sends all its flows, then begins again; its iteration ends with the last of its flows. Between two
events every flow has a constant rate, which depends on the set of sending flows only and is remembered by that set.
At one instant, flows end first, then jobs begin to send, and then rates are set once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.rates import Filling, FlowTable, fill_links, memory
from rarlib.fabric.routing import product64, sum64
from rarlib.model.jit import hot_kernel

_WORD = 64
_MOST_KNOWN = 2**21
"""Rates that are remembered, over all sets."""


class Phases(NamedTuple):
    """What jobs do besides sending, shape (jobs,) each."""

    compute_s: NDArray[np.float64]  # seconds of computing in an iteration
    start_s: NDArray[np.float64]  # when the job appears
    iterations: NDArray[np.int64]  # how many iterations count
    noise: NDArray[np.float64]  # computing takes compute_s (1 + noise u), u uniform in [-1, 1), drawn anew each time
    seed: NDArray[np.uint64]  # state of the job's draws, a linear congruential generator (Knuth's MMIX constants)
    first_end: NDArray[np.int64]  # where the ends of a job's iterations begin, shape (jobs + 1,)
    leave: bool  # whether a job is gone after its iterations; otherwise all go on until the last one has done its own


class PhaseState(NamedTuple):
    """State of a run: per job, per flow, and the rates remembered by set."""

    ready: NDArray[np.float64]  # end of computing; inf: sending or gone
    sending: NDArray[np.int64]  # flows of the job that are not done
    done: NDArray[np.int64]  # iterations
    draws: NDArray[np.uint64]
    flow: NDArray[np.int64]  # first flow of each job, shape (jobs + 1,)
    active: NDArray[np.int64]  # flows that send, ascending only by chance
    left: NDArray[np.float64]  # bytes of each flow
    finish: NDArray[np.float64]  # when each active flow ends if no rate changes, by place in `active`
    rate: NDArray[np.float64]
    members: NDArray[np.uint64]  # the set of sending flows, one bit each
    keys: NDArray[np.uint64]  # sets whose rates are remembered, shape (slots, words)
    known: NDArray[np.float64]  # their rates, shape (slots, flows)
    filling: Filling
    ended: NDArray[np.int64]  # jobs whose exchange ended in this event
    tally: NDArray[np.int64]  # flows that send, jobs that have not done their iterations, events, shape (3,)


def new_phases(table: FlowTable, phases: Phases) -> PhaseState:
    """State before any job computes."""
    jobs, flows = len(phases.start_s), len(table.size)
    words = max(1, -(-flows // _WORD))
    slots = min(2 ** min(flows, 16), 2 ** int(np.log2(_MOST_KNOWN / max(flows, 1))))
    return PhaseState(
        ready=np.full(jobs, np.inf),
        sending=np.zeros(jobs, np.int64),
        done=np.zeros(jobs, np.int64),
        draws=phases.seed.copy(),
        flow=np.searchsorted(table.owner, np.arange(jobs + 1)),
        active=np.zeros(flows, np.int64),
        left=np.zeros(flows),
        finish=np.zeros(flows),
        rate=np.zeros(flows),
        members=np.zeros(words, np.uint64),
        keys=np.zeros((slots, words), np.uint64),  # the empty set has no rates, so a slot of zeros is free
        known=np.zeros((slots, flows)),
        filling=memory(table),
        ended=np.zeros(jobs, np.int64),
        tally=np.array([0, jobs, 0], np.int64),
    )


@hot_kernel
def _slot(s: PhaseState) -> int:
    """Where the rates of the present set may be remembered."""
    mixed = s.members[0]
    for word in range(1, len(s.members)):
        mixed = (mixed << np.uint64(7)) ^ (mixed >> np.uint64(57)) ^ s.members[word]
    mixed ^= mixed >> np.uint64(14)
    mixed ^= mixed >> np.uint64(28)
    return int(mixed & np.uint64(len(s.keys) - 1))


@hot_kernel
def set_rates(table: FlowTable, s: PhaseState) -> None:
    """Rates of the present set: remembered ones, or new ones, which take the place of another set's."""
    slot, many = _slot(s), s.tally[0]
    same = True
    for word in range(len(s.members)):
        same = same and s.keys[slot, word] == s.members[word]
    if not same:
        fill_links(table, s.active, many, s.filling, s.rate)
        for word in range(len(s.members)):
            s.keys[slot, word] = s.members[word]
        for at in range(many):
            s.known[slot, s.active[at]] = s.rate[s.active[at]]
        return
    for at in range(many):
        s.rate[s.active[at]] = s.known[slot, s.active[at]]


@hot_kernel
def flip(s: PhaseState, flow: int) -> None:
    """Put a flow into the set of flows that send, or take it out."""
    s.members[flow // _WORD] ^= np.uint64(1) << np.uint64(flow % _WORD)


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
