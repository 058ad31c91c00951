"""Sia's decision by CP-SAT: the reference for the faster methods, and the last resort where they leave a gap."""

import numpy as np

from rarlib.ilp.sia.problem import MUST_RUN, SCALE, RoundDecision, RoundProblem
from rarlib.ilp.solvers import cp_model, cp_solver


def exact(problem: RoundProblem, *, effort: float = 10.0) -> RoundDecision:
    """The best decision of a round, in whole numbers throughout, so that no tolerance matters.

    `effort` limits CP-SAT's deterministic time, roughly seconds. Here "settled" is an optimum; CP-SAT settles its ties.

    Raises:
        ArithmeticError: when jobs that must run do not fit, or no decision was found in time.
    """
    model = cp_model.CpModel()
    jobs, columns = np.nonzero((problem.gpus > 0) & (problem.gpus <= problem.capacity[problem.kind]))
    chosen = [model.new_bool_var("") for _ in jobs]
    left_out = [model.new_bool_var("") for _ in problem.skip]
    for job, variable in enumerate(left_out):
        model.add_exactly_one([variable, *(chosen[at] for at in np.flatnonzero(jobs == job))])
        if problem.skip[job] >= MUST_RUN:
            model.add(variable == 0)
    for kind, capacity in enumerate(problem.capacity.tolist()):
        of_kind = np.flatnonzero(problem.kind[columns] == kind)
        gpus = problem.gpus[jobs[of_kind], columns[of_kind]].tolist()
        model.add(cp_model.LinearExpr.weighted_sum([chosen[at] for at in of_kind], gpus) <= capacity)
    runs = problem.current[jobs]
    weights = problem.cost[jobs, columns] * SCALE + ((runs >= 0) & (runs != columns))
    skip = np.where(problem.skip < MUST_RUN, problem.skip, 0) * SCALE + (problem.current >= 0)
    model.minimize(cp_model.LinearExpr.weighted_sum([*chosen, *left_out], [*weights.tolist(), *skip.tolist()]))
    solver = cp_solver(effort)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise ArithmeticError(f"CP-SAT ended with {solver.status_name(status)}")
    taken = [at for at, variable in enumerate(chosen) if solver.boolean_value(variable)]
    column = np.full(len(problem.skip), -1, np.int64)
    column[jobs[taken]] = columns[taken]
    value, settled = problem.value(column), status == cp_model.OPTIMAL
    bound = int(np.ceil((solver.best_objective_bound - np.count_nonzero(problem.current >= 0)) / SCALE - 1e-6))
    return RoundDecision(column, value, value if settled else min(value, bound), settled, "exact")
