"""The Gittins index of a job whose size is known only as a distribution (Tiresias, NSDI 2019, section 4.2).

    G(a) = sup over D > 0 of  P(S - a <= D | S > a) / E[min(S - a, D) | S > a]

    symbol   here      unit
    a        attained  GPU-seconds that the job has had
    S        samples   GPU-seconds that jobs need (empirical distribution)
    D        horizon   GPU-seconds looked ahead; the authors' simulator fixes it at 3250 [TIR]

The expectation is exact; the authors' simulator sums S instead of S - a for the jobs that end within D [TIR].
"""

import numpy as np
from numpy.typing import NDArray


class Gittins:
    """Index under an empirical distribution.

    Args:
        samples: sizes of past jobs, GPU-seconds; any order, at least one.
        horizon: D; None takes the supremum over all D, which only sample points can attain.
    """

    def __init__(self, samples: NDArray[np.float64], horizon: float | None = None) -> None:
        self._sizes = np.sort(np.asarray(samples, dtype=np.float64))
        self._sums = np.concatenate([[0.0], np.cumsum(self._sizes)])
        self._horizon = horizon

    def index(self, attained: NDArray[np.float64]) -> NDArray[np.float64]:
        """Index of jobs with this attained service, larger is more urgent; 0 beyond the largest sample."""
        if self._horizon is None:
            return np.array([self._supremum(a) for a in attained])
        return self._ahead(attained, np.asarray(attained + self._horizon))

    def _ahead(self, attained: NDArray[np.float64], until: NDArray[np.float64]) -> NDArray[np.float64]:
        """Number of jobs that end in (attained, until], over the service that this takes."""
        first = np.searchsorted(self._sizes, attained, side="right")
        last = np.searchsorted(self._sizes, until, side="right")
        ending = last - first
        spent = self._sums[last] - self._sums[first] - ending * attained
        spent = spent + (len(self._sizes) - last) * (until - attained)
        return np.divide(ending, spent, out=np.zeros(len(spent)), where=ending > 0)

    def _supremum(self, attained: float) -> float:
        ends = self._sizes[np.searchsorted(self._sizes, attained, side="right") :]
        return float(self._ahead(np.full(len(ends), attained), ends).max()) if len(ends) else 0.0
