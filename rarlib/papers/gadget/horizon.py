"""The slot loop (Alg. 1 of GADGET) for any policy; the allocation of every slot is checked."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.papers.gadget.instance import SLOTS, Instance
from rarlib.papers.gadget.policies import Policy


class Horizon(NamedTuple):
    """The result of a slot loop.

    Attributes:
        done: worker-slots of each job, shape (jobs,).
        utility: of each job at the end, shape (jobs,).
        embedded: fraction of active jobs that have workers, mean over slots with active jobs.
        used: fraction of GPUs in use, mean over all slots.
    """

    done: NDArray[np.float64]
    utility: NDArray[np.float64]
    embedded: float
    used: float


def run_horizon(case: Instance, jobs: SlotJobs, policy: Policy, slots: int = SLOTS) -> Horizon:
    """Run all slots.

    Args:
        case: arrivals and network.
        jobs: the jobs of the case as the policy sees them (`case.jobs` or `case.gangs`).
        policy: allocates workers in each slot.
        slots: number of slots, T.

    Raises:
        RuntimeError: the policy violates a constraint of the slot's problem.
    """
    done = np.zeros(len(jobs))  # Alg. 1, l. 1
    embedded, used = [], 0
    for slot in range(slots):
        active = jobs.active(case.arrival <= slot, done)  # l. 3
        if not len(active):
            continue
        problem = jobs.slot(case.network, active, done)
        workers = policy(problem, done[active])  # l. 4
        broken = problem.broken(workers)
        if broken:
            raise RuntimeError(f"slot {slot}: {broken}")
        given = workers.sum(axis=1)
        done[active] = np.minimum(done[active] + given, jobs.limit[active])  # l. 6
        embedded.append(np.count_nonzero(given) / len(active))
        used += int(given.sum())
    gpus = float(case.network.capacity[:, 0].sum())
    return Horizon(done, jobs.value(done), float(np.mean(embedded)), used / (gpus * slots))
