"""The exact mode: every phase of every job is an event, and rates are fair whenever the set of sending flows changes.

A job computes, then sends all its flows, then begins again; its iteration ends with the last of its flows. Between two
events every flow has a constant rate, which depends on the set of sending flows only and is remembered by that set.
At one instant, flows end first, then jobs begin to send, and then rates are set once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.modulo import product64, sum64
from rarlib.fabric.rates import Filling, FlowTable, fill_links, memory
from rarlib.model.jit import hot_kernel

_WORD = 64
_MOST_KNOWN = 2**21
"""Rates that are remembered, over all sets."""
_FACTOR, _STEP = np.uint64(6364136223846793005), np.uint64(1442695040888963407)


class Phases(NamedTuple):
    """What jobs do besides sending, shape (jobs,) each.

    Attributes:
        compute_s: seconds of computing in an iteration.
        start_s: when the job appears.
        iterations: how many iterations count.
        noise: computing takes compute_s (1 + noise u), u uniform in [-1, 1), drawn anew each time.
        seed: state of the job's draws, a linear congruential generator (Knuth's MMIX constants).
        first_end: where the ends of a job's iterations begin, shape (jobs + 1,).
        leave: whether a job is gone after its iterations; otherwise all go on until the last one has done its own.
    """

    compute_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    iterations: NDArray[np.int64]
    noise: NDArray[np.float64]
    seed: NDArray[np.uint64]
    first_end: NDArray[np.int64]
    leave: bool


class _State(NamedTuple):
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


def _initial(table: FlowTable, phases: Phases) -> _State:
    jobs, flows = len(phases.start_s), len(table.size)
    words = max(1, -(-flows // _WORD))
    slots = min(2 ** min(flows, 16), 2 ** int(np.log2(_MOST_KNOWN / max(flows, 1))))
    return _State(
        ready=np.zeros(jobs),
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
    )


@hot_kernel
def _computing_s(phases: Phases, s: _State, job: int) -> float:
    """Seconds of the next computing phase."""
    if phases.noise[job] == 0.0:
        return phases.compute_s[job]
    s.draws[job] = sum64(product64(s.draws[job], _FACTOR), _STEP)
    u = (s.draws[job] >> np.uint64(11)) * 2.0**-53
    return phases.compute_s[job] * (1.0 + phases.noise[job] * (2.0 * u - 1.0))


@hot_kernel
def _slot(s: _State) -> int:
    """Where the rates of the present set may be remembered."""
    mixed = s.members[0]
    for word in range(1, len(s.members)):
        mixed = (mixed << np.uint64(7)) ^ (mixed >> np.uint64(57)) ^ s.members[word]
    mixed ^= mixed >> np.uint64(14)
    mixed ^= mixed >> np.uint64(28)
    return int(mixed & np.uint64(len(s.keys) - 1))


@hot_kernel
def _set_rates(table: FlowTable, s: _State, many: int) -> None:
    """Rates of the present set: remembered ones, or new ones, which take the place of another set's."""
    slot = _slot(s)
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
def _flip(s: _State, flow: int) -> None:
    s.members[flow // _WORD] ^= np.uint64(1) << np.uint64(flow % _WORD)


@hot_kernel
def _next_event(s: _State, many: int, now: float) -> float:
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
def _send(table: FlowTable, s: _State, many: int, now: float, then: float) -> tuple[int, int]:
    """Send until the next event: flows still active, and jobs whose exchange ended (in `ended`)."""
    kept, ended = 0, 0
    for at in range(many):
        flow = s.active[at]
        if s.finish[at] > then:
            s.left[flow] -= s.rate[flow] * (then - now)
            s.active[kept] = flow
            kept += 1
            continue
        _flip(s, flow)
        job = table.owner[flow]
        s.sending[job] -= 1
        if s.sending[job] == 0:
            s.ended[ended] = job
            ended += 1
    return kept, ended


@hot_kernel
def _end_iteration(phases: Phases, s: _State, job: int, now: float, ends: NDArray[np.float64]) -> int:
    """Begin the next iteration; 1 if this one was the last that counts."""
    last = 0
    if s.done[job] < phases.iterations[job]:
        ends[phases.first_end[job] + s.done[job]] = now
        last = int(s.done[job] + 1 == phases.iterations[job])
    s.done[job] += 1
    s.ready[job] = np.inf if last == 1 and phases.leave else now + _computing_s(phases, s, job)
    return last


@hot_kernel
def _start_sending(table: FlowTable, s: _State, job: int, many: int) -> int:
    """Put all flows of a job among the active ones; returns how many there are."""
    s.ready[job] = np.inf
    for flow in range(s.flow[job], s.flow[job + 1]):
        s.left[flow] = table.size[flow]
        s.active[many] = flow
        many += 1
        _flip(s, flow)
    s.sending[job] = s.flow[job + 1] - s.flow[job]
    return many


@hot_kernel
def _run(table: FlowTable, phases: Phases, s: _State, most: int, ends: NDArray[np.float64]) -> tuple[int, bool]:
    """Run all events; returns their number, and whether all jobs did their iterations."""
    now, many, events, unfinished = 0.0, 0, 0, len(s.ready)
    for job in range(len(s.ready)):
        s.ready[job] = phases.start_s[job] + _computing_s(phases, s, job)
    while unfinished > 0 and events < most:
        then = _next_event(s, many, now)
        if then == np.inf:
            break
        before = many
        many, ended = _send(table, s, many, now, then)
        changed = many < before
        now = then
        events += ended
        for job in range(len(s.ready)):
            if s.ready[job] <= now:
                events += 1
                before = many
                many = _start_sending(table, s, job, many)
                changed = True
                if many == before:  # a job that never sends
                    unfinished -= _end_iteration(phases, s, job, now, ends)
        for at in range(ended):
            unfinished -= _end_iteration(phases, s, s.ended[at], now, ends)
        if changed and many > 0:
            _set_rates(table, s, many)
    return events, unfinished == 0


def run_phases(table: FlowTable, phases: Phases, most: int) -> PhaseRun:
    """Run jobs over a fabric until each has done its iterations.

    Args:
        table: flows of all jobs.
        phases: the jobs.
        most: events after which the run is given up; a job that others keep waiting for ever never ends.
    """
    ends = np.full(phases.first_end[-1], np.nan)
    events, whole = _run(table, phases, _initial(table, phases), most, ends)
    return PhaseRun(ends, events, whole)
