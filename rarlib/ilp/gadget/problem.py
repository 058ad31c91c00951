"""GADGET's jobs, and the problem of one slot: who gets how many workers where.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, sections IV and V, eq. 2-11.

| paper | here | unit |
|---|---|---|
| N_i | `SlotJobs.largest` | workers |
| F_i | `SlotJobs.limit` | worker-slots |
| l_i^r | `demand` | units of resource r per worker |
| b_i | `bandwidth` | Gbit/s |
| zeta_i | `efficiency` | amount per worker-slot |
| mu_i | `utility` | utility of an amount |
| z_i,t-1 | `done` | worker-slots |
| I[t] | rows of `SlotProblem` | |
| pi_i,kappa | `SlotProblem.gain` | utility |
| y_is[t] | an allocation: workers, integers of shape (jobs, servers) | workers |

The paper calls F_i a number of iterations, but eq. 3 bounds worker-slots with it: `SlotJobs.build` takes either. It has
no lower limit of workers; `smallest` lets rigid gangs in.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.utilities import Utility
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel
from rarlib.model.tree_network import TreeNetwork

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]

TOLERANCE = 1e-9
"""Relative overload that counts as rounding of floating-point sums."""

LIMITS = ("iterations", "worker-slots")


@dataclass(frozen=True)
class SlotJobs:
    """Jobs of a slotted, elastic, preemptible world; arrays of shape (jobs,) unless said otherwise."""

    demand: NDArray[np.float64]  # of one worker, shape (jobs, resources)
    bandwidth: NDArray[np.float64]  # reserved along the ring when the job spans servers, Gbit/s
    smallest: NDArray[np.int64]  # fewest workers in a slot in which the job runs
    largest: NDArray[np.int64]  # most workers in a slot, N_i
    efficiency: NDArray[np.float64]  # zeta_i
    limit: NDArray[np.float64]  # worker-slots over the whole horizon (inf: no limit)
    utility: Utility  # mu_i of efficiency x worker-slots

    def __len__(self) -> int:
        return len(self.largest)

    @classmethod
    def build(
        cls,
        *,
        utility: Utility,
        largest: Any,
        bandwidth: Any,
        demand: Any = 1.0,
        smallest: Any = 1,
        efficiency: Any = 1.0,
        budget: Any = np.inf,
        budget_counts: str = "iterations",
    ) -> "SlotJobs":
        """Check and store; scalars stand for every job of `utility`.

        Args:
            utility: one entry per job.
            largest: N_i.
            bandwidth: b_i.
            demand: l_i^r, shape (jobs, resources), (jobs,) or a number.
            smallest: fewest workers.
            efficiency: zeta_i.
            budget: F_i.
            budget_counts: what F_i bounds: `iterations` (zeta_i times worker-slots) or `worker-slots` (eq. 3).

        Raises:
            InputError: naming the field, the job and the rule.
        """
        n = len(utility)
        if budget_counts not in LIMITS:
            raise InputError(f"unknown value {budget_counts!r}; known: {', '.join(LIMITS)}", field="budget_counts")
        need = np.asarray(demand, dtype=np.float64)
        need = need if need.ndim == 2 else need.reshape(-1, 1)
        need = np.array(np.broadcast_to(need, (n, need.shape[1])))
        most, least = _whole(largest, n, "largest"), _whole(smallest, n, "smallest")
        zeta, gbps, cap = (_numbers(x, n) for x in (efficiency, bandwidth, budget))
        _require(np.all(np.isfinite(need) & (need >= 0), axis=1) & (need[:, 0] > 0), "must be above 0", "demand")
        _require(most >= 1, "N_i must be at least 1", "largest")
        _require((least >= 1) & (least <= most), "must lie between 1 and the largest number of workers", "smallest")
        _require(np.isfinite(zeta) & (zeta > 0), "must be a number above 0", "efficiency")
        _require(np.isfinite(gbps) & (gbps >= 0), "must be a number of at least 0", "bandwidth")
        _require(cap > 0, "must be above 0", "budget")
        limit = np.floor(cap / zeta * (1.0 + 1e-12)) if budget_counts == "iterations" else cap
        return cls(need, gbps, least, most, zeta, limit, utility)

    def check_fit(self, network: TreeNetwork) -> None:
        """Refuse jobs that no ring of several workers, or no single worker, fits into the network.

        Raises:
            InputError: naming the job.
        """
        if self.demand.shape[1] != network.capacity.shape[1]:
            raise InputError(
                f"jobs name {self.demand.shape[1]} resources, servers {network.capacity.shape[1]}", field="demand"
            )
        widest = float(network.link_gbps.max())
        rule = f"a ring needs more bandwidth than any server's link has ({widest:g} Gbit/s)"
        _require((self.bandwidth <= widest) | (self.largest == 1), rule, "bandwidth")
        host = np.any(np.all(self.demand[:, None, :] <= network.capacity[None], axis=2), axis=1)
        _require(host, "no server has room for a single worker", "demand")

    def value(self, done: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each job after `done` worker-slots, shape (jobs,)."""
        return self.utility.value(self.efficiency * done)

    def log_marginals(self, active: NDArray[np.int64], done: NDArray[np.float64], most: int) -> NDArray[np.float64]:
        """Logarithm of what the k-th of `most` workers gains in a slot after `done`, shape (active, most)."""
        amount = self.efficiency[active, None] * (done[:, None] + np.arange(most + 1))
        return self.utility.take(active).log_gain(amount[:, :-1], amount[:, 1:])

    def active(self, arrived: NDArray[np.bool_], done: NDArray[np.float64]) -> NDArray[np.int64]:
        """I[t]: jobs that have arrived and have worker-slots left (Alg. 1, l. 3)."""
        return np.flatnonzero(arrived & (done < self.limit))

    def slot(self, network: TreeNetwork, active: _Ints, done: _Reals, gains: bool = True) -> "SlotProblem":
        """The problem (10) of one slot, for the jobs in I[t] after z_i,t-1 = `done`; without `gains` these are 0."""
        left = np.minimum(self.largest[active], self.limit[active] - done[active])  # eq. 2 and 11
        # A gang that needs more workers than it has worker-slots left finishes early in its last slot.
        largest = np.maximum(np.floor(left + TOLERANCE), self.smallest[active]).astype(np.int64)
        gain = np.zeros((len(active), int(largest.max(initial=0)) + 1))
        if gains:
            workers = np.arange(gain.shape[1])
            utility = self.utility.take(active).value(self.efficiency[active, None] * (done[active, None] + workers))
            allowed = (workers >= self.smallest[active, None]) & (workers <= largest[:, None])
            gain = np.where(allowed, utility - utility[:, :1], 0.0)
        return SlotProblem(
            network=network,
            job=active,
            demand=self.demand[active],
            bandwidth=self.bandwidth[active],
            smallest=self.smallest[active],
            largest=largest,
            gain=gain,
        )


