"""The LP relaxation of one slot: how many workers each job may hope for, and which ring size it gets.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, eq. 10-19, Alg. 2, l. 3.

| paper | here | unit |
|---|---|---|
| chi_i,kappa | `Relaxed.chosen` | 1 |
| q_i | sum of kappa times `chosen` | workers |
| ceil(q_i) | `Relaxed.ceiling` | workers |
| kappa_i | `Relaxed.sizes` | workers |

Links do not occur here, though (12)-(19) has them: in its relaxation all nodes of a ring may be spread over the servers
in the same proportions; then the right-hand side of (15) is 0 for every ring edge, so that no flow is needed and (17),
(19) are idle, on any graph. What is left are node capacities, and the workers of a job on a server may be any fractions
that add up to its ring: the same program as the relaxation of (10) that defines q_i. So one program serves both, no
copies are needed, its value bounds every allocation, and it is plain why a second LP (the augmented one) follows.

Two readings:

1. The relaxation of (10) has mu_i at fractional numbers of workers. Here it is taken as linear between whole numbers,
   which changes no allocation, and, where mu_i is not concave (sigmoid), as its least concave majorant. ceil(q_i) is
   then the next whole number at which the majorant touches mu_i; for concave utilities that is ceil(q_i) itself.
2. Alg. 2, l. 3 prints max where arg max is meant; ties go to the smaller ring.

Gains below a billionth of the largest one are beyond what the simplex method resolves; they count as none.

Servers of equal capacities are pooled, and with one resource all servers that can host the same jobs: in the absence of
links this is exact.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.ilp.programs import Program, integer_optimum, linear_optimum, proven_bound
from rarlib.model.jit import hot_kernel

_Ints = NDArray[np.int64]
_Reals = NDArray[np.float64]

_CLEAR = 1e-6
"""A gain that exceeds another one by this share of the largest gain is told apart by any solver."""


class Relaxed(NamedTuple):
    """Optimum of the LP relaxation of (12)."""

    value: float  # an upper bound of every allocation's gain, within the solver's tolerances (exactly: `relaxed_bound`)
    chosen: NDArray[np.float64]  # chi, shape (jobs, most workers + 1); column 0 is 0
    ceiling: NDArray[np.int64]  # largest ring size considered, 0: none, shape (jobs,)
    sizes: NDArray[np.int64]  # ring size selected, 0: none, shape (jobs,)


def attainable(problem: SlotProblem) -> NDArray[np.int64]:
    """Most workers of each job in an otherwise empty network, shape (jobs,)."""
    network, most = problem.network, np.zeros(len(problem), np.int64)
    inside, ends = np.zeros(network.racks, np.int64), (network.link_gbps, network.rack_gbps)
    _reach(problem.most_workers, problem.bandwidth, network.rack, *ends, inside, most)
    return np.minimum(most, problem.largest)


@hot_kernel
def _reach(
    most_workers: _Ints, bandwidth: _Reals, rack: _Ints, link: _Reals, uplink: _Reals, inside: _Ints, most: _Ints
) -> None:
    """Fill `most`: workers on the best server, in the best rack, or in all racks together; `inside` is scratch."""
    for i in range(len(bandwidth)):
        inside[:], across = 0, 0
        for s in range(len(rack)):
            most[i] = max(most[i], most_workers[i, s])
            if bandwidth[i] <= link[s]:
                inside[rack[s]] += most_workers[i, s]
        for r in range(len(inside)):
            most[i] = max(most[i], inside[r])
            if bandwidth[i] <= uplink[r]:
                across += inside[r]
        most[i] = max(most[i], across)


def relax(problem: SlotProblem) -> Relaxed:
    """Solve the LP relaxation of (12) and select ring sizes (Alg. 2, l. 3)."""
    sizes = np.arange(problem.gain.shape[1])
    job, size = np.nonzero(considered(problem))
    chosen = np.zeros(problem.gain.shape)
    value = 0.0
    wished = _wishes(problem, job, size)
    if wished is not None:
        chosen[np.arange(len(problem)), wished] = wished > 0
        value = float((problem.gain * chosen).sum())
    elif len(job):
        optimum = linear_optimum(_program(problem, job, size))
        value, chosen[job, size] = optimum.value, np.clip(optimum.x[: len(job)], 0.0, 1.0)
    chosen[chosen < TOLERANCE] = 0.0
    picked = chosen > 0.0
    return Relaxed(
        value=value,
        chosen=chosen,
        ceiling=np.where(picked, sizes, 0).max(axis=1, initial=0),
        sizes=(problem.gain * chosen).argmax(axis=1) if len(problem) else np.zeros(0, np.int64),
    )


def _wishes(problem: SlotProblem, job: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Everybody's best ring size, if all fit and each is better than any other by more than a solver's tolerance.

    They are then the only optimum, and no solver is needed.
    """
    hosts, capacity = problem.most_workers > 0, problem.network.capacity
    if capacity.shape[1] != 1 or not hosts.all():
        return None
    gain = np.full(problem.gain.shape, -1.0)
    gain[job, size] = problem.gain[job, size]
    gain[:, 0] = np.maximum(gain[:, 0], 0.0)
    best = gain.argmax(axis=1)
    near = gain >= gain.max(axis=1, keepdims=True) - _CLEAR * gain.max(initial=0.0)
    return (
        best if (near.sum(axis=1) == 1).all() and float(best @ problem.demand[:, 0]) <= float(capacity.sum()) else None
    )


