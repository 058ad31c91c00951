"""What a policy in another process sees of a run: `rarlib.model.scheduler.View` from messages.

Nothing here is about jobs that have not been submitted: their rows of the price table are zero.
"""

from bisect import insort
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Allocation, Decision, Placement, Start, Stop
from rarlib.model.errors import InputError
from rarlib.model.jobs import Job
from rarlib.model.offers import Offers
from rarlib.model.prices import BY_JOB, Prices
from rarlib.model.scheduler import Running, View


def cluster_message(cluster: Cluster) -> dict[str, Any]:
    """A cluster, for `PolicyView`."""
    return {
        "gpus": cluster.gpus,
        "gpu_type": cluster.gpu_type,
        "rack": cluster.rack,
        "speed": cluster.speed,
        "node_gbps": cluster.node_gbps,
        # JSON has no infinity.
        "rack_gbps": [None if np.isinf(gbps) else gbps for gbps in cluster.rack_gbps.tolist()],
    }


def prices_message(prices: Prices) -> dict[str, Any]:
    """The part of a price table that holds for all jobs, for `PolicyView`."""
    names = [name for name in Prices._fields if name not in (*BY_JOB, "linked", "gbps")]
    return {name: getattr(prices, name) for name in names} | {"columns": list(prices.speedup.shape)}


def arrivals_message(view: View, first: int, count: int) -> list[Any]:
    """Jobs that have come, each with its row of the price table; an infinite price is None."""
    rows = range(first, first + count)
    columns = [getattr(view.prices, name)[first : first + count].tolist() for name in BY_JOB]
    priced = [[None if value == np.inf else value for value in row] for row in zip(*columns, strict=True)]
    return [[list(view.job(row)), price] for row, price in zip(rows, priced, strict=True)]


class PolicyView:
    """The view of a run (implements `rarlib.model.scheduler.View`).

    Args:
        given: messages of the cluster, of the prices, and the number of jobs.
        rng: the policy's own random stream.
    """

    def __init__(self, given: dict[str, Any], rng: np.random.Generator) -> None:
        cluster, prices, total = given["cluster"], given["prices"], int(given["jobs"])
        self.rng, self.offers = rng, Offers()
        self.cluster = Cluster(
            np.array(cluster["gpus"], np.int64),
            tuple(cluster["gpu_type"]),
            np.array(cluster["rack"], np.int64),
            np.array(cluster["speed"]),
            cluster["node_gbps"] if isinstance(cluster["node_gbps"], float) else np.array(cluster["node_gbps"]),
            np.array([np.inf if gbps is None else gbps for gbps in cluster["rack_gbps"]]),
        )
        by_job: dict[str, Any] = {name: np.zeros(total, np.int64 if name == "curve" else np.float64) for name in BY_JOB}
        whole = {"rack": np.int64}
        others: dict[str, Any] = {
            name: np.array(value, whole.get(name, np.float64))
            for name, value in prices.items()
            if name not in ("slot_s", "columns")
        }
        others["speedup"] = others["speedup"].reshape(prices["columns"])
        self.prices = Prices(**by_job, **others, slot_s=float(prices["slot_s"]))
        self.predictable = np.ones(total, dtype=np.bool_)
        self.now_s, self.arrivals_left = 0.0, total
        self.free = self.cluster.gpus.copy()
        self._jobs: list[Job] = []
        self._waiting: list[int] = []
        self._running: dict[int, Running] = {}
        self._done, self._attained, self._remaining = (np.zeros(total) for _ in range(3))

    def refresh(self, message: dict[str, Any]) -> None:
        """Bring the view up to the pass that a message describes."""
        for job, prices in message["arrived"]:
            self._jobs.append(Job(*job))
            for name, value in zip(BY_JOB, prices, strict=True):
                getattr(self.prices, name)[job[0]] = np.inf if value is None else value
        self.now_s, self.arrivals_left = message["now"], message["arrivals_left"]
        self._waiting = message["waiting"]
        self.free = np.array(message["free"], np.int64)
        self._running = {
            row: Running(self._jobs[row], tuple((node, gpus) for node, gpus in placement), since)
            for row, placement, since in message["running"]
        }
        rows = np.array(message["rows"], np.int64)
        self._done[rows], self._attained[rows] = message["done"], message["attained"]
        self._remaining[rows] = message["remaining"]

    def apply(self, decision: Decision) -> None:
        """What a decision changes at once: jobs that wait and run, free GPUs. Whether it is possible is not checked."""
        if isinstance(decision, Start) and decision.job in self._waiting:
            self._waiting.remove(decision.job)
            self._take(decision.placement, 1)
            self._running[decision.job] = Running(self._jobs[decision.job], decision.placement, self.now_s)
        elif isinstance(decision, Stop) and decision.job in self._running:
            self._take(self._running.pop(decision.job).placement, -1)
            insort(self._waiting, decision.job)
        elif isinstance(decision, Allocation):
            for job, gpus in zip(np.asarray(decision.jobs).tolist(), np.asarray(decision.gpus), strict=True):
                nodes = np.flatnonzero(gpus)
                placement = tuple(zip(nodes.tolist(), gpus[nodes].tolist(), strict=True))
                if job in self._running and self._running[job].placement == placement:
                    continue
                self.apply(Stop(job))
                if placement:
                    self.apply(Start(job, placement))

    def _take(self, placement: Placement, sign: int) -> None:
        for node, gpus in placement:
            self.free[node] -= sign * gpus

    @property
    def waiting(self) -> tuple[Job, ...]:
        """Jobs that hold nothing, in submission order."""
        return tuple(self._jobs[row] for row in self._waiting)

    @property
    def running(self) -> tuple[Running, ...]:
        """Jobs that hold GPUs, in submission order."""
        return tuple(self._running[row] for row in sorted(self._running))

    @property
    def waiting_rows(self) -> NDArray[np.int64]:
        """Positions of the waiting jobs, ascending."""
        return np.array(self._waiting, np.int64)

    @property
    def running_rows(self) -> NDArray[np.int64]:
        """Positions of the running jobs, ascending."""
        return np.array(sorted(self._running), np.int64)

    def job(self, row: int) -> Job:
        """A job that has been submitted."""
        if not 0 <= row < len(self._jobs):
            raise IndexError(f"no job {row} has been submitted")
        return self._jobs[row]

    def remaining_s(self, job: Any) -> Any:
        """Running time left on the requested gang, alone and uncontended, of one job or of each of an array of jobs."""
        return self._remaining[job]

    def work_done(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work done so far, shape of `jobs`."""
        return np.asarray(self._done[jobs])

    def work_left(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work left, shape of `jobs`."""
        return np.asarray(self.prices.work[jobs] - self._done[jobs])

    def attained_gpu_s(self, job: Any) -> Any:
        """GPU-seconds held so far, by one job or by each of an array of jobs."""
        return self._attained[job]

    def level(self, job: Any) -> Any:
        """Not available: only what is declared as a discipline has levels."""
        raise InputError("a policy in a file has no levels of attained GPU-seconds; use attained_gpu_s")
