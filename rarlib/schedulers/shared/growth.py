"""Handing out tasks one by one, each to the job that it saves most time (Optimus, EuroSys 2018, section 4.1).

    gain = (T(x) - T(x + 1 task)) / share of the task's dominant resource

T is the estimated time until the job ends. A task's dominant resource is the one of which it needs the largest share of
the cluster; here a worker's cores come with its GPU, so each task needs only one resource.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.tasks import CPU_WORKERS, GPU_WORKERS, SERVERS
from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.offers import TaskEstimates
from rarlib.model.scheduler import View

WORKER, SERVER = range(2)


@hot_kernel
def _gain(times: NDArray[np.float64], tasks: NDArray[np.int64], worker: int, job: int, role: int) -> float:
    """Time that one more task of a role saves a job; 0 if there can be no further task."""
    workers, servers = tasks[job, worker], tasks[job, SERVERS]
    now = times[job, workers, servers]
    if role == WORKER:
        workers += 1
    else:
        servers += 1
    if workers >= times.shape[1] or servers >= times.shape[2] or times[job, workers, servers] == np.inf:
        return 0.0
    return now - times[job, workers, servers]


@hot_kernel
def _play(best: NDArray[np.float64], wins: NDArray[np.int64], match: int) -> None:
    """Enter the winner of a match: the larger gain; of equal gains the first."""
    one, other = wins[2 * match], wins[2 * match + 1]
    first, second = min(one, other), max(one, other)
    wins[match] = second if best[second] > best[first] else first


@hot_kernel
def _enter(best: NDArray[np.float64], wins: NDArray[np.int64], option: int, gain: float) -> None:
    """Set the gain of an option, and play its matches again up to the root."""
    best[option] = gain if gain > 0.0 else 0.0
    match = (len(best) + option) // 2
    while match >= 1:
        _play(best, wins, match)
        match //= 2


@kernel
def _grow(
    times: NDArray[np.float64],
    tasks: NDArray[np.int64],
    worker: NDArray[np.int64],
    resource: NDArray[np.int64],
    share: NDArray[np.float64],
    left: NDArray[np.int64],
    blocks: bool,
) -> None:
    """Repeatedly grant the task that saves most time, until none saves any or no resource is left.

    A tournament over all options (role `option % 2` of job `option // 2`) finds the best one: `wins`, shape (4 jobs,),
    holds the winner of each match, the final in entry 1 and option i in entry 2 jobs + i; `best` holds gains. `times`,
    `worker` and `resource` are those of a `Growth`; `tasks`, shape (jobs, 3), are increased in place, and rows of zeros
    stay zero. One of a resource is `share` of the cluster's; `left` is reduced in place. With `blocks` it stops at the
    first task that does not fit (Optimus).
    """
    best, wins = np.zeros(2 * len(tasks)), np.zeros(4 * len(tasks), np.int64)
    for option in range(len(best)):
        job, role = option // 2, option % 2
        wins[len(best) + option] = option
        if tasks[job, worker[job]] > 0 or tasks[job, SERVERS] > 0:
            gain = _gain(times, tasks, worker[job], job, role) / share[resource[job, role]]
            best[option] = gain if gain > 0.0 else 0.0
    for match in range(len(best) - 1, 0, -1):
        _play(best, wins, match)
    while len(best) and best[wins[1]] > 0.0:
        option = wins[1]
        job, role = option // 2, option % 2
        if left[resource[job, role]] < 1:
            if blocks:
                return
            _enter(best, wins, option, 0.0)
            continue
        left[resource[job, role]] -= 1
        tasks[job, worker[job] if role == WORKER else SERVERS] += 1
        for r in range(2):
            _enter(best, wins, 2 * job + r, _gain(times, tasks, worker[job], job, r) / share[resource[job, r]])


class Growth(NamedTuple):
    """The time that jobs could save with more tasks."""

    times: NDArray[np.float64]
    """Estimated seconds until a job ends by workers and servers, shape (jobs, workers + 1, servers + 1)."""
    worker: NDArray[np.int64]
    """Kind of worker that each job uses, GPU_WORKERS or CPU_WORKERS, shape (jobs,)."""
    resource: NDArray[np.int64]
    """What a worker and a server of a job need one of: GPUs or CPU task slots, or its GPU type, shape (jobs, 2)."""

    def grow(
        self, tasks: NDArray[np.int64], left: NDArray[np.int64], size: NDArray[np.int64], *, blocks: bool
    ) -> NDArray[np.int64]:
        """Allocations (jobs, 3) after what is `left` of GPUs and CPU task slots, or GPUs by type, has been handed out.

        A job without tasks gets none; `left` is reduced by what is granted. With `blocks` it stops at the first task
        that does not fit (Optimus).
        """
        grown = tasks.copy()
        _grow(self.times, grown, self.worker, self.resource, 1.0 / np.maximum(size, 1), left, blocks)
        return grown


class ServerGrowth:
    """Growth of jobs with parameter servers, whose workers are all of one kind."""

    def __init__(self, known: TaskEstimates) -> None:
        table, self._known = known.predicted_step_s, known
        self._step_s = np.where(known.on_cpu[:, None, None], table[:, 0], table[:, :, 0])
        self._worker = np.where(known.on_cpu, CPU_WORKERS, GPU_WORKERS)
        self._resource = np.stack([known.on_cpu, np.ones_like(known.on_cpu)], axis=1).astype(np.int64)

    def of(self, jobs: NDArray[np.int64], done: NDArray[np.float64]) -> Growth:
        """Growth of some jobs that have done so much; for unpredictable jobs it is based on a guess."""
        left = self._known.guessed_left(jobs, done)
        return Growth(left[:, None, None] * self._step_s[jobs], self._worker[jobs], self._resource[jobs])


def goodput_growth(rate: NDArray[np.float64], kind: NDArray[np.int64], left: NDArray[np.float64]) -> Growth:
    """Growth of jobs with adaptive batches, each on GPUs of its type, at rates of shape (jobs, types, GPUs + 1)."""
    speed = rate[np.arange(len(kind)), kind]
    times = np.divide(left[:, None], speed, out=np.full(speed.shape, np.inf), where=speed > 0.0)
    return Growth(times[:, :, None], np.full(len(kind), GPU_WORKERS), np.repeat(kind[:, None], 2, axis=1))


def table_growth(view: View, jobs: NDArray[np.int64]) -> Growth:
    """Growth of elastic jobs under a plain price table; a rigid job has one size only."""
    prices, total = view.prices, view.cluster.total_gpus
    times, left = np.full((len(jobs), total + 1, 1), np.inf), view.remaining_s(jobs)
    for i, job in enumerate(map(view.job, jobs.tolist())):
        gpus = np.arange(job.min_gpus, min(job.max_gpus, total) + 1)
        curve = prices.curve[job.row]
        speed = prices.speedup[curve, gpus] if curve >= 0 else np.ones(len(gpus))
        times[i, gpus, 0] = left[i] / speed
    return Growth(times, np.full(len(jobs), GPU_WORKERS), np.zeros((len(jobs), 2), np.int64))
