"""The slots of GADGET's evaluation on the simulator: one second is a slot, and results come from the record.

| paper | here | unit |
|---|---|---|
| t | seconds of the run, counted from the slot of the first arrival | slots |
| y_is[t] | allocations, whole seconds long | workers |
| z_i,T | GPU-seconds of a job, F_i at most | worker-slots |

Jobs may change their workers in every slot at no cost. No decisions are taken after slot T.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from artifact.papers.gadget.instance import SLOTS, Instance
from rarlib.cost.trace import ReservedCost
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler
from rarlib.model.tree_network import TreeNetwork
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run


class Allocating(Protocol):
    """What decides a slot from the numbers of the paper alone."""

    def allocate(self, network: TreeNetwork, active: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Workers of the active jobs, shape (active, servers), after `done` worker-slots of each."""
        ...


class Horizon(NamedTuple):
    """The results of a run over all slots.

    Attributes:
        done: worker-slots of each job, shape (jobs,).
        utility: utility of each job at the end, shape (jobs,).
        embedded: ratio of jobs with workers to active jobs, mean over slots with active jobs.
        used: fraction of the GPUs in use, mean over all slots.
        spanning: share of the rings that span servers, over all slots; NaN where it was not counted.
    """

    done: NDArray[np.float64]
    utility: NDArray[np.float64]
    embedded: float
    used: float
    spanning: float = np.nan


def run_horizon(case: Instance, jobs: SlotJobs, scheduler: Scheduler, slots: int = SLOTS) -> Horizon:
    """Run a scheduler over all slots.

    `case`: arrivals and network; `jobs`: the jobs of the case as the scheduler sees them (`case.jobs` or `case.gangs`);
    `scheduler`: the scheduler to run.
    """
    run = run_slots(case, jobs, scheduler, slots)
    done = np.minimum(run.gpu_seconds, jobs.limit)
    holding, present = shares(run, slots - int(run.jobs.origin_s))
    busy = present > 0
    used = float(run.gpu_seconds.sum()) / (float(case.network.capacity[:, 0].sum()) * slots)
    return Horizon(done, jobs.value(done), float(np.mean(holding[busy] / present[busy])), used)


def play_slots(case: Instance, policy: Allocating, slots: int = SLOTS) -> Horizon:
    """The same as `run_horizon` without the simulator: Alg. 1 as a loop, for figures that only GADGET is in.

    A slot takes a third of the time. Feasibility is not checked here; a test compares both ways run by run.
    """
    jobs, done, shares, used, rings = case.jobs, np.zeros(len(case.jobs)), [], 0, np.zeros(2)
    for slot in range(slots):
        active = jobs.active(case.arrival <= slot, done)
        if len(active):
            workers = policy.allocate(case.network, active, done[active])
            had, hosts = workers.sum(axis=1), (workers > 0).sum(axis=1)
            rings += np.count_nonzero(hosts > 1), np.count_nonzero(hosts)
            shares.append(np.count_nonzero(had) / len(active))
            used += int(had.sum())
            done[active] += had
    done = np.minimum(done, jobs.limit)
    used_share = used / (float(case.network.capacity[:, 0].sum()) * slots)
    return Horizon(done, jobs.value(done), float(np.mean(shares)), used_share, rings[0] / max(rings[1], 1.0))


def run_slots(case: Instance, jobs: SlotJobs, scheduler: Scheduler, slots: int = SLOTS) -> Run:
    """The record of the run; its times are counted from the first arrival."""
    table, cost = job_table(jobs, case.arrival, slots), ReservedCost(jobs.bandwidth)
    end_s = slots - table.origin_s
    return simulate(
        table, cluster_of(case.network), scheduler, cost, quantum=1.0, whole_slots=True, restart_s=0.0, until_s=end_s
    )


def job_table(jobs: SlotJobs, arrival: NDArray[np.int64], slots: int) -> Jobs:
    """The jobs as rows of a trace: they request their fewest workers, and last as long as F_i does on these.

    Raises:
        InputError: if the jobs are not in the order of their arrivals, as the rows of a trace must be.
    """
    if (np.diff(arrival) < 0).any():
        raise InputError("must not decrease from job to job", field="arrival")
    most = np.minimum(jobs.limit, jobs.largest * float(slots))
    return Jobs.build(
        submit_s=arrival,
        gpus=jobs.smallest,
        duration_s=most / jobs.smallest,
        min_gpus=jobs.smallest,
        max_gpus=jobs.largest,
    )


def cluster_of(network: TreeNetwork) -> Cluster:
    """The cluster with the network's servers, racks and links, and GPUs of one type."""
    gpus = network.capacity[:, 0].astype(np.int64)
    kinds, speed = ("gpu",) * len(gpus), np.ones(len(gpus))
    return Cluster(gpus, kinds, network.rack, speed, network.link_gbps, network.rack_gbps)


def shares(run: Run, slots: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Jobs with workers and jobs in the system in each slot from the first arrival on, shape (slots,) each."""
    intervals = np.unique(np.stack([run.alloc_job, run.alloc_start, run.alloc_end]), axis=1)[1:]
    leaves = np.where(run.finished, run.finish_s, float(slots))
    return _covered(intervals[0], intervals[1], slots), _covered(run.jobs.submit_s, leaves, slots)


def _covered(start: NDArray[np.float64], end: NDArray[np.float64], slots: int) -> NDArray[np.int64]:
    """Number of intervals (with integer bounds) that cover each slot."""
    first = np.bincount(np.minimum(start, slots).astype(np.int64), minlength=slots + 1)
    last = np.bincount(np.minimum(end, slots).astype(np.int64), minlength=slots + 1)
    return np.cumsum(first - last)[:slots]
