"""Shockwave's program: which jobs run in which of the next rounds, for the largest sum of utilities.

Source: Zheng, Pan, Arfeen, Jayaram Subramanya, Sun, Qiao, Jia, Venkataraman, Akella, "Shockwave: Fair and Efficient
Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023, section 5, in the form of Sia's authors.

    maximise  sum_j sum_i gain_ji [job j runs in at least i rounds] + what running early is worth
    subject to  sum_j gpus_j y_jr <= total in every round r,  sum_r y_jr >= least_j

The authors' MIP models a job's utility by linear interpolation between bases, in variables of its own; it depends on
the number of rounds alone, so it is a table here. A second program of theirs moves important jobs to early rounds; here
one program does both, because an early round is worth a little more (`EARLY`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.solvers import cp_model

_SCALE = 1_000_000
EARLY = 1e-3
"""What running one round earlier is worth, as a fraction of the gain."""


class _Plan(NamedTuple):
    """A plan and how good it is.

    Attributes:
        runs: which job runs in which round, shape (jobs, rounds).
        optimal: whether that is proven.
        value: value of the objective, in units of the largest gain.
        bound: no plan has a larger value.
    """

    runs: NDArray[np.bool_]
    optimal: bool
    value: float
    bound: float


def plan_rounds(
    gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int, least: NDArray[np.int64], *, limit: float
) -> _Plan | None:
    """Plan the rounds.

    Args:
        gain: what each further round adds to a job's utility, not negative and not rising, shape (jobs, rounds).
        gpus: GPUs of each job, at most `total`, shape (jobs,).
        total: GPUs of the cluster.
        least: rounds in which a job must run, shape (jobs,).
        limit: deterministic time, about seconds.

    Returns:
        The plan, or None if there is none with at least `least` rounds, or none was found within the limit.
    """
    jobs, rounds = gain.shape
    unit = _SCALE / max(float(gain.max()), 1e-300)
    reach = np.rint(gain * unit)
    early = np.rint(gain.mean(axis=1, keepdims=True) * unit * EARLY * np.arange(rounds - 1, -1, -1))
    if gpus.sum() <= total and (least <= rounds).all():  # all run in every round: no term of the sum is negative
        everything = float(reach.sum() + early.sum()) / _SCALE
        return _Plan(np.ones(gain.shape, np.bool_), True, everything, everything)
    model = cp_model.CpModel()
    runs = [[model.new_bool_var("") for _ in range(rounds)] for _ in range(jobs)]
    worth = []
    for j in range(jobs):
        reached = [model.new_bool_var("") for _ in range(rounds)]
        model.add(sum(reached) == sum(runs[j]))
        model.add(sum(runs[j]) >= int(least[j]))
        for i in range(rounds):
            worth.append(int(reach[j, i]) * reached[i])
            worth.append(int(early[j, i]) * runs[j][i])
            if i:
                model.add_implication(reached[i], reached[i - 1])
    for r in range(rounds):
        model.add(sum(int(gpus[j]) * runs[j][r] for j in range(jobs)) <= total)
    model.maximize(sum(worth))
    if not least.any():
        for j, row in enumerate(_greedy(gain, gpus, total)):
            for r in range(rounds):
                model.add_hint(runs[j][r], bool(row[r]))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = limit
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    found = np.array([[solver.boolean_value(variable) for variable in row] for row in runs])
    return _Plan(
        found, status == cp_model.OPTIMAL, solver.objective_value / _SCALE, solver.best_objective_bound / _SCALE
    )


def _greedy(gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int) -> NDArray[np.bool_]:
    """A plan to start from: the largest gains per GPU first, each in the earliest round with enough free GPUs."""
    runs, free = np.zeros(gain.shape, np.bool_), np.full(gain.shape[1], total)
    for pair in np.argsort(-(gain / gpus[:, None]).ravel(), kind="stable").tolist():
        job = pair // gain.shape[1]
        fits = np.flatnonzero(~runs[job] & (free >= gpus[job]))
        if len(fits):
            runs[job, fits[0]] = True
            free[fits[0]] -= gpus[job]
    return runs
