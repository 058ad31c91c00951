"""Rings on GPUs drawn at random: an optimum of the augmented LP that does not reward locality.

While no capacity binds, every mapping is an optimum: nothing in (12)-(19) rewards workers on one server. The simplex
method over packed columns ends at packed rings; a method that ends inside the set of optima, as interior-point methods
do, spreads the weight of a job over all of its mappings. Here the k workers of a job are k of all C GPUs, each choice
with the same weight. Then k c_s / C of them are on a server of c_s GPUs in the mean, so that weights x which fit one
pool of GPUs, sum k x <= C, fit every server: this mixture has the same value as a packed one with these weights.

Links carry more. Where the mean load of the drawn rings exceeds a link, only a share of each job's weight is drawn, and
the rest has the packed mappings: both have the same weights, so that any blend has, and the share is the largest whose
loads fit. Jobs of several workers that reserve more than the narrowest link has are packed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from rarlib.ilp.gadget.augmented import Mixture
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.ilp.gadget.sparse import SparseRows
from rarlib.model.errors import InputError
from rarlib.model.tree_network import TreeNetwork


def check_unit_workers(problem: SlotProblem) -> None:
    """Refuse jobs whose workers need anything but one GPU.

    Raises:
        InputError: naming the rule.
    """
    if problem.demand.shape[1] != 1 or (problem.demand != 1.0).any():
        raise InputError("rings anywhere need jobs of one GPU per worker, without other resources", field="optimum")


def mean_loads(problem: SlotProblem, sizes: NDArray[np.int64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Loads of links and uplinks by rings anywhere, weighed by `mass`, Gbit/s, shape (servers + racks,)."""
    network = problem.network
    gpus = network.capacity[:, 0].astype(np.int64)
    racks = np.bincount(network.rack, gpus, network.racks).astype(np.int64)
    kinds, kind = np.unique(sizes, return_inverse=True)
    asked = np.bincount(kind.ravel(), problem.bandwidth * mass, len(kinds))
    return np.concatenate([asked @ _crossed(part, int(gpus.sum()), kinds) for part in (gpus, racks)])


def _crossed(part: NDArray[np.int64], total: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probability that a ring has some workers on each part of the GPUs and some elsewhere, shape (sizes, parts)."""
    inside, outside = _all_of(part, total, sizes), _all_of(total - part, total, sizes)
    return np.where(sizes[:, None] > 1, np.clip(1.0 - inside - outside, 0.0, 1.0), 0.0)


def _all_of(part: NDArray[np.int64], total: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probability that all of `sizes` GPUs drawn are among `part`, shape (sizes, parts)."""
    k = sizes[:, None]
    with np.errstate(invalid="ignore"):
        logs = gammaln(part + 1.0) - gammaln(part - k + 1.0) + gammaln(total - k + 1.0) - gammaln(total + 1.0)
    return np.where(part >= k, np.exp(logs), 0.0)


def drawn_workers(network: TreeNetwork, sizes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Workers of rings on GPUs drawn at random, shape (jobs, servers)."""
    ends = np.cumsum(network.capacity[:, 0].astype(np.int64))
    gpu = rng.integers(0, ends[-1], (len(sizes), int(sizes.max(initial=0))))
    free = np.arange(gpu.shape[1]) >= sizes[:, None]
    while True:
        # Distinct numbers for the workers that a job does not have: they meet nobody.
        met = np.sort(np.where(free, -1 - np.arange(gpu.shape[1]), gpu), axis=1)
        again = np.flatnonzero((np.diff(met, axis=1) == 0).any(axis=1))
        if not len(again):
            break
        gpu[again] = rng.integers(0, ends[-1], (len(again), gpu.shape[1]))
    row, worker = np.nonzero(~free)
    workers = np.zeros((len(sizes), network.servers), np.int64)
    np.add.at(workers, (row, np.searchsorted(ends, gpu[row, worker], side="right")), 1)
    return workers


class Anywhere(NamedTuple):
    """A blend of rings anywhere and packed ones."""

    mass: NDArray[np.float64]  # weight of each job, shape (jobs,)
    share: NDArray[np.float64]  # of each weight that is anywhere, shape (jobs,)
    packed: Mixture | None  # the packed mixture with the same weights; not needed with shares of 1

    @classmethod
    def blend(
        cls, problem: SlotProblem, sizes: NDArray[np.int64], mass: NDArray[np.float64], packed: Mixture | None
    ) -> "Anywhere | None":
        """The largest share of rings anywhere that links can carry; None if some is not 1 and `packed` is not given."""
        network = problem.network
        limit = np.concatenate([network.link_gbps, network.rack_gbps])
        free = ((problem.bandwidth <= limit.min()) | (sizes < 2)).astype(np.float64)
        load = mean_loads(problem, sizes, mass * free)
        if free.all() and (load <= limit * (1.0 + TOLERANCE)).all():
            return cls(mass, free, None)
        if packed is None:
            return None
        rest, instead = (packed.loads.sum_of(packed.weight * of[packed.row]) for of in (1.0 - free, free))
        nodes = network.capacity.size
        rest, instead = limit - rest[nodes:], instead[nodes:]
        over = load > np.maximum(rest, instead)
        share = float(np.clip((rest - instead)[over] / (load - instead)[over], 0.0, 1.0).min(initial=1.0))
        return cls(mass, share * free, packed)

    def draw(
        self, problem: SlotProblem, sizes: NDArray[np.int64], columns: Columns, rng: np.random.Generator
    ) -> Mixture:
        """One drawn mapping of each job, beside its packed ones: what a rounding draws from."""
        row = np.flatnonzero(self.mass * self.share)
        workers = drawn_workers(problem.network, sizes[row], rng)
        loads = columns.loads_of(workers, problem.demand[row], problem.bandwidth[row])
        weight, every = (self.share * self.mass)[row], SparseRows.dense(workers)
        if self.packed is not None:
            row = np.concatenate([row, self.packed.row])
            weight = np.concatenate([weight, (1.0 - self.share)[self.packed.row] * self.packed.weight])
            every, loads = every.below(self.packed.workers), loads.below(self.packed.loads)
            order = np.argsort(row, kind="stable")
            row, weight, every, loads = row[order], weight[order], every.take(order), loads.take(order)
        return Mixture(0.0, 0.0, row, weight, every, loads, np.zeros(len(problem)))
