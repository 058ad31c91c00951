"""Predictions of how long jobs take, which schedulers get instead of the true lengths."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OUTLIVED = 0.1
"""A job that has done more than was predicted is predicted to have this share of the prediction left."""


class Forecast(NamedTuple):
    """Predictions of a run.

    Attributes:
        factor: predicted over true work, above 0, shape (jobs,).
        predictable: whether the prediction of a job is to be trusted, shape (jobs,).
    """

    factor: NDArray[np.float64]
    predictable: NDArray[np.bool_]

    @classmethod
    def exact(cls, jobs: int) -> "Forecast":
        """Predictions that are true for every job."""
        return cls(np.ones(jobs), np.ones(jobs, dtype=np.bool_))

    @property
    def is_exact(self) -> bool:
        """Whether every job takes as long as predicted."""
        return bool((self.factor == 1.0).all())

    def left(
        self, jobs: NDArray[np.int64], left: NDArray[np.float64], total: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Predicted work left of jobs that in truth have `left` of `total` left; all of shape (rows,)."""
        factor = self.factor[jobs]
        predicted = np.maximum(left - (1.0 - factor) * total, OUTLIVED * factor * total)
        return np.where(factor == 1.0, left, np.minimum(predicted, factor * total))
