"""The smallest limit on the busy time of a GPU: eq. 11-16 of SJF-BCO solved instead of searched by a heuristic.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, doi 10.1145/3492866.3549716, section 5: "min -1" subject to eq. 11-13, 15, 16.

| paper | here | unit |
|---|---|---|
| G_j, N | `gang`, `gpus` | GPUs |
| rho-hat_j / u (eq. 15) | `load` x `unit` | slots |
| theta_u (eq. 16) | `theta` | slots |
| x_j^k, y^k | `served`: the jobs of every GPU | |

As printed, x_j^k picks one schedule y^k for all jobs (eq. 11-13) and eq. 16 bounds the busy time that it puts on every
GPU. Time does not occur in these constraints, and any choice of G_j GPUs for every job is that of some schedule (run
the jobs one after the other). If, as in the evaluation, rho-hat_j does not depend on the schedule, theta is feasible if
and only if gangs can be put on N equal GPUs with no load above theta. Servers do not matter, and counting loads per
server would not do: three jobs of 1 GPU and 1 slot on one server of 2 GPUs have 1.5 slots per GPU, yet some GPU serves
two of them.

Each limit is tried in three ways, until one answers: the linear relaxation over `patterns` (infeasible if it needs more
than N GPUs), rounding it (feasible), and CP-SAT over the GPUs of each job (either; exact, but it scales to small
instances only). A limit that none of them decides is open. Feasibility is monotone in theta, hence the search.

If loads are the shortest times of jobs, the bound is one on the makespan of every schedule that never stops a job.
"""

from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.rar_ddls.patterns import Patterns
from rarlib.ilp.solvers import cp_model, cp_solver
from rarlib.model.errors import InputError

FEASIBLE, INFEASIBLE, _OPEN = "feasible", "infeasible", "open"
_Ints = NDArray[np.int64]
Served = list[_Ints]
_MOST_LITERALS = 2000
"""Jobs times GPUs beyond which CP-SAT is not tried: it would only use up its effort."""


class _Result(NamedTuple):
    """The smallest limit."""

    theta: int  # smallest whole number of slots found feasible
    bound: int  # smallest one that is not proven infeasible
    status: str  # `optimal` if they are the same, else `limit`
    served: tuple[tuple[int, ...], ...]  # the jobs of each GPU, one tuple per GPU in use


def smallest_theta(
    gang: _Ints, load: _Ints, gpus: int, unit: float = 1.0, *, rounds: int = 4000, effort: float = 2.0
) -> _Result:
    """The smallest whole theta under which eq. 11-16 are feasible, for gangs G_j on N = `gpus`.

    `load` is the busy time of each job on each of its GPUs in whole units, at least 1, of which a slot has 1/`unit`
    (tau_hat / u if loads are iterations). Each limit may take `rounds` of pricing and about `effort` seconds of CP-SAT.

    Raises:
        InputError: for a gang larger than the cluster or a load below one unit.
    """
    if gang.max() > gpus:
        raise InputError(f"a gang of {gang.max()} GPUs on a cluster of {gpus}", field="gpus")
    if load.min() < 1:
        raise InputError("must be at least one unit", field="load")
    search = _Search(gang, load, gpus, unit, rounds, effort)
    served = _longest_first(gang, load, gpus)
    theta = search.slots(max(int(load[jobs].sum()) for jobs in served))
    bound = search.least_relaxed(max(search.slots(int(gang @ load) / gpus), search.slots(int(load.max()))), theta)
    for limit in range(bound, theta):
        status, found = search.place(limit)
        if found is not None:
            theta, served = limit, found
            break
        if status == INFEASIBLE and limit == bound:
            bound += 1
    jobs_of = tuple(tuple(sorted(int(job) for job in jobs)) for jobs in served if len(jobs))
    return _Result(theta, bound, "optimal" if bound == theta else "limit", jobs_of)


class _Search:
    """Limits tried on one instance."""

    def __init__(self, gang: _Ints, load: _Ints, gpus: int, unit: float, rounds: int, effort: float) -> None:
        self._gang, self._load, self._gpus, self._unit = gang, load, gpus, unit
        self._rounds, self._effort = rounds, effort
        self._known: list[_Ints] = []

    def slots(self, load: float) -> int:
        """Whole slots that a load takes."""
        return ceil(load * self._unit - 1e-9)

    def least_relaxed(self, low: int, high: int) -> int:
        """Smallest limit from `low` on that the relaxation does not refute; `high` is known to be feasible."""
        reach = 1
        while low < high:
            limit = min(low + reach // 4, (low + high) // 2)  # most often it is the first or the second
            if self._refuted(limit):
                low, reach = limit + 1, 2 * reach
            else:
                high = limit
        return low

    def place(self, limit: int) -> tuple[str, Served | None]:
        """Whether a limit is feasible, and the jobs of each GPU if so."""
        status, served = _OPEN, Patterns(self._gang, self._load, self._capacity(limit)).whole(self._gpus, self._rounds)
        if served is not None:
            status = FEASIBLE
        elif len(self._gang) * self._gpus <= _MOST_LITERALS:
            status, served = by_gpu(self._gang, self._load, self._gpus, self._capacity(limit), self._effort)
        return status, served

    def _refuted(self, limit: int) -> bool:
        program = Patterns(self._gang, self._load, self._capacity(limit), self._known)
        needed, enough = program.cover(self._gpus, self._rounds, disjoint=True)
        self._known = program.columns
        return not enough and needed > self._gpus + 1e-9

    def _capacity(self, limit: int) -> int:
        return floor(limit / self._unit + 1e-9)


def by_gpu(gang: _Ints, load: _Ints, gpus: int, capacity: int, effort: float) -> tuple[str, Served | None]:
    """One limit with CP-SAT, a literal for every job on every GPU: status, and the jobs of each GPU if feasible."""
    model = cp_model.CpModel()
    on = [[model.new_bool_var(f"on {j} {g}") for g in range(gpus)] for j in range(len(gang))]
    loads = [sum(int(load[j]) * on[j][g] for j in range(len(gang))) for g in range(gpus)]
    for j, workers in enumerate(on):
        model.add(sum(workers) == int(gang[j]))
    for g, total in enumerate(loads):
        model.add(total <= (loads[g - 1] if g else capacity))  # GPUs are equal: order them by descending load
    solver = cp_solver(effort)
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return INFEASIBLE, None
    if status != cp_model.OPTIMAL:
        return _OPEN, None
    return FEASIBLE, [np.flatnonzero([solver.value(row[g]) for row in on]) for g in range(gpus)]


def _longest_first(gang: _Ints, load: _Ints, gpus: int) -> Served:
    """Longest job first, each on the least busy GPUs: feasible, some percent above the optimum."""
    busy = np.zeros(gpus, np.int64)
    served: list[list[int]] = [[] for _ in range(gpus)]
    for job in np.argsort(-load, kind="stable"):
        for gpu in np.argsort(busy, kind="stable")[: gang[job]]:
            busy[gpu] += load[job]
            served[gpu].append(int(job))
    return [np.array(jobs, np.int64) for jobs in served]
