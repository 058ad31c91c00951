"""Sia's integer program, and its choices in the form that the compiled search works on.

Source: Jayaram Subramanya, Arfeen, Lin, Qiao, Jia, Ganger, "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
scheduling", SOSP 2023, doi 10.1145/3600006.3613175, section 3.4.

| paper | here | unit |
|---|---|---|
| G_ij^p, rounded to two decimals | `cost` | 1/100 |
| lambda | `skip` | 1/100 |
| X_ij | `column[i] = j`, or -1 | |
| GPUs of configuration j | `gpus` (per job, since rigid jobs take what they ask for) | GPUs |
| GPUs of a type | `capacity` | GPUs |

    minimise sum_ij X_ij cost_ij + sum_i (1 - sum_j X_ij) skip_i
    subject to sum_j X_ij <= 1 for each job, sum_ij X_ij gpus_ij <= capacity_t over the configurations j of each type t

Rounded values are whole numbers of hundredths, so a bound within less than a hundredth proves an optimum. Rounding also
makes many optima, among which the paper lets the solver choose. Here ties are settled: fewest running jobs change; then
the first job gets the cheapest configuration it can have in any such optimum (at equal cost the one with fewer GPUs,
then the first column), then the second, and so on. Changes are counted in the weights that are minimised,
weight = cost x `SCALE` + changed, so every bound and search below covers them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

SCALE = 1 << 20
"""Weight of one hundredth; more than the changes of any round."""

MUST_RUN = 1 << 40
"""Value of `skip` for a job that must not be left out."""


class RoundProblem(NamedTuple):
    """One round's decision."""

    cost: NDArray[np.int64]  # value to minimise, hundredths, shape (jobs, columns)
    gpus: NDArray[np.int64]  # GPUs the job takes there; 0 where it has no such choice, shape (jobs, columns)
    kind: NDArray[np.int64]  # GPU type of each column, shape (columns,)
    capacity: NDArray[np.int64]  # GPUs of each type, shape (types,)
    skip: NDArray[np.int64]  # cost of leaving the job without GPUs; `MUST_RUN` forbids it, shape (jobs,)
    current: NDArray[np.int64]  # column it holds now, or -1, shape (jobs,)

    def value(self, column: NDArray[np.int64]) -> int:
        """Cost of a choice of columns (-1: none), hundredths."""
        chosen = self.cost[np.arange(len(column)), column]
        return int(np.where(column >= 0, chosen, self.skip).sum())

    def used(self, column: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPUs taken, shape (types,)."""
        some = np.flatnonzero(column >= 0)
        taken = self.gpus[some, column[some]]
        return np.bincount(self.kind[column[some]], taken, len(self.capacity)).astype(np.int64)


class RoundDecision(NamedTuple):
    """The decision of a round."""

    column: NDArray[np.int64]  # column of each job, or -1, shape (jobs,)
    value: int  # cost, hundredths
    bound: int  # no decision has a lower value, hundredths
    settled: bool  # ties are settled as `problem` states (they may not be if there are very many optima)
    method: str  # what found it: `search`, `counts`, `repair` or `exact`

    @property
    def gap(self) -> float:
        """Distance to the bound relative to it."""
        return (self.value - self.bound) / max(abs(self.bound), 1)


class Choices(NamedTuple):
    """The choices worth considering, job after job: no other one of the job is as light with as few GPUs of the type.

    A job's choices are ordered by weight, GPUs, column; being left out is a choice of no GPUs with column -1.
    """

    first: NDArray[np.int64]  # position of each job's first choice, shape (jobs + 1,)
    weight: NDArray[np.int64]  # cost x `SCALE`, plus 1 for a running job that would change
    kind: NDArray[np.int64]  # GPU type
    size: NDArray[np.int64]  # GPUs
    column: NDArray[np.int64]  # column of the problem, or -1


def choices(problem: RoundProblem) -> Choices:
    """The choices of a problem.

    Raises:
        ArithmeticError: when a job that must run has no choice that fits its type.
    """
    jobs, columns = problem.cost.shape
    places = jobs * (columns + 1)
    result = Choices(np.zeros(jobs + 1, np.int64), *(np.empty(places, np.int64) for _ in range(4)))
    if not _fill(result, problem):
        raise ArithmeticError("a job that must keep its GPUs has no choice left")
    return result


@hot_kernel
def _fill(c: Choices, p: RoundProblem) -> bool:
    end = 0
    for job in range(len(p.skip)):
        begin = c.first[job] = end
        runs = p.current[job] >= 0
        if p.skip[job] < MUST_RUN:
            c.weight[end], c.kind[end], c.size[end], c.column[end] = p.skip[job] * SCALE + runs, 0, 0, -1
            end += 1
        for column in range(len(p.kind)):
            size, kind = p.gpus[job, column], p.kind[column]
            if 0 < size <= p.capacity[kind]:
                weight = p.cost[job, column] * SCALE + (runs and p.current[job] != column)
                at = end
                while at > begin and (
                    c.weight[at - 1] > weight or (c.weight[at - 1] == weight and c.size[at - 1] > size)
                ):
                    c.weight[at], c.kind[at] = c.weight[at - 1], c.kind[at - 1]
                    c.size[at], c.column[at] = c.size[at - 1], c.column[at - 1]
                    at -= 1
                c.weight[at], c.kind[at], c.size[at], c.column[at] = weight, kind, size, column
                end += 1
        if end == begin:
            return False
        end = _drop_dominated(c, begin, end)
    c.first[len(p.skip)] = end
    return True


@hot_kernel
def _drop_dominated(c: Choices, begin: int, end: int) -> int:
    kept = begin
    for at in range(begin, end):
        worse = False
        for other in range(begin, kept):
            same = c.kind[other] == c.kind[at] or c.size[other] == 0
            worse = worse or (same and c.size[other] <= c.size[at])
        if not worse:
            c.weight[kept], c.kind[kept] = c.weight[at], c.kind[at]
            c.size[kept], c.column[kept] = c.size[at], c.column[at]
            kept += 1
    return kept
