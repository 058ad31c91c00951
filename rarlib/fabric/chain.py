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


class ChainSpace(NamedTuple):
    """Jobs of a chain, its links, and the memory that it is solved in; n = `CHAIN_JOBS`.

    Attributes:
        compute_s: seconds of computing, shape (n,).
        size: bytes of an exchange, shape (n,).
        times: what each job takes of each link, shape (links, n).
        capacity: bytes/s of each link by number of the chain's jobs that send over it, shape (links, n + 1).
        speed: transitions per second of each job in each set, shape (2^n, n).
        chance: probability of each set, shape (2^n,).
        total: transitions per second of each set, shape (2^n,).
        left: capacity that is left of each link, shape (links,).
    """

    compute_s: NDArray[np.float64]
    size: NDArray[np.float64]
    times: NDArray[np.float64]
    capacity: NDArray[np.float64]
    speed: NDArray[np.float64]
    chance: NDArray[np.float64]
    total: NDArray[np.float64]
    left: NDArray[np.float64]


def chain_space(links: int) -> ChainSpace:
    """Memory for chains over at most that many links."""
    n, sets = CHAIN_JOBS, 2**CHAIN_JOBS
    return ChainSpace(
        compute_s=np.zeros(n),
        size=np.zeros(n),
        times=np.zeros((links, n)),
        capacity=np.zeros((links, n + 1)),
        speed=np.zeros((sets, n)),
        chance=np.zeros(sets),
        total=np.zeros(sets),
        left=np.zeros(links),
    )


@hot_kernel
def _open(space: ChainSpace, links: int, jobs: int, sending: int) -> None:
    """Capacities of all links, with these jobs sending."""
    for link in range(links):
        q = 0
        for job in range(jobs):
            if (sending >> job) & 1 and space.times[link, job] > 0.0:
                q += 1
        space.left[link] = space.capacity[link, q]


@hot_kernel
def _fair(space: ChainSpace, links: int, jobs: int, sending: int) -> None:
    """Max-min fair rates of a set of jobs, bytes/s, into `speed`."""
    _open(space, links, jobs, sending)
    growing = sending
    while growing > 0:
        tightest, share = -1, np.inf
        for link in range(links):
            weight = 0.0
            for job in range(jobs):
                if (growing >> job) & 1:
                    weight += space.times[link, job]
            if weight > 0.0 and space.left[link] < share * weight:
                tightest, share = link, space.left[link] / weight
        for job in range(jobs):
            if (growing >> job) & 1 and space.times[tightest, job] > 0.0:
                space.speed[sending, job] = share
                growing ^= 1 << job
                for link in range(links):
                    space.left[link] = max(0.0, space.left[link] - space.times[link, job] * share)


@hot_kernel
def _set_speeds(space: ChainSpace, links: int, jobs: int) -> None:
    """Transitions per second of every set, and a first guess of its probability."""
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
def _balance(space: ChainSpace, jobs: int) -> None:
    """Probability of every set, by Gauss-Seidel sweeps over the balance of its transitions."""
    sets = 1 << jobs
    for _ in range(_SWEEPS):
        change, whole = 0.0, 0.0
        for sending in range(sets):
            into = 0.0
            for job in range(jobs):
                before = sending ^ (1 << job)
                into += space.chance[before] * space.speed[before, job]
            now = into / space.total[sending]
            change += abs(now - space.chance[sending])
            whole += now
            space.chance[sending] = now
        for sending in range(sets):
            space.chance[sending] /= whole
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
