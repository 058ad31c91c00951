"""Tasks of jobs on GPUs and CPU task slots: requested tasks, tasks that fit, and allocations with few changes.

An allocation is three whole numbers: GPU workers, CPU workers, parameter servers. GPU workers occupy GPUs; CPU workers
and parameter servers occupy CPU task slots. Under a cost model without parameter servers, a job has GPU workers only.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import Placer
from rarlib.model.decisions import Decision, Placement, Start, Stop
from rarlib.model.jit import hot_kernel
from rarlib.model.scheduler import View

GPU_WORKERS, CPU_WORKERS, SERVERS = range(3)

NEEDS = np.array([[1, 0], [0, 1], [0, 1]])
"""GPUs and CPU task slots of a task of each kind."""


def requested(view: View, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Allocation that users requested, shape (jobs, 3)."""
    if view.offers.tasks is not None:
        return view.offers.tasks.requested(jobs)
    rows = [view.job(job) for job in jobs.tolist()]
    return np.array([(row.gpus, row.cpu_tasks, 0) for row in rows], dtype=np.int64).reshape(-1, 3)


@hot_kernel
def grant(
    order: NDArray[np.int64], options: NDArray[np.int64], left: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    """Go through the jobs in order and grant each the first of its options that fits; no job blocks another.

    `options` are GPUs and CPU task slots, shape (jobs, options, 2); `left` is reduced by what is granted, and `chosen`
    receives the option of each job, -1 if none.
    """
    for job in order:
        chosen[job] = -1
        for option in range(options.shape[1]):
            gpus, slots = options[job, option, 0], options[job, option, 1]
            if gpus <= left[0] and slots <= left[1]:
                left[0] -= gpus
                left[1] -= slots
                chosen[job] = option
                break


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
        self._rows, self._runs = np.zeros(0, np.int64), np.zeros(jobs, np.bool_)
        self._now_s = view.now_s
        self._is_gpu, self._is_cpu = view.cluster.is_gpu, ~view.cluster.is_gpu
        self._placer = Placer(view)
        names = list(dict.fromkeys(view.cluster.gpu_type))
        self._kind_of = np.array([names.index(name) for name in view.cluster.gpu_type])
        self._one_kind = len(set(self._kind_of[self._is_gpu].tolist())) == 1
        self.capacity = np.array([view.cluster.gpus[mask].sum() for mask in (self._is_gpu, self._is_cpu)])
        self._take_over(view)

    def _take_over(self, view: View) -> None:
        """Jobs that run already keep what they hold; CPU task slots count as those of CPU workers."""
        for running in view.running:
            nodes, counts = np.array(running.placement, np.int64).T
            self.tasks[running.job.row, GPU_WORKERS] = counts[self._is_gpu[nodes]].sum()
            self.tasks[running.job.row, CPU_WORKERS] = counts[self._is_cpu[nodes]].sum()
            self._placements[running.job.row] = running.placement
        self._rows = view.running_rows
        known = np.concatenate([view.waiting_rows, self._rows])
        self.service[known] = view.attained_gpu_s(known) * self.weights[GPU_WORKERS]

    def catch_up(self, view: View) -> NDArray[np.int64]:
        """Credit jobs with the service since the last pass; returns the jobs that have finished since then.

        If the run has a quantum, finished jobs are credited up to this pass.
        """
        self.service[self._rows] += self.tasks[self._rows] @ self.weights * (view.now_s - self._now_s)
        self._now_s = view.now_s
        self._runs[self._rows] = False
        self._runs[view.running_rows] = True
        finished = self._rows[~self._runs[self._rows]]
        if len(finished):
            self._rows = self._rows[self._runs[self._rows]]
            self.tasks[finished] = 0
        return finished

    def exchange(
        self, view: View, jobs: NDArray[np.int64], wanted: NDArray[np.int64], kind: NDArray[np.int64] | None = None
    ) -> Iterator[Decision]:
        """Give jobs their wanted allocations; a job whose allocation stays the same keeps its placement.

        `jobs` are all jobs in the system, most urgent first; `wanted`, shape (jobs, 3), is zero for a job that waits.
        `kind` is the GPU type that each is to use; -1 or None: any type with enough free GPUs.
        """
        kind = np.full(len(jobs), -1) if kind is None else kind
        changed = (wanted != self.tasks[jobs]).any(axis=1) | ((kind != self.kind[jobs]) & wanted.any(axis=1))
        self.kind[jobs] = kind
        if not changed.any():
            return
        served, jobs, wanted = jobs, jobs[changed], wanted[changed]
        free = view.free.copy()
        for job in jobs[self.tasks[jobs].any(axis=1)].tolist():
            for node, count in self._placements.pop(job):
                free[node] += count
            self.tasks[job] = 0
            yield Stop(job)
        for job, tasks in zip(jobs.tolist(), wanted.tolist(), strict=True):
            placement = self._place(free, job, tasks) if any(tasks) else None
            if placement is not None:
                self._placements[job] = placement
                self.tasks[job] = tasks
                yield Start(job, placement, tasks[SERVERS])
        self._rows = served[self.tasks[served].any(axis=1)]

    def _place(self, free: NDArray[np.int64], job: int, tasks: list[int]) -> Placement | None:
        gpus, slots = tasks[0], tasks[1] + tasks[2]
        on_gpus = self._is_gpu
        if not self._one_kind:
            on_gpus = self._on_its_type(np.where(self._is_gpu, free, 0), job, gpus) & self._is_gpu
        workers = self._placer.take(free, gpus, "any" if self.scattered[job] else "pack", on_gpus)
        if workers is None:
            return None
        others = self._placer.take(free, slots, "pack", self._is_cpu)
        if others is None:
            for node, count in workers:
                free[node] += count
            return None
        return tuple(sorted(workers + others))

    def _on_its_type(self, free: NDArray[np.int64], job: int, count: int) -> NDArray[np.bool_]:
        """Nodes that a gang may use: those of the type it is restricted to, of the fastest type that fits, or all."""
        held = self.kind[job]
        return self._placer.one_type(free, count) if held < 0 else np.asarray(self._kind_of == held)
