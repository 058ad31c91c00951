"""How a shared link degrades: f(alpha, k), and the price table's array of its values by number of sharing jobs.

Source: Yu, Ji, Rajan, Liu, "On Scheduling Ring-All-Reduce Learning Jobs in Multi-Tenant GPU Clusters with
Communication Contention", MobiHoc 2022, doi 10.1145/3492866.3549716, section 4.

| paper | here | unit |
|---|---|---|
| p_j[t] | index of the array | jobs |
| k_j[t] | `effective_sharers` | jobs |
| xi1 | `xi` | 1 |
| f(alpha, k) | `degradation` | 1 |
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError

Degradation = Callable[[float, NDArray[np.float64]], NDArray[np.float64]]
"""f(alpha, k): how many times slower a link is for each of k jobs; f(alpha, 1) = 1, not decreasing in k."""


def linear(alpha: float, k: NDArray[np.float64]) -> NDArray[np.float64]:
    """The paper's only concrete form, f = k + alpha (k - 1): fair sharing plus a loss per further job."""
    return k + alpha * (k - 1.0)


def effective_sharers(sharers: NDArray[np.int64], xi: float) -> NDArray[np.float64]:
    """k_j = max(1, xi p_j) (eq. 7).

    The paper writes k_j = xi1 p_j; with xi1 < 1 and p_j = 1 that is below one, a link faster than an idle one,
    hence the maximum.
    """
    return np.maximum(1.0, xi * sharers)


def sharing_factors(most: int, alpha: float, xi: float, degradation: Degradation = linear) -> NDArray[np.float64]:
    """Values of f(alpha, k) by number of jobs on the busiest server, shape (most + 1,), k being xi times as many.

    Raises:
        InputError: for a parameter out of range, or a degradation under which a shared link is faster.
    """
    if not (np.isfinite(alpha) and alpha >= 0.0):
        raise InputError(f"must be a number of at least 0, found {alpha}", field="alpha")
    if not 0.0 < xi <= 1.0:
        raise InputError(f"must be above 0 and at most 1, found {xi}", field="xi")
    factor = np.asarray(degradation(alpha, effective_sharers(np.arange(most + 1), xi)), dtype=np.float64)
    if abs(factor[1] - 1.0) > 1e-12 or (np.diff(factor) < 0.0).any():
        raise InputError("a degradation must be 1 for a single job and must not fall with their number", field="f")
    return factor
