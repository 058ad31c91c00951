"""Shockwave's program: which jobs run in which of the next rounds, for the largest sum of utilities.

Source: Zheng, Pan, Arfeen, Jayaram Subramanya, Sun, Qiao, Jia, Venkataraman, Akella, "Shockwave: Fair and Efficient
Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023, section 5, and the authors' code.

    maximise  sum_j sum_i gain_ji [job j runs in at least i rounds] - max_j tail_jn(j) + what running early is worth
    subject to  sum_j gpus_j y_jr <= total in every round r,  n(j) = sum_r y_jr >= least_j

The maximum is the paper's regulariser: what the longest time left costs after n(j) rounds (`tail`).

The authors' MIP models a job's utility by linear interpolation between bases, in variables of its own; it depends on
the number of rounds alone, so it is a table here. A second program of theirs moves important jobs to early rounds; here
one program does both, because an early round is worth a little more (`EARLY`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.solvers import cp_model, cp_solver

_SCALE = 1_000_000
_STEEPEST = 1e-8  # of the largest tail, a gain is a unit at least, so that whole numbers suffice
EARLY = 1e-3
"""What running one round earlier is worth, as a fraction of the gain."""


class _Plan(NamedTuple):
    """A plan and how good it is."""

    runs: NDArray[np.bool_]  # which job runs in which round, shape (jobs, rounds)
    optimal: bool  # whether that is proven
    value: float  # value of the objective, in units of the largest gain
    bound: float  # no plan has a larger value


def plan_rounds(
    gain: NDArray[np.float64],
    gpus: NDArray[np.int64],
    total: int,
    least: NDArray[np.int64],
    *,
    limit: float,
    tail: NDArray[np.float64] | None = None,
    built: bool = True,
) -> _Plan | None:
    """Plan the rounds.

    Args:
        gain: what each further round adds to a job's utility, not negative and not rising, shape (jobs, rounds).
        gpus: GPUs of each job, at most `total`, shape (jobs,).
        total: GPUs of the cluster.
        least: rounds in which a job must run, shape (jobs,).
        limit: deterministic time, about seconds.
        tail: what the time that a job has left costs after so many rounds, in the unit of `gain`, not rising, shape
            (jobs, rounds + 1); the largest one counts. None: nothing.
        built: whether a plan built without search is returned if the limit ends before any was found.

    Returns:
        The plan, or None if there is none with at least `least` rounds, or none was found within the limit.
    """
    jobs, rounds = gain.shape
    steepest = 0.0 if tail is None else float(tail.max())
    unit = _SCALE / max(float(gain.max()), _STEEPEST * steepest, 1e-300)
    reach = np.rint(gain * unit)
    early = np.rint(gain.mean(axis=1, keepdims=True) * unit * EARLY * np.arange(rounds - 1, -1, -1))
    costs = np.zeros((jobs, rounds + 1)) if tail is None else np.rint(tail * unit)
    if gpus.sum() <= total and (least <= rounds).all():  # all run in every round: no term of the sum is negative
        everything = float(reach.sum() + early.sum() - costs[:, -1].max()) / _SCALE
        return _Plan(np.ones(gain.shape, np.bool_), True, everything, everything)
    model, runs = _program(reach, early, costs, gpus, total, least)
    start = None if least.any() else _hint(gain, gpus, total, costs / unit)
    if start is not None:
        for j, row in enumerate(start):
            for r in range(rounds):
                model.add_hint(runs[j][r], bool(row[r]))
    solver = cp_solver(limit, seed=1)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        if start is None or not built:
            return None
        value = (_worth(start, gain) - (costs / unit)[np.arange(jobs), start.sum(axis=1)].max()) * unit / _SCALE
        return _Plan(_early_first(start, gain, gpus, total), False, float(value), float("inf"))
    found = np.array([[solver.boolean_value(variable) for variable in row] for row in runs])
    return _Plan(
        found, status == cp_model.OPTIMAL, solver.objective_value / _SCALE, solver.best_objective_bound / _SCALE
    )


def _program(
    reach: NDArray[np.float64],
    early: NDArray[np.float64],
    costs: NDArray[np.float64],
    gpus: NDArray[np.int64],
    total: int,
    least: NDArray[np.int64],
) -> tuple[Any, list[list[Any]]]:
    """The program in whole numbers, and its variables: which job runs in which round.

    Running adds `reach` and is worth `early` besides, by job and round; time left after so many rounds costs `costs`.
    """
    jobs, rounds = reach.shape
    model = cp_model.CpModel()
    runs = [[model.new_bool_var("") for _ in range(rounds)] for _ in range(jobs)]
    worth = []
    floor, ceiling = int(costs[:, -1].max()), int(costs[:, 0].max())
    longest = model.new_int_var(floor, ceiling, "") if ceiling > 0 else 0
    for j in range(jobs):
        reached = [model.new_bool_var("") for _ in range(rounds)]
        model.add(sum(reached) == sum(runs[j]))
        model.add(sum(runs[j]) >= int(least[j]))
        for i in range(rounds):
            worth.append(int(reach[j, i]) * reached[i])
            worth.append(int(early[j, i]) * runs[j][i])
            if i:
                model.add_implication(reached[i], reached[i - 1])
        if costs[j, 0] > floor:
            saved = -np.diff(costs[j])
            model.add(longest + sum(int(saved[i]) * reached[i] for i in range(rounds)) >= int(costs[j, 0]))
    for r in range(rounds):
        model.add(sum(int(gpus[j]) * runs[j][r] for j in range(jobs)) <= total)
    model.maximize(sum(worth) - longest)
    return model, runs


def _hint(
    gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int, tail: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """The better one of two plans to start from: largest gains first, or the longest tails cut as far as fits."""
    rounds = gain.shape[1]

    def value(runs: NDArray[np.bool_]) -> float:
        return float(_worth(runs, gain) - tail[np.arange(len(tail)), runs.sum(axis=1)].max())

    best = _greedy(gain, gpus, total, np.zeros(len(gpus), np.int64))
    if not tail.any():
        return best
    top = int(np.argmax(tail[:, 0]))
    low, high = 0, rounds  # the longest job runs in `low` rounds, and no tail is longer than its own then
    while low < high:
        tried = (low + high + 1) // 2
        level = max(float(tail[top, tried]), float(tail[:, -1].max()))
        need = (tail > level).sum(axis=1)
        runs = _greedy(gain, gpus, total, need)
        if (runs.sum(axis=1) < need).any():
            high = tried - 1
            continue
        low = tried
        best = max(best, runs, key=value)
    return best


def _worth(runs: NDArray[np.bool_], gain: NDArray[np.float64]) -> float:
    """Utilities that a plan reaches, added up."""
    return float(np.where(np.arange(gain.shape[1]) < runs.sum(axis=1)[:, None], gain, 0.0).sum())


def _early_first(
    runs: NDArray[np.bool_], gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int
) -> NDArray[np.bool_]:
    """The same number of rounds for each job, those with the largest gains early; the plan itself if that does not fit.

    It is built round by round; jobs that need all rounds that are left come first.
    """
    left, found = runs.sum(axis=1), np.zeros_like(runs)
    for at in range(runs.shape[1]):
        free = total
        for j in np.lexsort((-gain.mean(axis=1) / gpus, left < runs.shape[1] - at)).tolist():
            if left[j] > 0 and gpus[j] <= free:
                found[j, at] = True
                left[j] -= 1
                free -= gpus[j]
    return runs if left.any() else found


def _greedy(
    gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int, need: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The rounds that jobs need first, large gangs first, then the largest gains per GPU, each as early as it fits."""
    runs, free = np.zeros(gain.shape, np.bool_), np.full(gain.shape[1], total)
    order = np.argsort(-(gain / gpus[:, None]).ravel(), kind="stable")
    job, rounds = order // gain.shape[1], order % gain.shape[1]
    if need.any():
        order = order[np.lexsort((-np.where(rounds < need[job], gpus[job], 0), rounds >= need[job]))]
    for pair in order.tolist():
        job = pair // gain.shape[1]
        fits = np.flatnonzero(~runs[job] & (free >= gpus[job]))
        if len(fits):
            runs[job, fits[0]] = True
            free[fits[0]] -= gpus[job]
    return runs
