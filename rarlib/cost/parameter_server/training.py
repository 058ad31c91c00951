"""Jobs with parameter servers while they run: the true time of their steps, and what a scheduler may know of them.

Source: Zhao et al. (AITurbo), HPDC 2021, doi 10.1145/3431379.3460639, [ABS] for the two classes of jobs; [LAB], later
code of the same laboratory: a job is unpredictable at first and turns predictable at a given share of its steps, at
which the simulator asks the scheduler for decisions (at the next round, where there are rounds).

A scheduler reads `predictable`, `predicted_step_s`, `predicted_left` and `guessed_left`. The truth goes into the price
table and nowhere else.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.parameter_server.workload import MAX_SERVERS, PsJobs
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.offers import Offers
from rarlib.model.prices import Prices

_LEAST = 0.01
"""A job that has outrun its prediction is expected to have this share of its predicted steps left [RECON]."""


class ParameterServerTraining:
    """Writes the price rows of one run (`rarlib.model.training`), and offers `rarlib.model.offers.TaskEstimates`.

    Attributes:
        workload: the jobs.
        predicted_step_s: shape (jobs, most_workers + 1, most_workers + 1, MAX_SERVERS + 1).
    """

    def __init__(self, workload: PsJobs, cluster: Cluster, prices: Prices) -> None:
        self.workload, self.on_cpu = workload, workload.on_cpu
        self.predictable: NDArray[np.bool_] = workload.switch <= 0.0
        self.predicted_step_s = workload.predicted_step_s()
        self._true_s = workload.true_step_s()
        self._prices, self._on_gpu = prices, cluster.is_gpu.tolist()
        self._switch = workload.switch * workload.steps
        gpu, cpu = (np.where(here, workload.workers, 0) for here in (~self.on_cpu, self.on_cpu))
        self._requested = np.stack([gpu, cpu, workload.servers], axis=1)

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        """Write the row of a job with `variant` servers.

        Raises:
            ValueError: with the rule that the tasks break.
        """
        gpus = sum(count for node, count in placement if self._on_gpu[node])
        workers = sum(count for _, count in placement) - variant
        self._check(job, gpus, workers, variant)
        self._prices.base_s[job] = self._true_s[job, gpus, workers - gpus, variant]
        self.predictable[job] |= done >= self._switch[job] * (1.0 - 1e-12)
        self._prices.until[job] = np.inf if self.predictable[job] else self._switch[job]

    def renew(self, job: int, done: float) -> bool:
        """The job turns predictable, and schedulers decide at once ([LAB]: a full round)."""
        self.predictable[job] = True
        self._prices.until[job] = np.inf
        return True

    def progressed(self, jobs: NDArray[np.int64]) -> None:
        """Nothing more is learned from a job that makes progress."""

    @property
    def offers(self) -> Offers:
        """What is believed of tasks."""
        return Offers(tasks=self)

    def requested(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPU workers, CPU workers and servers that users asked for, shape (rows, 3)."""
        return self._requested[jobs]

    def predicted_left(self, jobs: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.float64]:
        """Steps that jobs are predicted to have left; NaN for those that are not predictable, shape of `jobs`."""
        left = _left(self.workload.predicted_steps[jobs], done)
        return np.where(self.predictable[jobs], left, np.nan)

    def guessed_left(self, jobs: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same, with a guess for jobs that are not predictable, for schedulers that need a number."""
        own = self.workload
        total = np.where(self.predictable[jobs], own.predicted_steps[jobs], own.guessed_steps[jobs])
        return _left(total, done)

    def _check(self, job: int, gpus: int, workers: int, servers: int) -> None:
        if not 1 <= servers <= MAX_SERVERS:
            raise ValueError(f"needs 1 to {MAX_SERVERS} servers, {servers} given")
        most = self.workload.most_workers
        if not 1 <= workers <= most or workers < gpus:
            raise ValueError(f"needs 1 to {most} workers and servers on CPU task slots, {workers} workers left")
        if gpus != (0 if self.workload.on_cpu[job] else workers):
            kind = "CPUs" if self.workload.on_cpu[job] else "GPUs"
            raise ValueError(f"needs workers on {kind} only, {gpus} GPUs and {workers - gpus} CPU task slots given")


def _left(total: NDArray[np.float64], done: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(total - done, _LEAST * total)
