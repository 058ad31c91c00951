"""What a scheduler sees of a run (`rarlib.model.scheduler.View`)."""

from array import array
from bisect import bisect_left, insort
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import CPU, Cluster
from rarlib.model.decisions import Placement
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Job, Jobs
from rarlib.model.offers import Offers
from rarlib.model.prices import Prices, iteration_s, iterations_per_s
from rarlib.model.scheduler import Running
from rarlib.model.training import Training
from rarlib.simulator.state import RUNNING, State

_LEAST = 1e-6


class PricedSpeeds:
    """Rates and iterations of jobs on the fewest nodes of each GPU type (by first node), sharing no link."""

    def __init__(self, jobs: Jobs, cluster: Cluster, prices: Prices, forecast: Forecast) -> None:
        self._gpus, self._prices, self._forecast = jobs.gpus, prices, forecast
        names = np.array(cluster.gpu_type)
        nodes = [np.flatnonzero(names == kind) for kind in dict.fromkeys(cluster.gpu_type) if kind != CPU]
        self._reach = [np.cumsum(cluster.gpus[part]) for part in nodes]
        self._speed = [float(prices.node_speed[part[0]]) for part in nodes]

    def rates(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Iterations per second, shape (rows, types); 0 where the type has too few GPUs."""
        return np.array([[self._rate(job, kind) for kind in range(len(self._reach))] for job in jobs.tolist()])

    def iterations(
        self, jobs: NDArray[np.int64], done: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Iterations left and in all, as predicted, each of shape (rows,).

        A job that is all but done counts as `_LEAST` of the longest, not as one iteration: under the trace model,
        an iteration is a second, and the unit of time would matter.
        """
        work = self._prices.work[jobs]
        left, total = self._forecast.left(jobs, work - done, work), work * self._forecast.factor[jobs]
        least = _LEAST * float(total.max(initial=0.0)) or 1.0
        return np.maximum(left, least), np.maximum(total, least)

    def _rate(self, job: int, kind: int) -> float:
        reach, gpus = self._reach[kind], int(self._gpus[job])
        if gpus > reach[-1]:
            return 0.0
        tau = iteration_s(self._prices, job, int(np.searchsorted(reach, gpus)) + 1, 1)
        return float(iterations_per_s(self._prices, job, tau) * self._speed[kind])


class LiveView:
    """The view of a run (implements `rarlib.model.scheduler.View`)."""

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        cluster: Cluster,
        prices: Prices,
        rng: np.random.Generator,
        training: Training | None = None,
        forecast: Forecast | None = None,
    ) -> None:
        predicted = forecast if forecast is not None else Forecast.exact(len(jobs))
        self.cluster, self.rng, self.training = cluster, rng, training
        self.predictable, self._forecast = predicted.predictable, None if predicted.is_exact else predicted
        self.prices = prices
        if training is None:
            self.offers = Offers(requested=PricedSpeeds(jobs, cluster, prices, predicted))
        else:
            self.offers = training.offers
        if self._forecast is not None:
            self.prices = prices._replace(work=prices.work * predicted.factor)
            jobs = replace(jobs, duration_s=jobs.duration_s * predicted.factor)
        self.now_s = 0.0
        self._state, self._jobs = state, jobs
        # Fields of the records as plain arrays: reading a record is slow.
        clock, self._job = np.asarray(state.run), np.asarray(state.job)
        self._now, self._arrivals, self._ends = clock["now"], clock["arrived"], clock["finished"]
        self._seen, self._finished = 0, 0
        # Ascending; unlike lists, they become arrays of NumPy without a look at every number.
        self._waiting, self._running = array("q"), array("q")
        self._held: dict[int, Running] = {}

    def adopt(self, state: State) -> None:
        """Replace the underlying state."""
        self._state = state

    def refresh(self, state: State) -> None:
        """Update the view with what happened since the last pass."""
        self.adopt(state)
        self.now_s = self._now.item()
        if (finished := self._ends.item()) != self._finished:
            for job in state.heap[len(state.heap) - finished : len(state.heap) - self._finished].tolist():
                self._running.pop(bisect_left(self._running, job))
                self._held.pop(job, None)
            self._finished = finished
        if (arrived := self._arrivals.item()) != self._seen:
            self._waiting.extend(range(self._seen, arrived))
            self._seen = arrived

    @property
    def waiting(self) -> tuple[Job, ...]:
        """Jobs that hold nothing, in submission order."""
        return tuple(self._jobs.rows[job] for job in self._waiting)

    @property
    def running(self) -> tuple[Running, ...]:
        """Jobs that hold GPUs, in submission order."""
        return tuple(self._running_of(job) for job in self._running)

    @property
    def waiting_rows(self) -> NDArray[np.int64]:
        """Positions of the waiting jobs, ascending."""
        return np.array(self._waiting, dtype=np.int64)

    @property
    def running_rows(self) -> NDArray[np.int64]:
        """Positions of the running jobs, ascending."""
        return np.array(self._running, dtype=np.int64)

    def first_rows(self, most: int) -> tuple["array[int]", "array[int]"]:
        """Positions of at most so many jobs that wait and that run, those submitted first."""
        return self._waiting[:most], self._running[:most]

    def job(self, row: int) -> Job:
        """A job that has been submitted."""
        if not 0 <= row < self._seen:
            raise IndexError(f"no job {row} has been submitted")
        return self._jobs.rows[row]

    @property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of each node, shape (nodes,)."""
        free = self._state.free.view()
        free.flags.writeable = False
        return free

    @property
    def arrivals_left(self) -> int:
        """Number of jobs not submitted yet."""
        return len(self._jobs) - self._seen

    def remaining_s(self, job: Any) -> Any:
        """Running time left on the requested gang, alone and uncontended, as predicted; of one job or of an array."""
        state, rows = self._job, np.atleast_1d(job)
        work, rate = state["work"][rows], state["alone_rate"][rows]
        left = np.maximum(work - self.work_done(rows), 0.0) / rate
        if self._forecast is not None:
            left = self._forecast.left(rows, left, work / rate)
        return left if np.ndim(job) else float(left[0])

    def work_left(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work left as predicted, shape of `jobs`."""
        total = self._job["work"][jobs]
        left = np.asarray(total - self.work_done(jobs))
        return left if self._forecast is None else self._forecast.left(jobs, left, total)

    def work_done(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work done so far, shape of `jobs`."""
        job = self._job
        moving = np.maximum(self.now_s - np.maximum(job["settled"][jobs], job["ready"][jobs]), 0.0)
        moving[job["phase"][jobs] != RUNNING] = 0.0
        return np.asarray(job["done"][jobs] + moving * job["rate"][jobs])

    def attained_gpu_s(self, job: Any) -> Any:
        """GPU-seconds held so far, by one job or by each of an array of jobs."""
        state = self._state.job
        held_s = np.where(state["phase"][job] == RUNNING, self.now_s - state["settled"][job], 0.0)
        return state["gpu_seconds"][job] + held_s * state["held"][job]

    def level(self, job: Any) -> Any:
        """Attained-service queue (number of levels reached), of one job or of each of an array of jobs."""
        return self._job["level"][job]

    @property
    def jobs(self) -> Jobs:
        """The job table of the run (for the driver; a scheduler sees arrived jobs only)."""
        return self._jobs

    def progressed(self) -> NDArray[np.int64]:
        """Running jobs that have made progress in their current placement."""
        running = self.running_rows
        return running[self._job["ready"][running] < self.now_s]

    def placement_of(self, job: int) -> Placement:
        """Placement of a running job."""
        return self._running_of(job).placement

    def _running_of(self, job: int) -> Running:
        """A running job, read only once, since its placement does not change until it is stopped."""
        if job not in self._held:
            self._held[job] = self._read(job)
        return self._held[job]

    def _read(self, job: int) -> Running:
        first, servers = self._job["first_row"][job], self._job["servers"][job]
        rows = np.asarray(self._state.rows)[first : first + servers]
        placement = tuple(zip(rows["node"].tolist(), rows["gpus"].tolist(), strict=True))
        return Running(self._jobs.rows[job], placement, float(rows["start_s"][0]))

    def reassigned(self, jobs: NDArray[np.int64]) -> None:
        """Update the lists after these jobs have been stopped, started, or both."""
        present = np.sort(np.concatenate((self.waiting_rows, self.running_rows)))
        runs = self._job["phase"][present] == RUNNING
        self._waiting, self._running = _chosen(present, ~runs), _chosen(present, runs)
        for job in jobs.tolist():
            self._held.pop(job, None)

    def moved(self, job: int, *, to_running: bool) -> None:
        """Move a job between the two lists after a decision."""
        source, target = (self._waiting, self._running) if to_running else (self._running, self._waiting)
        source.pop(bisect_left(source, job))
        insort(target, job)
        self._held.pop(job, None)


def _chosen(rows: NDArray[np.int64], wanted: NDArray[np.bool_]) -> "array[int]":
    return array("q", rows[wanted].tobytes())
