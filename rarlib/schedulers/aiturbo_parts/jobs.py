"""How AITurbo estimates and allocates the two kinds of jobs that it can run.

The paper's jobs have parameter servers and run on GPUs of one type and CPU task slots (`ServerJobs`). Jobs with
adaptive batches (`AdaptiveJobs`) have workers on GPUs only: a move is one worker more or less (or one pipeline, if a
replica is a pipeline), gains follow from estimated speeds, and each job is assigned to a GPU type
(`rarlib.allocate.by_type`).

Both kinds have the same methods. A pass begins with `look`; `which` are positions or a mask in the jobs looked at, and
allocations have shape (jobs, 3).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate import tasks
from rarlib.allocate.by_type import Types, assign_types
from rarlib.allocate.tasks import CPU_WORKERS, GPU_WORKERS, Holdings, grant
from rarlib.model.cluster import Cluster
from rarlib.model.offers import GoodputEstimates, TaskEstimates, missing
from rarlib.model.scheduler import View
from rarlib.schedulers.aiturbo_parts.moves import Moves, best_moves
from rarlib.schedulers.shared.growth import ServerGrowth, goodput_growth


class Admitted(NamedTuple):
    """The allocations granted."""

    tasks: NDArray[np.int64]
    """Allocations, zeros for jobs that wait, shape (jobs, 3)."""
    kind: NDArray[np.int64] | None
    """GPU type of each job, -1 if any type will do, shape (jobs,); None: for all of them."""
    remaining: NDArray[np.int64]
    """GPUs and CPU task slots left, shape (2,), or GPUs of each type."""


class ServerJobs:
    """Jobs with parameter servers."""

    settles = True
    """The allocation remains unchanged once all jobs run and none moves."""

    def __init__(self, known: TaskEstimates, held: Holdings) -> None:
        self._known, self._capacity, self._growth = known, held.capacity, ServerGrowth(known)

    def look(self, view: View, jobs: NDArray[np.int64]) -> None:
        """Note the steps done."""
        self._present, self._done = jobs, view.work_done(jobs)

    def predictable(self, view: View) -> NDArray[np.bool_]:
        """Jobs that the cost model can predict."""
        return self._known.predictable

    def requested(self, view: View, which: slice) -> NDArray[np.int64]:
        """Workers of one kind, and parameter servers."""
        return tasks.requested(view, self._present[which])

    def moves(
        self, view: View, which: NDArray[np.bool_], plan: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> Moves:
        """Best moves by predicted step time and predicted steps left."""
        jobs = self._present[which]
        left = self._known.predicted_left(jobs, self._done[which])
        return best_moves(self._known.predicted_step_s, jobs, plan, left, weights)

    def admit(self, view: View, order: NDArray[np.int64], options: NDArray[np.int64]) -> Admitted:
        """Grant GPUs and CPU task slots."""
        remaining, given = self._capacity.copy(), np.empty((len(order), 3), np.int64)
        grant(order, options, remaining, given)
        return Admitted(given, None, remaining)

    def grow(self, view: View, given: Admitted, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Hand out remaining workers and servers."""
        grown, growth = given.tasks.copy(), self._growth.of(self._present[which], self._done[which])
        grown[which] = growth.grow(given.tasks[which], given.remaining, self._capacity, blocks=False)
        return grown


class AdaptiveJobs:
    """Jobs with adaptive batches, on GPUs of several types."""

    settles = False

    def __init__(self, goodput: GoodputEstimates, cluster: Cluster, held: Holdings) -> None:
        self._pipeline, self._held = goodput.pipeline, held
        self._types = Types(goodput, cluster)

    def look(self, view: View, jobs: NDArray[np.int64]) -> None:
        """Estimate speeds, shape (jobs, types, GPUs + 1)."""
        self._present, self._rate = jobs, self._types.rates(view, jobs)

    def predictable(self, view: View) -> NDArray[np.bool_]:
        """Jobs whose predicted lengths can be trusted."""
        return view.predictable

    def requested(self, view: View, which: slice) -> NDArray[np.int64]:
        """The largest number of GPUs, up to the requested one, on which a job can run on some type."""
        able = (self._rate[which] > 0.0).any(axis=1)
        asked = tasks.requested(view, self._present[which])
        asked[:, CPU_WORKERS] = 0
        able &= np.arange(able.shape[1]) <= asked[:, GPU_WORKERS, None]
        asked[:, GPU_WORKERS] = able.shape[1] - 1 - able[:, ::-1].argmax(axis=1)
        return asked

    def moves(
        self, view: View, which: NDArray[np.bool_], plan: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> Moves:
        """Best moves by the speed on a job's type, or if it has none, on the type where its plan runs fastest."""
        rate, jobs = self._rate[which], self._present[which]
        each = np.arange(len(jobs))
        kind = self._held.kind[jobs]
        kind = np.where(kind >= 0, kind, rate[each, :, plan[:, GPU_WORKERS]].argmax(axis=1))
        unit = np.maximum(self._pipeline[jobs, kind], 1)
        gpus = np.arange(rate.shape[2]) * unit[:, None]
        fewest = np.array([view.job(job).min_gpus for job in jobs.tolist()])
        speed = rate[each[:, None], kind[:, None], np.minimum(gpus, rate.shape[2] - 1)]
        speed[(gpus >= rate.shape[2]) | (gpus < fewest[:, None])] = 0.0
        step_s = np.divide(1.0, speed, out=np.full(speed.shape, np.inf), where=speed > 0.0)
        moves = best_moves(step_s[:, :, None, None], each, plan // unit[:, None], view.work_left(jobs), weights)
        return moves._replace(tasks=moves.tasks * unit[:, None])

    def admit(self, view: View, order: NDArray[np.int64], options: NDArray[np.int64]) -> Admitted:
        """Grant GPUs of one type each; of a job that cannot be predicted, only the types' general speed is known."""
        remaining, jobs = self._types.capacity.copy(), self._present
        now = np.where(self._held.tasks[jobs].any(axis=1), self._held.kind[jobs], -1)
        rate, unknown = self._rate.copy(), ~view.predictable[jobs]
        first = np.unique(self._types.kind_of, return_index=True)[1]
        rate[unknown] = (rate[unknown] > 0.0) * view.prices.node_speed[first][:, None]
        assigned = assign_types(rate, order, options[:, :, GPU_WORKERS], now, self._types.capacity, remaining)
        given = options[np.arange(len(jobs)), np.maximum(assigned.option, 0)]
        given[assigned.option < 0] = 0
        return Admitted(given, assigned.kind, remaining)

    def grow(self, view: View, given: Admitted, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Hand out remaining workers of each job's type."""
        assert given.kind is not None
        grown, left = given.tasks.copy(), view.work_left(self._present[which])
        growth = goodput_growth(self._rate[which], given.kind[which], left)
        grown[which] = growth.grow(given.tasks[which], given.remaining, self._types.capacity, blocks=False)
        return grown


JobKind = ServerJobs | AdaptiveJobs


def kind_of_jobs(view: View, held: Holdings, name: str) -> JobKind:
    """The kind of the jobs of this run; `name` is the scheduler's, for the error.

    Raises:
        InputError: if the jobs are of neither kind.
    """
    if view.offers.tasks is not None:
        return ServerJobs(view.offers.tasks, held)
    if view.offers.goodput is not None:
        return AdaptiveJobs(view.offers.goodput, view.cluster, held)
    raise missing(name, "tasks", "goodput")
