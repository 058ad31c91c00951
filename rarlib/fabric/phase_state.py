"""State of the exact mode: what jobs and flows do now, and rates of the sets of flows that have sent before."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.rates import Filling, FlowTable, fill_links, memory
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
