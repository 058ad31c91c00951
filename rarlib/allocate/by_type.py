"""Assigning jobs to GPU types, for schedulers whose papers assume a single GPU type.

Jobs are served in a given order. Each takes the type of greatest value to it, where the value is its speed on the GPUs
it wants or on an equal share of the type, whichever are more:

    value_ik = G_ik(largest size up to max(n_i, C_k / (m_k + 1)))
    C_k      GPUs of type k
    m_k      jobs assigned to k before this one
    n_i      GPUs that the job wants at once
    G_ik(n)  estimated work per second of job i on n GPUs of type k; for a scheduler that knows no speeds, n

Only types count on which the job can run and n_i GPUs are left. A running job keeps its type unless another type has
`FASTER` times the value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.jit import hot_kernel, kernel
from rarlib.model.offers import MOST_REPLICAS, Configurations, GoodputEstimates
from rarlib.model.scheduler import View

FASTER = 1.5
"""How many times faster another type must be for a running job to move there."""


class Types:
    """GPU types of a cluster, and the estimated speed of jobs on any number of GPUs of each type.

    Attributes:
        capacity: GPUs of each type, shape (types,).
        kind_of: type of each node, shape (nodes,).
    """

    def __init__(self, goodput: GoodputEstimates, cluster: Cluster) -> None:
        self._goodput = goodput
        self.kind_of = np.array([goodput.types.index(name) for name in cluster.gpu_type], dtype=np.int64)
        self.capacity: NDArray[np.int64] = goodput.gpus_per_node * goodput.nodes
        most = np.minimum(self.capacity, MOST_REPLICAS)
        kind = np.repeat(np.arange(len(most)), most)
        gpus = np.concatenate([np.arange(1, n + 1) for n in most.tolist()])
        self._options = Configurations(kind, -(-gpus // goodput.gpus_per_node[kind]), gpus)

    def rates(self, view: View, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """G, 0 where a job cannot run, shape (jobs, types, GPUs + 1).

        A job of which nothing is known yet counts as equally fast on all types: on as many GPUs as its user requested
        it has the speed that its user expects, on fewer in proportion, and more do not help it.
        """
        found = np.zeros((len(jobs), len(self.capacity), int(self._options.gpus.max()) + 1))
        samples_per_s = self._goodput.goodputs(jobs, self._options)
        found[:, self._options.kind, self._options.gpus] = samples_per_s / self._goodput.samples[jobs, None]
        blank = np.flatnonzero(~found.any(axis=(1, 2)))
        if len(blank):
            found[blank] = self._as_requested(view, jobs[blank], found.shape[2])
        return found

    def _as_requested(self, view: View, jobs: NDArray[np.int64], sizes: int) -> NDArray[np.float64]:
        """Work per second that users expect, shape (jobs, types, sizes)."""
        asked = np.array([view.job(job).gpus for job in jobs.tolist()])[:, None, None]
        unit, gpus = self._goodput.pipeline[jobs][:, :, None], np.arange(sizes)
        runs = (unit > 0) & (gpus > 0) & (gpus % np.maximum(unit, 1) == 0) & (gpus <= self.capacity[:, None])
        return np.asarray(runs * requested_speed(view, jobs)[:, None, None] * np.minimum(gpus, asked) / asked)


def requested_speed(view: View, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Work per second of jobs on the GPUs that their users requested, shape (jobs,)."""
    seconds = np.array([view.job(job).duration_s for job in jobs.tolist()])
    return np.asarray(view.prices.work[jobs] / np.maximum(seconds, 1e-9))


class TypeAssignment(NamedTuple):
    """Arrays of shape (jobs,)."""

    kind: NDArray[np.int64]
    """GPU type; -1 if none fits."""
    option: NDArray[np.int64]
    """Index of the size granted; -1 if none."""


@hot_kernel
def _value(able: NDArray[np.float64], best: NDArray[np.float64], gpus: int, share: int) -> float:
    """Value of a type to a job that wants `gpus` GPUs of it; 0 if the job cannot have them."""
    last = len(able) - 1
    if gpus < 1 or gpus > last or not able[gpus] > 0.0:
        return 0.0
    return best[min(max(gpus, share), last)]


@kernel
def _assign_types(
    able: NDArray[np.float64],
    best: NDArray[np.float64],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
    capacity: NDArray[np.int64],
    left: NDArray[np.int64],
    assigned: TypeAssignment,
) -> None:
    count = np.zeros_like(left)
    for job in order:
        now = assigned.kind[job]
        assigned.kind[job] = -1
        for option in range(sizes.shape[1]):
            gpus, most = sizes[job, option], 0.0
            for k in range(len(left)):
                if gpus > left[k]:
                    continue
                value = _value(able[job, k], best[job, k], gpus, capacity[k] // (count[k] + 1))
                value *= FASTER if k == now else 1.0
                if value > most:
                    assigned.kind[job], assigned.option[job], most = k, option, value
            if most > 0.0:
                left[assigned.kind[job]] -= gpus
                count[assigned.kind[job]] += 1
                break


def assign_types(
    rate: NDArray[np.float64],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
    now: NDArray[np.int64],
    capacity: NDArray[np.int64],
    left: NDArray[np.int64],
) -> TypeAssignment:
    """Assign each job a type and the first of its sizes that fits on a type; no job blocks another.

    `rate` is G, shape (jobs, types, GPUs + 1); `sizes` are in order of preference, shape (jobs, options), and `order`
    has the most urgent first. `now` is the type that each job runs on, -1 if it does not run; `left` is reduced by what
    is granted.
    """
    assigned = TypeAssignment(now.copy(), np.full(len(now), -1))
    best = np.maximum.accumulate(rate, axis=2)
    _assign_types(rate, best, order, sizes, capacity, left, assigned)
    return assigned
