"""How fast jobs are as requested, read from a plain price table (`rarlib.model.offers.RequestedSpeeds`)."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import CPU, Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, iteration_s, iterations_per_s

_LEAST = 1e-6


class PricedSpeeds:
    """Rates and iterations of jobs on the fewest nodes of each GPU type, sharing no link.

    Args:
        jobs: the job table.
        cluster: its GPU types count in the order of their first node.
        prices: the true price table.
        forecast: what schedulers are told of lengths.
    """

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
