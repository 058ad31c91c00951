"""Fig. 4 of GADGET in a tenth of the time: all GPUs in one pool, links and servers' shapes ignored.

Links of 10 Gbit/s and more hardly ever bind rings that reserve 5 at most, and rings of up to ten workers may span
servers, so that the number of free GPUs decides nearly alone. A test compares the totals with full runs. For the search
over unstated parameters only (`inference`); no figure or verdict uses it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifact.papers.gadget.instance import SLOTS, SOLVER_SEES, Instance
from rarlib.cost.utilities import Sigmoid
from rarlib.model.jit import kernel


class _Table(NamedTuple):
    """Jobs as the kernels read them.

    Attributes:
        shape: lambda1, lambda2 and lambda3, shape (3, jobs).
        zeta: iterations per worker and slot.
        wanted: workers of a gang, or the most that an elastic job may have.
        limit: worker-slots over the horizon.
        arrival: first slot.
        done: worker-slots so far; changed.
        embedded: sum over slots of the share of active jobs with workers, and slots with active jobs; changed.
    """

    shape: NDArray[np.float64]
    zeta: NDArray[np.float64]
    wanted: NDArray[np.int64]
    limit: NDArray[np.float64]
    arrival: NDArray[np.int64]
    done: NDArray[np.float64]
    embedded: NDArray[np.float64]


def pooled_utility(case: Instance, policy: str, *, exact: bool = True, holds: bool = False) -> tuple[float, float]:
    """Total utility of a policy, and the mean share of the active jobs that have workers.

    `exact`: whether gains count that a solver in floating-point numbers does not see; `holds`: whether DRF and LAS
    never take workers back.
    """
    jobs = case.jobs if policy in ("gadget", "drf") else case.gangs
    utility = jobs.utility
    assert isinstance(utility, Sigmoid)
    parts = (utility.scale, utility.slope, utility.middle)
    shape = np.stack([np.broadcast_to(x, len(jobs)).astype(np.float64) for x in parts])
    limit, done, embedded = np.minimum(jobs.limit, 1e9), np.zeros(len(jobs)), np.zeros(2)
    table = _Table(shape, jobs.efficiency, jobs.largest, limit, case.arrival, done, embedded)
    gpus = int(case.network.capacity[:, 0].sum())
    if policy == "gadget":
        _gadget(table, gpus, exact, SLOTS)
    elif policy == "drf":
        _shares(table, gpus, holds, SLOTS)
    else:
        _gangs(table, gpus, policy == "fifo", holds, SLOTS)
    return float(jobs.value(np.minimum(done, limit)).sum()), float(embedded[0] / max(embedded[1], 1.0))


@kernel
def _gadget(jobs: _Table, gpus: int, exact: bool, slots: int) -> None:
    """Alg. 1 with the sizes that the relaxation would choose, largest gain per worker first."""
    shape, zeta, wanted, limit, arrival, done, embedded = jobs
    n = len(done)
    rank, size = np.zeros(n), np.zeros(n, np.int64)
    for slot in range(slots):
        active, served, free = 0, 0, gpus
        for i in range(n):
            rank[i] = -np.inf
            if arrival[i] > slot or done[i] >= limit[i]:
                continue
            active += 1
            most = min(wanted[i], int(limit[i] - done[i] + 1e-9))
            low = shape[1, i] * (zeta[i] * done[i] - shape[2, i])
            before, best = shape[0, i] / (1.0 + np.exp(-low)), 0.0
            size[i] = max(most, 1)
            for k in range(1, most + 1):
                gain = shape[0, i] / (1.0 + np.exp(-low - shape[1, i] * zeta[i] * k)) - before
                if gain > best + 1e-9:
                    best, size[i] = gain, k
            if best >= SOLVER_SEES:
                rank[i] = 1e6 + best / size[i]
            elif exact:
                size[i] = max(most, 1)
                high = low + shape[1, i] * zeta[i] * size[i]
                rank[i] = np.log(shape[0, i]) + high - max(high, 0.0) - max(low, 0.0)
        for i in np.argsort(-rank):
            if free == 0 or rank[i] == -np.inf:
                break
            had = min(size[i], free)
            done[i] += had
            free -= had
            served += 1
        if active:
            embedded[0] += served / active
            embedded[1] += 1.0


@kernel
def _gangs(jobs: _Table, gpus: int, fifo: bool, holds: bool, slots: int) -> None:
    """FIFO (in order, never taking back, waiting behind a gang that does not fit) and LAS (least served first)."""
    wanted, limit, arrival, done = jobs.wanted, jobs.limit, jobs.arrival, jobs.done
    n = len(done)
    runs, rank = np.zeros(n, np.bool_), np.zeros(n)
    for slot in range(slots):
        free = gpus
        for i in range(n):
            runs[i] = runs[i] and (fifo or holds) and done[i] < limit[i]
            if runs[i]:
                free -= wanted[i]
            rank[i] = i if fifo else done[i] * n + i
        for i in np.argsort(rank):
            if runs[i] or arrival[i] > slot or done[i] >= limit[i]:
                continue
            if wanted[i] <= free:
                runs[i] = True
                free -= wanted[i]
            elif fifo:
                break
        _count(jobs, runs, wanted, slot)


@kernel
def _count(jobs: _Table, runs: NDArray[np.bool_], wanted: NDArray[np.int64], slot: int) -> None:
    limit, arrival, done, embedded = jobs.limit, jobs.arrival, jobs.done, jobs.embedded
    active, served = 0, 0
    for i in range(len(done)):
        if arrival[i] <= slot and done[i] < limit[i]:
            active += 1
            served += runs[i]
            done[i] += wanted[i] * runs[i]
    if active:
        embedded[0] += served / active
        embedded[1] += 1.0


@kernel
def _shares(jobs: _Table, gpus: int, holds: bool, slots: int) -> None:
    """DRF with GPUs as the only resource: one worker at a time to the job with the fewest."""
    wanted, limit, arrival, done = jobs.wanted, jobs.limit, jobs.arrival, jobs.done
    n = len(done)
    has = np.zeros(n, np.int64)
    for slot in range(slots):
        free = gpus
        for i in range(n):
            here = arrival[i] <= slot and done[i] < limit[i]
            has[i] = has[i] if holds and here else 0
            free -= has[i]
        for level in range(1, 11):
            for i in range(n):
                here = arrival[i] <= slot and done[i] < limit[i]
                if here and free > 0 and has[i] < level <= min(wanted[i], limit[i] - done[i] + 1.0):
                    has[i] += 1
                    free -= 1
        _count(jobs, has > 0, has, slot)