@dataclass(frozen=True)
class SlotProblem:
    """Maximise the sum of gains of one slot; arrays of shape (jobs,) unless said otherwise."""

    network: TreeNetwork  # the servers and links
    job: NDArray[np.int64]  # name of each row, the same from slot to slot
    demand: NDArray[np.float64]  # of one worker, shape (jobs, resources)
    bandwidth: NDArray[np.float64]  # Gbit/s
    smallest: NDArray[np.int64]  # fewest workers, if any
    largest: NDArray[np.int64]  # most workers
    # utility won by k workers in this slot, shape (jobs, most workers + 1); 0 where k is not allowed
    gain: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.job)

    @cached_property
    def most_workers(self) -> NDArray[np.int64]:
        """Workers of each job that fit on each server alone (eq. 5), shape (jobs, servers)."""
        most = np.empty((len(self), self.network.servers), np.int64)
        _count_fitting(self.network.capacity, self.demand, self.largest, most)
        return most

    def take(self, rows: NDArray[np.int64]) -> "SlotProblem":
        """The problem of some of the jobs, named as before."""
        names = ("job", "demand", "bandwidth", "smallest", "largest", "gain")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def limited(self, largest: NDArray[np.int64]) -> "SlotProblem":
        """The same with at most this many workers of each job, shape (jobs,), as (12) has it with ceil(q_i)."""
        return replace(self, largest=np.minimum(self.largest, largest))

    def value(self, workers: NDArray[np.int64]) -> float:
        """Sum of gains of an allocation, shape (jobs, servers)."""
        return float(self.gain[np.arange(len(self)), workers.sum(axis=1)].sum())

    def broken(self, workers: NDArray[np.int64]) -> str:
        """The first rule that an allocation breaks, in words; empty when it is feasible.

        Knows nothing of the solvers: whole workers, the limits of each job, capacities and links.
        """
        if workers.shape != (len(self), self.network.servers):
            return f"shape {workers.shape} is not (jobs, servers)"
        if not np.issubdtype(workers.dtype, np.integer) or (workers < 0).any():
            return "workers are whole numbers of at least 0"
        total = workers.sum(axis=1)
        for i in np.flatnonzero((total > 0) & ((total < self.smallest) | (total > self.largest))):
            return f"job {self.job[i]} has {total[i]} workers, allowed are {self.smallest[i]} to {self.largest[i]}"
        loads = self.network.loads(workers, self.demand, self.bandwidth)
        for name, load, capacity in (
            ("resources of server", loads.node, self.network.capacity),
            ("link of server", loads.link, self.network.link_gbps),
            ("uplink of rack", loads.uplink, self.network.rack_gbps),
        ):
            over = load > capacity * (1.0 + TOLERANCE)
            if over.any():
                return f"{name} {int(np.argwhere(over)[0][0])} is overfull"
        return ""


@hot_kernel
def _count_fitting(capacity: _Reals, demand: _Reals, largest: _Ints, most: _Ints) -> None:
    for i in range(len(demand)):
        for s in range(len(capacity)):
            fit = np.inf
            for r in range(capacity.shape[1]):
                if demand[i, r] > 0.0:
                    fit = min(fit, capacity[s, r] / demand[i, r])
            most[i, s] = int(min(np.floor(fit * (1.0 + TOLERANCE)), float(largest[i])))


def _numbers(value: Any, n: int) -> NDArray[np.float64]:
    return np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), (n,)))


def _whole(value: Any, n: int, field: str) -> NDArray[np.int64]:
    numbers = _numbers(value, n)
    _require(np.isfinite(numbers) & (numbers == np.floor(numbers)), "must be a whole number", field)
    return numbers.astype(np.int64)


def _require(ok: NDArray[np.bool_], rule: str, field: str) -> None:
    if not ok.all():
        raise InputError(rule, field=f"{field} of job {int(np.argmin(ok))}")
