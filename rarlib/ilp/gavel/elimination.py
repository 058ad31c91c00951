"""Small systems of linear equations inside compiled loops, where a call into LAPACK costs more than it does."""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel


@hot_kernel
def _pivot(a: NDArray[np.float64], b: NDArray[np.float64], k: int) -> None:
    """Exchange row k with that of the largest entry below it in column k."""
    n, wide = b.shape
    best = k
    for i in range(k + 1, n):
        if abs(a[i, k]) > abs(a[best, k]):
            best = i
    if best != k:
        for c in range(k, n):
            a[k, c], a[best, c] = a[best, c], a[k, c]
        for c in range(wide):
            b[k, c], b[best, c] = b[best, c], b[k, c]


@hot_kernel
def eliminate(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    """Gaussian elimination with row exchanges: b becomes the solution of a x = b, a is used up.

    An unknown that nothing determines, as where jobs ask for exactly what the cluster has, is 0.
    """
    n, wide = b.shape
    for k in range(n):
        _pivot(a, b, k)
        for i in range(k + 1, n if a[k, k] != 0.0 else k + 1):
            factor = a[i, k] / a[k, k]
            for c in range(k + 1, n):
                a[i, c] -= factor * a[k, c]
            for c in range(wide):
                b[i, c] -= factor * b[k, c]
    for k in range(n - 1, -1, -1):
        for c in range(wide):
            for i in range(k + 1, n):
                b[k, c] -= a[k, i] * b[i, c]
            b[k, c] = b[k, c] / a[k, k] if a[k, k] != 0.0 else 0.0
