"""Gavel's policies: which share of its time each job should spend on each GPU type.

Source: Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, "Heterogeneity-Aware Cluster Scheduling Policies for
Deep Learning Workloads", OSDI 2020, section 4.

| paper | here | unit |
|---|---|---|
| X_mj | shares | 1 |
| T_mj | `rate` | iterations per s |
| scale_factor_m | `gpus` | GPUs |
| num_workers_j | `capacity` | GPUs |
| X^isolated | `isolated` | 1 |

Among equally good allocations each takes the analytic centre (`central_path`), as an interior-point solver does; the
authors use ECOS.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gavel.central_path import CONSTANT, HYPERBOLIC, PROPORTIONAL, ShareProgram, centre

DECIMALS = 5
"""Decimals kept of the shares of `max_sum_throughput`, as in the code of Sia's authors: less was meant to be 0."""

Shares = NDArray[np.float64]
"""Shape (jobs, types): those of a job sum to at most 1; those of a type, times GPUs, to at most its capacity."""


def max_sum_throughput(rate: NDArray[np.float64], gpus: NDArray[np.int64], capacity: NDArray[np.int64]) -> Shares:
    """Most iterations per second of all jobs together, which favours short iterations (section 4.1 and the code)."""
    return _centred(rate / rate.max(), gpus, capacity, rate, CONSTANT, 0.0).round(DECIMALS)


def max_min_fairness(rate: NDArray[np.float64], gpus: NDArray[np.int64], capacity: NDArray[np.int64]) -> Shares:
    """Maximise the smallest throughput per GPU, relative to that of equal time on all GPUs (section 4.1)."""
    equal = (rate * (capacity / capacity.sum())).sum(axis=1)
    speed = rate / equal[:, None] * gpus[:, None]
    return _centred(np.zeros_like(rate), gpus, capacity, speed, PROPORTIONAL, 1.0)


def finish_time_fairness(
    rate: NDArray[np.float64],
    gpus: NDArray[np.int64],
    capacity: NDArray[np.int64],
    *,
    age_s: NDArray[np.float64],
    left: NDArray[np.float64],
    alone_s: NDArray[np.float64],
) -> Shares:
    """Minimise the largest ratio of a job's finish time to that on 1/n of the cluster (section 4.2; Themis).

    `rate` is in iterations per second, shape (jobs, types); `age_s` counts since submission, `left` iterations, and
    `alone_s` from submission to completion on 1/n of the cluster.
    """
    best = rate.max(axis=1)
    speed = rate / best[:, None]
    return _centred(
        np.zeros_like(rate), gpus, capacity, speed, HYPERBOLIC, -1.0, work=left / best, base=alone_s, age=age_s
    )


def isolated(gpus: NDArray[np.int64], capacity: NDArray[np.int64]) -> Shares:
    """Shares of 1/n of every GPU type, at most all of a job's time."""
    equal = capacity / len(gpus) / gpus[:, None]
    return equal / np.maximum(equal.sum(axis=1), 1.0)[:, None]


def _centred(
    gain: NDArray[np.float64],
    gpus: NDArray[np.int64],
    capacity: NDArray[np.int64],
    speed: NDArray[np.float64],
    kind: int,
    slope: float,
    **demand: NDArray[np.float64],
) -> Shares:
    none = np.zeros(len(gpus))
    pieces = {"work": none, "base": none, "age": none, **demand}
    shares, _, _ = centre(
        ShareProgram(gain, gpus.astype(np.float64), capacity.astype(np.float64), speed, kind, slope, **pieces)
    )
    return np.clip(shares, 0.0, 1.0)
