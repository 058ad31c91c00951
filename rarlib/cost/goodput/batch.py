"""Choosing the batch: the best of fifty that grow geometrically.

Source: Sia's artifact (SOSP 2023), from Pollux (OSDI 2021). A global batch B on K replicas gives B/K samples to each,
cut into s + 1 parts that fit the GPU. On one GPU gradients are always accumulated beyond the initial batch, because
their variance is not known from a single part.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.throughput import compute_s, exchange_s, gain, overlapped
from rarlib.model.jit import hot_kernel

CANDIDATES = 50
_EPS = 1e-8
"""The authors' tolerance for rounding errors."""


@hot_kernel
def accumulation_steps(local: float, largest: float, replicas: int, first: float) -> int:
    """Accumulation steps for `local` samples per replica, with at most `largest` at once."""
    steps = math.ceil(local / largest - _EPS) - 1
    if replicas == 1 and local > first + _EPS:
        steps = max(steps, 1)
    return int(steps)


class Bounds(NamedTuple):
    """Limits of a batch.

    Attributes:
        first: initial global batch.
        low: smallest global batch to try.
        high: largest one; below `low`, batches are tried downwards.
        least: fewest samples that a GPU takes at once.
        largest: most samples that it takes at once.
    """

    first: float
    low: float
    high: float
    least: int
    largest: int


@hot_kernel
def best_batch(
    p: NDArray[np.float64], square: float, variance: float, nodes: int, replicas: int, bounds: Bounds
) -> Any:
    """The batch with the best goodput.

    Args:
        p: parameters of the throughput, shape (7,).
        square: squared norm of the gradient.
        variance: variance of the gradient, with the initial batch.
        nodes: nodes the job is on.
        replicas: replicas of the model.
        bounds: limits of the batch.

    Returns:
        Goodput, in samples per second that count like those of the initial batch; samples per GPU; accumulation steps.
    """
    best, local_best, steps_best = -1.0, 0, 0
    exchange = exchange_s(p, nodes, replicas)
    ratio = bounds.high / bounds.low
    for i in range(CANDIDATES):
        batch = bounds.high if i == CANDIDATES - 1 else bounds.low * ratio ** (i / (CANDIDATES - 1.0))
        steps = accumulation_steps(batch / replicas, bounds.largest, replicas, bounds.first)
        local = math.ceil(batch / replicas / (steps + 1) - _EPS)
        goodput = 0.0
        if bounds.least <= local <= bounds.largest:
            total = replicas * local * (steps + 1.0)
            compute = compute_s(p, local)
            seconds = steps * compute + overlapped(compute, exchange, p[6])
            # Throughput x efficiency: B / T_iter x gain / (B / M_0).
            goodput = gain(square, variance, total / bounds.first) * bounds.first / seconds
        if goodput > best:
            best, local_best, steps_best = goodput, local, steps
        if bounds.high == bounds.low:
            break
    return best, local_best, steps_best