def relaxed_bound(problem: SlotProblem) -> float:
    """What no allocation gains more than, proven by the prices of the relaxation, whatever the solver's tolerances."""
    job, size = np.nonzero(considered(problem))
    if not len(job):
        return unseen(problem)
    program = _program(problem, job, size)
    return unseen(problem) + proven_bound(program, linear_optimum(program).dual, _most(problem, program, len(job)))


class Ideal(NamedTuple):
    """Ring sizes that are best as long as links and the shapes of servers do not matter."""

    bound: float  # no allocation is worth more
    sizes: NDArray[np.int64]  # 0: none, shape (jobs,)


def best_sizes(problem: SlotProblem, effort: float = 10.0) -> Ideal:
    """The same program with whole chi and whole workers."""
    job, size = np.nonzero(considered(problem))
    sizes = np.zeros(len(problem), np.int64)
    if not len(job):
        return Ideal(unseen(problem), sizes)
    program = _program(problem, job, size)
    optimum = integer_optimum(program._replace(most=_most(problem, program, len(job))), effort=effort)
    taken = optimum.x[: len(job)] > 0
    sizes[job[taken]] = size[taken]
    return Ideal(optimum.bound + unseen(problem), sizes)


def _most(problem: SlotProblem, program: Program, chi: int) -> NDArray[np.float64]:
    """Limits of the variables that the rows imply: each chi at most 1, workers at most the largest ring."""
    most = np.full(len(program.gain), problem.gain.shape[1] - 1.0)
    most[:chi] = 1.0
    return most


def unseen(problem: SlotProblem) -> float:
    """What ring sizes without a variable could gain at most; belongs to every bound."""
    return float(np.where(possible(problem) & ~considered(problem), problem.gain, 0.0).max(axis=1, initial=0.0).sum())


def considered(problem: SlotProblem) -> NDArray[np.bool_]:
    """Ring sizes worth a variable, shape (jobs, most workers + 1)."""
    return possible(problem) & (problem.gain > TOLERANCE * problem.gain.max(initial=0.0))


def possible(problem: SlotProblem) -> NDArray[np.bool_]:
    """Ring sizes that an otherwise empty network can host, shape (jobs, most workers + 1)."""
    sizes = np.arange(problem.gain.shape[1])
    return np.asarray((sizes >= problem.smallest[:, None]) & (sizes <= attainable(problem)[:, None]))


def pooled_servers(problem: SlotProblem) -> NDArray[np.bool_] | None:
    """The servers that all jobs can use if the others are of use to none, and GPUs are the only resource; else None."""
    hosts = problem.most_workers > 0
    every = hosts.all(axis=0)
    one = problem.demand.shape[1] == 1 and bool((hosts.any(axis=0) == every).all())
    return np.asarray(every) if one else None


def _program(problem: SlotProblem, job: NDArray[np.int64], size: NDArray[np.int64]) -> Program:
    """Variables: chi by (job, size), then workers by (job, pool) where the pool can host the job.

    Rows: (13) with rho <= 1, one per job; workers of a job in all pools = its ring (14), one per job; (18), one per
    pool and resource.
    """
    hosts, capacity = _pools(problem)
    n, resources = len(problem), capacity.shape[1]
    worker, pool = np.nonzero(hosts)
    at_chi, at_worker = np.arange(len(job)), len(job) + np.arange(len(worker))
    use = np.arange(resources)
    rows = [job, n + job, n + worker, (2 * n + pool[:, None] * resources + use).ravel()]
    cols = [at_chi, at_chi, at_worker, np.repeat(at_worker, resources)]
    data = [np.ones(len(job)), size, -np.ones(len(worker)), problem.demand[worker].ravel()]
    variables = len(job) + len(worker)
    shape = (2 * n + capacity.size, variables)
    matrix = coo_matrix((np.concatenate(data), (np.concatenate(rows), np.concatenate(cols))), shape).tocsr()
    return Program(
        gain=np.concatenate([problem.gain[job, size], np.zeros(len(worker))]),
        matrix=matrix,
        lower=np.concatenate([np.full(n, -np.inf), np.zeros(n), np.full(capacity.size, -np.inf)]),
        upper=np.concatenate([np.ones(n), np.zeros(n), capacity.ravel()]),
        most=np.full(variables, np.inf),
    )


def _pools(problem: SlotProblem) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which job each pool of servers can host, shape (jobs, pools), and its capacity, shape (pools, resources)."""
    capacity, can_host = problem.network.capacity, problem.most_workers > 0
    if capacity.shape[1] == 1 and can_host.all():
        return can_host[:, :1], capacity.sum(axis=0, keepdims=True)
    key = can_host.T if capacity.shape[1] == 1 else np.hstack([capacity, can_host.T])
    _, first, pool = np.unique(key, axis=0, return_index=True, return_inverse=True)
    total = np.zeros((len(first), capacity.shape[1]))
    np.add.at(total, pool.ravel(), capacity)
    return can_host[:, first], total
