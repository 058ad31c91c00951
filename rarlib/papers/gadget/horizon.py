"""The slot loop (Alg. 1 of GADGET) for any policy, every slot's allocation being checked."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.papers.gadget.instance import SLOTS, Instance
from rarlib.papers.gadget.policies import Policy


class Horizon(NamedTuple):
    """What became of the jobs.

    Attributes:
        done: worker-slots of each job, shape (jobs,).
        utility: of each job at the end, shape (jobs,).
        embedded: jobs with workers relative to active jobs, mean over slots with active jobs.
        used: GPUs in use relative to all, mean over all slots.
    """

    done: NDArray[np.float64]
    utility: NDArray[np.float64]
    embedded: float
    used: float


def run_horizon(case: Instance, jobs: SlotJobs, policy: Policy, slots: int = SLOTS) -> Horizon:
    """Play all slots.

    Args:
        case: arrivals and network.
        jobs: the jobs of the case as the policy is to see them (`case.jobs` or `case.gangs`).
        policy: who gets what.
        slots: T.

    Raises:
        RuntimeError: when the policy breaks a rule of the slot's problem.
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
