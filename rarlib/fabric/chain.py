"""Markov chain over the sets of some jobs that send: the mean sending time of the first of them.

In every set, the rates are the max-min fair ones. Means depend little on how computing times and sizes are distributed
(on a single link not at all), so both are taken as exponential, and the set that sends becomes a Markov chain.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

CHAIN_JOBS = 6
_SWEEPS, _CLOSE = 1_000, 1e-9

_FASTEST = 1e300
"""Faster than any job, bytes/s, and no infinity, which times 0 would be no number."""


class ChainSpace(NamedTuple):
    """Jobs of a chain, its links, and the memory that it is solved in; n = `CHAIN_JOBS`."""

    compute_s: NDArray[np.float64]  # seconds of computing, shape (n,)
    size: NDArray[np.float64]  # bytes of an exchange, shape (n,)
    times: NDArray[np.float64]  # what each job takes of each link, shape (links, n)
    using: NDArray[np.int64]  # jobs that take something of each link, one bit each, shape (links,)
    # bytes/s of each link by number of the chain's jobs that send over it, shape (links, n + 1)
    capacity: NDArray[np.float64]
    speed: NDArray[np.float64]  # transitions per second of each job in each set, shape (2^n, n)
    chance: NDArray[np.float64]  # probability of each set, shape (2^n,)
    total: NDArray[np.float64]  # transitions per second of each set, shape (2^n,)
    left: NDArray[np.float64]  # capacity that is left of each link, shape (links,)
    by_job: NDArray[np.float64]  # `times` by job, shape (n, links)
    taken: NDArray[np.float64]  # what each set of jobs takes of each link, shape (2^n, links)
    users: NDArray[np.int64]  # how many jobs of each set use each link, shape (2^n, links)
    # transitions per second into each set by which job changes, 0 behind the last job, shape (2^n, n)
    inflow: NDArray[np.float64]


def chain_space(links: int) -> ChainSpace:
    """Memory for chains over at most that many links."""
    n, sets = CHAIN_JOBS, 2**CHAIN_JOBS
    return ChainSpace(
        compute_s=np.zeros(n),
        size=np.zeros(n),
        times=np.zeros((links, n)),
        using=np.zeros(links, np.int64),
        capacity=np.zeros((links, n + 1)),
        speed=np.zeros((sets, n)),
        chance=np.zeros(sets),
        total=np.zeros(sets),
        left=np.zeros(links),
        by_job=np.zeros((n, links)),
        taken=np.zeros((sets, links)),
        users=np.zeros((sets, links), np.int64),
        inflow=np.zeros((sets, n)),
    )


@hot_kernel
def _sum_sets(space: ChainSpace, links: int, jobs: int) -> None:
    """What every set of jobs takes of every link, and how many of them use it."""
    for link in range(links):
        space.taken[0, link] = 0.0
        space.users[0, link] = 0
    for job in range(jobs):
        for link in range(links):
            space.by_job[job, link] = space.times[link, job]
        for fewer in range(1 << job):
            for link in range(links):
                more = space.by_job[job, link]
                space.taken[fewer | 1 << job, link] = space.taken[fewer, link] + more
                space.users[fewer | 1 << job, link] = space.users[fewer, link] + (more > 0.0)


@hot_kernel
def _tightest(space: ChainSpace, links: int, growing: int) -> tuple[int, float]:
    """The link that growing jobs fill first, and what each of them gets."""
    tightest, share = -1, _FASTEST
    for link in range(links):
        if space.left[link] < share * space.taken[growing, link]:
            tightest, share = link, space.left[link] / space.taken[growing, link]
    return tightest, share


@hot_kernel
def _fair(space: ChainSpace, links: int, jobs: int, sending: int) -> None:
    """Max-min fair rates of a set of jobs, bytes/s, into `speed`."""
    for link in range(links):
        space.left[link] = space.capacity[link, space.users[sending, link]]
    growing = sending
    while growing > 0:
        tightest, share = _tightest(space, links, growing)
        stopped = growing & space.using[tightest]
        growing ^= stopped
        for job in range(jobs):
            if (stopped >> job) & 1:
                space.speed[sending, job] = share
                for link in range(links if growing > 0 else 0):
                    space.left[link] = max(0.0, space.left[link] - space.by_job[job, link] * share)


@hot_kernel
def _set_speeds(space: ChainSpace, links: int, jobs: int) -> None:
    """Transitions per second of every set, and a first guess of its probability."""
    _sum_sets(space, links, jobs)
    for sending in range(1 << jobs):
        _fair(space, links, jobs, sending)
        space.total[sending] = 0.0
        space.chance[sending] = 1.0
        for job in range(jobs):
            if (sending >> job) & 1:
                space.speed[sending, job] /= space.size[job]
                space.chance[sending] /= space.speed[1 << job, job]
            else:
                space.speed[sending, job] = 1.0 / space.compute_s[job]
                space.chance[sending] *= space.compute_s[job]
            space.total[sending] += space.speed[sending, job]


@hot_kernel
def _turn_inwards(space: ChainSpace, jobs: int) -> None:
    """Speeds by the set that a transition leads to."""
    for sending in range(1 << jobs):
        for job in range(jobs):
            space.inflow[sending, job] = space.speed[sending ^ (1 << job), job]
        for job in range(jobs, CHAIN_JOBS):
            space.inflow[sending, job] = 0.0


@hot_kernel
def _balance(space: ChainSpace, jobs: int) -> None:
    """Probability of every set, by Gauss-Seidel sweeps over the balance of its transitions."""
    sets, chance = 1 << jobs, space.chance
    _turn_inwards(space, jobs)
    for _ in range(_SWEEPS):
        change, whole = 0.0, 0.0
        for sending in range(sets):
            into = 0.0
            for job in range(CHAIN_JOBS):  # a constant number: the compiler leaves no loop
                into += chance[sending ^ (1 << job)] * space.inflow[sending, job]
            now = into / space.total[sending]
            change += abs(now - chance[sending])
            whole += now
            chance[sending] = now
        for sending in range(sets):
            chance[sending] /= whole
        if change < _CLOSE * whole:
            return


@hot_kernel
def mean_sending_s(space: ChainSpace, links: int, jobs: int) -> float:
    """Mean seconds of an exchange of the first job: the time it sends, by how often it ends."""
    _set_speeds(space, links, jobs)
    _balance(space, jobs)
    time, ends = 0.0, 0.0
    for sending in range(1, 1 << jobs, 2):
        time += space.chance[sending]
        ends += space.chance[sending] * space.speed[sending, 0]
    return time / ends
