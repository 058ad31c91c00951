"""Tasks of jobs on GPUs and CPU task slots: requested tasks, tasks that fit, and allocations with few changes.

An allocation is three whole numbers: GPU workers, CPU workers, parameter servers. GPU workers occupy GPUs; CPU workers
and parameter servers occupy CPU task slots. Under a cost model without parameter servers, a job has GPU workers only.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import first_nodes, pack, roomy_tier, tiers
from rarlib.model.cluster import CPU
from rarlib.model.decisions import Decision, Placement, Start, Stop
from rarlib.model.jit import hot_kernel
from rarlib.model.scheduler import View

GPU_WORKERS, CPU_WORKERS, SERVERS = range(3)


def requested(view: View, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Allocation that users requested, shape (jobs, 3)."""
    if view.offers.tasks is not None:
        return view.offers.tasks.requested(jobs)
    rows = [view.job(job) for job in jobs.tolist()]
    return np.array([(row.gpus, row.cpu_tasks, 0) for row in rows], dtype=np.int64).reshape(-1, 3)


@hot_kernel
def grant(
    order: NDArray[np.int64], options: NDArray[np.int64], left: NDArray[np.int64], given: NDArray[np.int64]
) -> None:
    """Go through the jobs in order and grant each the first of its options that fits; no job blocks another.

    `options` are allocations, shape (jobs, options, 3); `left`, GPUs and CPU task slots, is reduced by what is granted,
    and `given`, shape (jobs, 3), receives it: zeros for a job without an option that fits.
    """
    for job in order:
        given[job] = 0
        for option in range(options.shape[1]):
            wanted = options[job, option]
            gpus, slots = wanted[GPU_WORKERS], wanted[CPU_WORKERS] + wanted[SERVERS]
            if gpus <= left[0] and slots <= left[1]:
                left[0] -= gpus
                left[1] -= slots
                for role in range(len(wanted)):
                    given[job, role] = wanted[role]
                break


@hot_kernel
def _place(
    free: NDArray[np.int64],
    gpus: int,
    slots: int,
    packed: bool,
    kind: int,
    kind_of: NDArray[np.int64],
    tier: NDArray[np.int64],
    scratch: NDArray[np.int64],
) -> bool:
    """Take GPUs of one type and CPU task slots, if both fit; `scratch[1]` receives how many of each node.

    `kind_of` and `tier` are the GPU type of each node, -1 for CPUs, and its rank. `kind` is the type to use; -1: the
    fastest one with enough free GPUs, or all types if none has. `scratch`, shape (2, nodes), need not hold anything.
    """
    there, counts, on_gpus, on_cpus = scratch[0], scratch[1], 0, 0
    for node in range(len(free)):
        counts[node] = 0
        there[node] = free[node] if kind_of[node] >= 0 else 0
        on_cpus += free[node] - there[node]
    only = roomy_tier(there, gpus, tier) if kind < 0 else -1
    for node in range(len(free)):
        if (kind >= 0 and kind_of[node] != kind) or (only >= 0 and tier[node] != only):
            there[node] = 0
        on_gpus += there[node]
    if on_gpus < gpus or on_cpus < slots:
        return False
    if gpus > 0 and packed:
        pack(there, gpus, tier, -1, counts)
    else:
        first_nodes(there, gpus, counts)
    if slots > 0:
        for node in range(len(free)):
            there[node] = free[node] if kind_of[node] < 0 else 0
        pack(there, slots, tier, -1, counts)
    for node in range(len(free)):
        free[node] -= counts[node]
    return True


