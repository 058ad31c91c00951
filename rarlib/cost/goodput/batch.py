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
from rarlib.model.offers import MOST_REPLICAS

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
    """Limits of a batch."""

    first: float  # initial global batch
    low: float  # smallest global batch to try
    high: float  # largest one; below `low`, batches are tried downwards
    least: int  # fewest samples that a GPU takes at once
    largest: int  # most samples that it takes at once


_REPLICAS, _COUNT, _BEST, _TIMES = 5, 6, 7, 8
_BATCHES, _WIDTH = 12, 4
NOTED = _BATCHES + _WIDTH * CANDIDATES
"""Numbers that note a search: its bounds and replicas; how many batches, and which was best; what their times follow
from (alpha_c, beta_c, gamma, seconds of an exchange); and of each batch the samples, the steps, the size in initial
batches (0: out of bounds) and the seconds (0: not computed yet)."""


@hot_kernel
def place_of(group: int, replicas: int) -> int:
    """Where the batches of a group of searches with these replicas are noted; the first place is for any others."""
    return group * (MOST_REPLICAS + 1) + (replicas if replicas <= MOST_REPLICAS else 0)


def no_batches(groups: int) -> NDArray[np.float64]:
    """Space for notes, shape (places, `NOTED`), in which none is."""
    return np.zeros((groups * (MOST_REPLICAS + 1), NOTED))


@hot_kernel
def _are_noted(bounds: Bounds, replicas: int, noted: NDArray[np.float64]) -> bool:
    first, low, high, least, largest = bounds
    same = noted[0] == first and noted[1] == low and noted[2] == high and noted[3] == least and noted[4] == largest
    return bool(same and noted[_REPLICAS] == replicas)


@hot_kernel
def _note_batches(bounds: Bounds, replicas: int, noted: NDArray[np.float64]) -> None:
    """Note samples and steps of every batch to try, in order; neighbours that come to the same are noted once."""
    noted[0], noted[1], noted[2], noted[3], noted[4] = bounds
    noted[_REPLICAS] = replicas
    ratio = bounds.high / bounds.low
    end = _BATCHES
    for i in range(CANDIDATES):
        batch = bounds.high if i == CANDIDATES - 1 else bounds.low * ratio ** (i / (CANDIDATES - 1.0))
        steps = accumulation_steps(batch / replicas, bounds.largest, replicas, bounds.first)
        local = math.ceil(batch / replicas / (steps + 1) - _EPS)
        if end == _BATCHES or local != noted[end - _WIDTH] or steps != noted[end - _WIDTH + 1]:
            size = replicas * local * (steps + 1.0) / bounds.first
            noted[end], noted[end + 1] = local, steps
            noted[end + 2] = size if bounds.least <= local <= bounds.largest else 0.0
            end += _WIDTH
        if bounds.high == bounds.low:
            break
    noted[_COUNT], noted[_BEST], noted[_TIMES] = (end - _BATCHES) // _WIDTH, 0, np.nan


@hot_kernel
def _bring_times(p: NDArray[np.float64], exchange: float, noted: NDArray[np.float64]) -> None:
    """Drop noted seconds that follow from other parameters."""
    compute, each, gamma, sync = noted[_TIMES], noted[_TIMES + 1], noted[_TIMES + 2], noted[_TIMES + 3]
    if compute != p[0] or each != p[1] or gamma != p[6] or sync != exchange:
        noted[_TIMES], noted[_TIMES + 1], noted[_TIMES + 2], noted[_TIMES + 3] = p[0], p[1], p[6], exchange
        for i in range(int(noted[_COUNT])):
            noted[_BATCHES + _WIDTH * i + 3] = 0.0


@hot_kernel
def _goodput(
    p: NDArray[np.float64],
    square: float,
    variance: float,
    bounds: Bounds,
    noted: NDArray[np.float64],
    i: int,
    needed: float,
) -> float:
    """Goodput of a noted batch; 0 if it is out of bounds, or if it would fall short of `needed` with a full overlap."""
    at = _BATCHES + _WIDTH * i
    size, seconds = noted[at + 2], noted[at + 3]
    if size == 0.0:
        return 0.0
    # Throughput x efficiency: B / T_iter x gain / (B / M_0).
    worth = gain(square, variance, size) * bounds.first
    if seconds == 0.0:
        steps, compute, exchange = noted[at + 1], compute_s(p, noted[at]), noted[_TIMES + 3]
        if worth / (steps * compute + max(compute, exchange)) < needed:
            return 0.0
        seconds = steps * compute + overlapped(compute, exchange, p[6])
        noted[at + 3] = seconds
    return worth / seconds


@hot_kernel
def best_batch(
    p: NDArray[np.float64],
    square: float,
    variance: float,
    nodes: int,
    replicas: int,
    bounds: Bounds,
    noted: NDArray[np.float64],
) -> Any:
    """The batch with the best goodput, given the gradient's squared norm and variance with the initial batch.

    Batches of an earlier search in `noted`, shape (`NOTED`,), are used if it had the same bounds and replicas, else
    noted anew.

    Returns:
        Goodput, in samples per second that count like those of the initial batch; samples per GPU; accumulation steps.
    """
    if not _are_noted(bounds, replicas, noted):
        _note_batches(bounds, replicas, noted)
    _bring_times(p, exchange_s(p, nodes, replicas), noted)
    # Most batches need no exponentials once it is known what a good one reaches.
    reached = _goodput(p, square, variance, bounds, noted, int(noted[_BEST]), 0.0)
    best, index = -1.0, 0
    for i in range(int(noted[_COUNT])):
        goodput = _goodput(p, square, variance, bounds, noted, i, max(best, reached))
        if goodput > best:
            best, index = goodput, i
    noted[_BEST] = index
    at = _BATCHES + _WIDTH * index
    return best, int(noted[at]), int(noted[at + 1])
