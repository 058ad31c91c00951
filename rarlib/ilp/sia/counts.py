"""Sia's decision where many jobs are alike: CP-SAT chooses how many jobs of a class get each choice.

Jobs are of one class if their choices have the same kinds and sizes at the same differences in weight. Exchanging their
choices changes neither GPUs nor weight, so a decision is as good as its counts, and a program with one whole number per
class and choice has the optimum of the program with one per job and choice, without its symmetries. Only choices that
a decision within `allowed` of the dual bound can contain are in the program, and each at most as often.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.problem import Choices
from rarlib.ilp.solvers import cp_model, cp_solver


class Classes(NamedTuple):
    """Jobs that are alike, in terms of the choices kept."""

    # choices kept by each job, lightest first, -1 where it has fewer than others, shape (jobs, most)
    choice: NDArray[np.int64]
    of_job: NDArray[np.int64]  # class of each job, shape (jobs,)
    example: NDArray[np.int64]  # first job of each class, shape (classes,)
    jobs: NDArray[np.int64]  # number of jobs in each class, shape (classes,)

    @property
    def variables(self) -> int:
        """Whole numbers to choose: choices of the classes that have several."""
        kept = (self.choice[self.example] >= 0).sum(axis=1)
        return int(kept[kept > 1].sum())


def classes_of(c: Choices, keep: NDArray[np.bool_]) -> Classes:
    """Group jobs by the choices kept, of which each job has at least one."""
    jobs, at = len(c.first) - 1, np.flatnonzero(keep)
    job = np.repeat(np.arange(jobs), np.diff(c.first))[at]
    kept = np.bincount(job, minlength=jobs)
    choice = np.full((jobs, int(kept.max())), -1)
    choice[job, np.arange(len(at)) - np.repeat(np.cumsum(kept) - kept, kept)] = at
    heavier = c.weight[choice] - c.weight[choice[:, :1]]
    alike = np.where(choice >= 0, np.stack([heavier, c.kind[choice], c.size[choice]]), -1)
    found = np.unique(
        np.concatenate(list(alike), axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return Classes(choice, found[2].reshape(-1), found[1], found[3])


def best_counts(
    c: Choices,
    groups: Classes,
    capacity: NDArray[np.int64],
    slack: NDArray[np.float64],
    allowed: float,
    effort: float,
) -> tuple[NDArray[np.int64] | None, bool]:
    """The best decision by counts among the choices kept, those whose slack is at most `allowed`.

    `slack` is the excess of each choice over its job's best at the prices of the dual; no decision of interest exceeds
    the bound of the dual by more than `allowed`.

    Returns:
        The choice of each job, shape (jobs,), or None if none was found: in a class, earlier jobs get lighter choices.
            And whether the program was solved: then no decision within `allowed` is better, or, with None, none exists.
    """
    model, counts, left = cp_model.CpModel(), [], capacity.copy()
    taken: list[_Terms] = [([], []) for _ in capacity]
    weights: _Terms = ([], [])
    for job, jobs in zip(groups.example.tolist(), groups.jobs.tolist(), strict=True):
        ats = groups.choice[job][groups.choice[job] >= 0]
        if len(ats) == 1:
            left[c.kind[ats[0]]] -= jobs * c.size[ats[0]]
            counts.append([jobs])
            continue
        # In a decision within `allowed`, no choice occurs more often than its slack permits.
        most = np.minimum(allowed // np.maximum(slack[ats], 1e-9), jobs).astype(np.int64)
        count = [model.new_int_var(0, each, "") for each in most.tolist()]
        model.add(cp_model.LinearExpr.sum(count) == jobs)
        for variable, at in zip(count, ats.tolist(), strict=True):
            _append(taken[c.kind[at]], variable, int(c.size[at]))
            _append(weights, variable, int(c.weight[at] - c.weight[ats[0]]))
        counts.append(count)
    if (left < 0).any():
        return None, True
    for terms, free in zip(taken, left.tolist(), strict=True):
        model.add(cp_model.LinearExpr.weighted_sum(*terms) <= free)
    model.minimize(cp_model.LinearExpr.weighted_sum(*weights))
    solver = cp_solver(effort)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, status == cp_model.INFEASIBLE
    return _handed_out(groups, [[solver.value(each) for each in count] for count in counts]), status == cp_model.OPTIMAL


_Terms = tuple[list[Any], list[int]]  # variables and their coefficients


def _append(terms: _Terms, variable: Any, coefficient: int) -> None:
    terms[0].append(variable)
    terms[1].append(coefficient)


def _handed_out(groups: Classes, counts: list[list[int]]) -> NDArray[np.int64]:
    """The choice of each job, from how often each class takes each of its choices."""
    answer = np.empty(len(groups.of_job), np.int64)
    for group, count in enumerate(counts):
        jobs = np.flatnonzero(groups.of_job == group)
        answer[jobs] = groups.choice[jobs, np.repeat(np.arange(len(count)), count)]
    return answer
