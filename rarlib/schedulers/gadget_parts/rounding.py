"""Randomised rounding of mixtures of mappings, and the overload of the network that Thm. 8 allows.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, Alg. 2, l. 7-9 and Thm. 8; the
heuristic is the one of Rost and Schmid's reference code, which drops a mapping that no longer fits.

| paper | here | unit |
|---|---|---|
| phi_i^k | `Mixture.weight` | 1 |
| A^u,r / g^u,r, A^u,v / e^u,v | `excess` | 1 |
| beta^r, gamma | `LoadLimits.beta`, `LoadLimits.gamma` | 1 |
| Delta^r(V_s), Delta(E_s) | inside `limits` | 1 |
| eps | largest single demand over capacity, at most 1 (not defined in the paper) | 1 |

C_max(i, u) / d_max(i, u) is the number of workers that a mapping may put on server u; a mapping uses a link once. The
logarithm is the natural one, V_s the servers (switches host nothing), E_s both directions of every link.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.augmented import Mixture
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.model.jit import hot_kernel

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]


class LoadLimits(NamedTuple):
    """Thm. 8: loads above `beta` (by resource, of nodes) and `gamma` (of links) of the capacity are improbable."""

    beta: NDArray[np.float64]
    gamma: float


def limits(problem: SlotProblem, sizes: NDArray[np.int64], most_workers: NDArray[np.int64]) -> LoadLimits:
    """Alg. 2, l. 2, for ring sizes (jobs,) and the workers that a mapping may place on each server (jobs, servers)."""
    network, demand = problem.network, problem.demand
    beta = np.ones(demand.shape[1])
    for r in range(len(beta)):
        share, delta = _single(demand[:, r], sizes >= 1, network.capacity[:, r], most_workers)
        beta[r] += share * math.sqrt(2.0 * delta * math.log(network.servers))
    links = np.concatenate([network.link_gbps, network.rack_gbps])
    share, delta = _single(problem.bandwidth, sizes >= 2, links, None)
    return LoadLimits(beta, 1.0 + share * math.sqrt(2.0 * delta * math.log(2 * len(links))))


@hot_kernel
def _single(demand: _Reals, asks: NDArray[np.bool_], capacity: _Reals, times: _Ints | None) -> tuple[float, float]:
    """Eps and Delta of single demands that fit; `times`: how often a mapping may load a place, once if None."""
    eps, delta = 0.0, 0.0
    for at in range(len(capacity)):
        largest, total = 0.0, 0
        for i in range(len(demand)):
            if asks[i] and 0.0 < demand[i] <= capacity[at] < np.inf:
                largest = max(largest, demand[i])
                total += 1 if times is None else times[i, at] * times[i, at]
        if total > 0:
            eps, delta = max(eps, largest / capacity[at]), max(delta, float(total))
    return eps, delta


class MixtureArrays(NamedTuple):
    """A mixture in the form that the kernel reads: mappings in rows, job by job."""

    first: NDArray[np.int64]  # where each job's mappings begin, shape (jobs + 1,)
    weight: NDArray[np.float64]  # weight of each mapping, shape (mappings,)
    start: NDArray[np.int64]  # where each mapping's loads begin, shape (mappings + 1,)
    place: NDArray[np.int64]  # which place is loaded, shape (loads,)
    load: NDArray[np.float64]  # the amount, shape (loads,)
    limit: NDArray[np.float64]  # capacity of each place, with a tolerance for rounding errors, shape (places,)

    @classmethod
    def of(cls, mixture: Mixture, jobs: int, capacity: NDArray[np.float64]) -> "MixtureArrays":
        """Arrays of a mixture over `jobs` rows on places of the given capacity."""
        loads = mixture.loads
        return cls(
            first=np.searchsorted(mixture.row, np.arange(jobs + 1)).astype(np.int64),
            weight=mixture.weight,
            start=loads.start,
            place=loads.place,
            load=loads.value,
            limit=capacity * (1.0 + TOLERANCE),
        )

    def draw(self, rng: np.random.Generator, *, fits: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw a mapping of each job (Alg. 2, l. 8); jobs draw in random order.

        With `fits` a mapping that would overload a place is dropped (heuristic), otherwise all are kept (vanilla).

        Returns:
            The mapping of each job, -1 if none, shape (jobs,), and their total load, shape (places,).
        """
        jobs = len(self.first) - 1
        order, chance, picked = rng.permutation(jobs), rng.random(jobs), np.full(jobs, -1)
        used = np.zeros(len(self.limit))
        _draw(self, order, chance, used, picked, fits)
        return picked, used


@hot_kernel
def _draw(arrays: MixtureArrays, order: _Ints, chance: _Reals, used: _Reals, picked: _Ints, fits: bool) -> None:
    for job in order:
        left = chance[job]
        for m in range(arrays.first[job], arrays.first[job + 1]):
            left -= arrays.weight[m]
            if left < 0.0:
                free = True
                for at in range(arrays.start[m], arrays.start[m + 1]):
                    place = arrays.place[at]
                    free = free and (not fits or used[place] + arrays.load[at] <= arrays.limit[place])
                if free:
                    picked[job] = m
                    for at in range(arrays.start[m], arrays.start[m + 1]):
                        used[arrays.place[at]] += arrays.load[at]
                break
