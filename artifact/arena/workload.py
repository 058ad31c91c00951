"""Workloads of the arena and their predictions: which ones to trust, and how far off they are.

AITurbo's study (Zhao et al., HPDC 2021, data set) calls 15 % of its jobs unpredictable; they are mostly short there and
hold 2 % of the GPU time. The jobs of that study keep their own label. In other traces 15 % of the jobs are
drawn regardless of their length, so about 15 % of the GPU time is unpredictable. This is harder for schedulers that
rely on predictions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream

SHARE = 0.15
"""Share of unpredictable jobs where the trace does not say (1,301 of 8,692 jobs of the study)."""


class Workload(NamedTuple):
    """Jobs of one window on one cluster at one load.

    Attributes:
        jobs: adaptive jobs; `duration_s` is that on the requested gang, alone, on the cluster's first GPU type.
        predictable: whether the prediction of a job's duration can be trusted, shape (jobs,).
    """

    jobs: Jobs
    predictable: NDArray[np.bool_]


class Fitted(NamedTuple):
    """A window on a cluster, before its load is set.

    Attributes:
        columns: of the job table, with requests that can run; also `predictable`.
        gpus_asked: gang sizes before they were reduced, shape (jobs,).
        batch_asked: batch sizes before they were changed, 0 where the trace gives none, shape (jobs,).
        dropped: number of jobs of the window that request more GPUs than the cluster has.
        reference_gpus: the cluster in GPUs of its first type.
    """

    columns: dict[str, NDArray[Any]]
    gpus_asked: NDArray[np.int64]
    batch_asked: NDArray[np.int64]
    dropped: int
    reference_gpus: float

    @property
    def gpu_s(self) -> NDArray[np.float64]:
        """GPU-seconds that each job requests, shape (jobs,)."""
        return np.asarray(self.columns["gpus"] * self.columns["duration_s"])

    @property
    def span_s(self) -> float:
        """Seconds from the first to the last recorded submission."""
        return float(self.columns["submit_s"][-1] - self.columns["submit_s"][0])


def predictable_jobs(n: int, share: float, trace: str, seed: int) -> NDArray[np.bool_]:
    """Which of `n` jobs of a window are predictable: all but the share, to the nearest whole number of jobs.

    A job that is unpredictable at one share is so at every larger one.
    """
    return np.asarray(stream(seed, "arena", trace, "unpredictable").permutation(n) >= round(share * n))


def forecast(workload: Workload, error: float, trace: str, seed: int, unpredictable: float | None = None) -> Forecast:
    """Predicted durations of the jobs, and which of them can be trusted.

    The prediction of a predictable job is off by a log-normal factor with median 1; its draw is the same for all
    schedulers and, scaled, for all errors. The prediction of an unpredictable job is the median duration of the
    workload, for schedulers that need a number. The median of its application would reveal its length, because
    applications are assigned by GPU time.
    """
    jobs, n = workload.jobs, len(workload.jobs)
    trusted = workload.predictable if unpredictable is None else predictable_jobs(n, unpredictable, trace, seed)
    factor = np.exp(error * stream(seed, "arena", trace, "error").standard_normal(n))
    typical = float(np.median(jobs.duration_s))
    return Forecast(np.where(trusted, factor, typical / jobs.duration_s), trusted)