class Holdings:
    """What each job holds and the service it has attained, as recorded by the scheduler that allocates it.

    Args:
        view: the view of the first pass.
        weights: service per second of a GPU worker, a CPU worker and a parameter server.

    Attributes:
        tasks: allocation while running, zeros while waiting, shape (jobs, 3).
        service: attained service, shape (jobs,).
        weights: as given, shape (3,).
        capacity: GPUs and CPU task slots of the cluster, shape (2,).
        scattered: whether a job takes its GPUs node by node (rule `any`) instead of packed, shape (jobs,); in both
            cases they are of one type if one type has enough free GPUs. CPU task slots are packed.
        kind: GPU type that a job is restricted to, -1 if to none, shape (jobs,).
    """

    def __init__(self, view: View, weights: tuple[float, float, float]) -> None:
        jobs = len(view.prices.work)
        self.tasks, self.service = np.zeros((jobs, 3), np.int64), np.zeros(jobs)
        self.weights = np.array(weights)
        self.scattered, self.kind = np.zeros(jobs, np.bool_), np.full(jobs, -1)
        self._placements: dict[int, Placement] = {}
        self._now_s = view.now_s
        names = list(dict.fromkeys(name for name in view.cluster.gpu_type if name != CPU))
        self._kind_of = np.array([names.index(name) if name != CPU else -1 for name in view.cluster.gpu_type])
        self._tier = tiers(view.cluster.gpu_type, view.prices.node_speed)
        self._scratch = np.zeros((2, view.cluster.nodes), np.int64)
        self.capacity = np.array([view.cluster.gpus[mask].sum() for mask in (self._kind_of >= 0, self._kind_of < 0)])
        self._take_over(view)

    def _take_over(self, view: View) -> None:
        """Jobs that run already keep what they hold; CPU task slots count as those of CPU workers."""
        for running in view.running:
            nodes, counts = np.array(running.placement, np.int64).T
            self.tasks[running.job.row, GPU_WORKERS] = counts[self._kind_of[nodes] >= 0].sum()
            self.tasks[running.job.row, CPU_WORKERS] = counts[self._kind_of[nodes] < 0].sum()
            self._placements[running.job.row] = running.placement
        self._note_rows()
        known = np.concatenate([view.waiting_rows, self._rows])
        self.service[known] = view.attained_gpu_s(known) * self.weights[GPU_WORKERS]

    def catch_up(self, view: View) -> NDArray[np.int64]:
        """Credit jobs with the service since the last pass; returns the jobs that have finished since then.

        If the run has a quantum, finished jobs are credited up to this pass.
        """
        self.service[self._rows] += self._pace * (view.now_s - self._now_s)
        self._now_s = view.now_s
        running = view.running_rows
        if len(running) == len(self._rows):
            return self._rows[:0]
        finished = np.setdiff1d(self._rows, running, assume_unique=True)
        self.tasks[finished] = 0
        for job in finished.tolist():
            del self._placements[job]
        self._note_rows()
        return finished

    def _note_rows(self) -> None:
        self._rows = np.array(list(self._placements), np.int64)
        self._pace = self.tasks[self._rows] @ self.weights

    def exchange(
        self, view: View, jobs: NDArray[np.int64], wanted: NDArray[np.int64], kind: NDArray[np.int64] | None = None
    ) -> list[Decision]:
        """Give jobs their wanted allocations; a job whose allocation stays the same keeps its placement.

        `jobs` are all jobs in the system, most urgent first; `wanted`, shape (jobs, 3), is zero for a job that waits.
        `kind` is the GPU type that each is to use; -1, or None as it was before: any type with enough free GPUs.
        """
        changed = (wanted != self.tasks[jobs]).any(axis=1)
        if kind is not None:
            changed |= (kind != self.kind[jobs]) & wanted.any(axis=1)
            self.kind[jobs] = kind
        rows, free, decisions = jobs[changed], view.free.copy(), list[Decision]()
        if not len(rows):
            return decisions
        for job in filter(self._placements.__contains__, rows.tolist()):
            for node, count in self._placements.pop(job):
                free[node] += count
            decisions.append(Stop(job))
        self.tasks[rows] = 0
        for job, tasks in zip(rows.tolist(), wanted[changed].tolist(), strict=True):
            if any(tasks) and self._take(free, job, tasks):
                self.tasks[job] = tasks
                decisions.append(Start(job, self._placements[job], tasks[SERVERS]))
        self._note_rows()
        return decisions

    def _take(self, free: NDArray[np.int64], job: int, tasks: list[int]) -> bool:
        """Note a placement of the tasks, and reduce `free` by it, if they fit."""
        gpus, slots = tasks[GPU_WORKERS], tasks[CPU_WORKERS] + tasks[SERVERS]
        packed, kind = not self.scattered[job], int(self.kind[job])
        if not _place(free, gpus, slots, packed, kind, self._kind_of, self._tier, self._scratch):
            return False
        counts = self._scratch[1]
        taken = counts.nonzero()[0]
        self._placements[job] = tuple(zip(taken.tolist(), counts[taken].tolist(), strict=True))
        return True
