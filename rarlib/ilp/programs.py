"""Linear and integer programs in matrix form through OR-Tools: GLOP for the former, CP-SAT for the latter.

Both are deterministic: GLOP is a simplex method; CP-SAT runs with one worker, a fixed seed and a limit in deterministic
time, never on the clock.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from rarlib.ilp.solvers import model_builder

_PRECISION = 1e-6
"""CP-SAT's (`mip_wanted_precision`), relative to the largest gain."""


class Program(NamedTuple):
    """Maximise gain x with lower <= matrix x <= upper and 0 <= x <= most."""

    gain: NDArray[np.float64]  # shape (variables,)
    matrix: csr_matrix  # shape (rows, variables)
    lower: NDArray[np.float64]  # shape (rows,)
    upper: NDArray[np.float64]  # shape (rows,)
    most: NDArray[np.float64]  # shape (variables,)


class LinearOptimum(NamedTuple):
    """An optimum of a linear program."""

    value: float  # of the objective
    x: NDArray[np.float64]  # shape (variables,)
    dual: NDArray[np.float64]  # price of each row, shape (rows,)


class IntegerOptimum(NamedTuple):
    """What a search for an integer optimum ended with."""

    status: str  # `optimal`, or `limit` when the effort was spent first
    value: float  # of the best solution found
    bound: float  # no solution is better than this
    x: NDArray[np.int64]  # the best solution, shape (variables,)


def proven_bound(program: Program, dual: NDArray[np.float64], most: NDArray[np.float64]) -> float:
    """No x with 0 <= x <= most that keeps the rows is worth more, whatever the prices `dual` of the rows are.

    Weak duality: rows at their prices, plus what each variable still wins beyond the prices of its column. A solver's
    own value lies on either side of the optimum, by its tolerances; this bound cannot lie below it. It is rounded up by
    the largest error of its floating-point sums. A price of the wrong sign counts as 0.
    """
    price = np.where(np.isneginf(program.lower), np.maximum(dual, 0.0), dual)
    price = np.where(np.isposinf(program.upper), np.minimum(price, 0.0), price)
    limit = np.where(price > 0.0, program.upper, program.lower)
    rows = price * np.where(price == 0.0, 0.0, limit)
    left = np.maximum(program.gain - program.matrix.T @ price, 0.0) * most
    size = np.abs(rows).sum() + (np.abs(program.gain) + abs(program.matrix).T @ np.abs(price)) @ most
    return float(rows.sum() + left.sum() + np.finfo(np.float64).eps * (len(rows) + len(left) + 4) * size)


def linear_optimum(program: Program) -> LinearOptimum:
    """An optimal vertex by GLOP, whose tolerances are relative to the largest gain here.

    Raises:
        ArithmeticError: when GLOP reports no optimum; the programs here are feasible and bounded.
    """
    scale = _scale(program)
    solver = model_builder.ModelSolverHelper("glop")
    solver.solve(_model(program._replace(gain=program.gain / scale)))
    if solver.status() != model_builder.SolveStatus.OPTIMAL:
        raise ArithmeticError(f"GLOP ended with {solver.status_string()}")
    x = np.array(solver.variable_values(), dtype=np.float64)
    return LinearOptimum(float(program.gain @ x), x, scale * np.array(solver.dual_values(), dtype=np.float64))


def integer_optimum(program: Program, *, hint: NDArray[np.int64] | None = None, effort: float = 10.0) -> IntegerOptimum:
    """The best integer x that CP-SAT finds within about `effort` seconds of deterministic time; x = 0 must be feasible.

    CP-SAT scales fractional numbers to integers with a precision of 1e-6, gains relative to the largest one; its own
    bound may lie below the optimum by that much, so it is raised by it. `hint` is a good solution to start from.

    Raises:
        ArithmeticError: when CP-SAT refuses the program.
    """
    scale = _scale(program)
    model = _model(program._replace(gain=program.gain / scale))
    for variable in range(len(program.gain)):
        model.set_var_integrality(variable, True)
        if hint is not None:
            model.add_hint(variable, float(hint[variable]))
    solver = model_builder.ModelSolverHelper("sat")
    solver.set_solver_specific_parameters(
        f"num_workers: 1 random_seed: 0 max_deterministic_time: {effort} absolute_gap_limit: 0"
    )
    solver.solve(model)
    if not solver.has_solution():
        if solver.status() != model_builder.SolveStatus.NOT_SOLVED:
            raise ArithmeticError(f"CP-SAT ended with {solver.status()}: {solver.status_string()}")
        return IntegerOptimum("limit", 0.0, np.inf, np.zeros(len(program.gain), np.int64))
    x = np.rint(solver.variable_values()).astype(np.int64)
    value = float(program.gain @ x)
    status = "optimal" if solver.status() == model_builder.SolveStatus.OPTIMAL else "limit"
    bound = scale * solver.best_objective_bound() + _PRECISION * max(scale, abs(value))
    return IntegerOptimum(status, value, max(value, bound), x)


def _scale(program: Program) -> float:
    return float(np.abs(program.gain).max(initial=0.0)) or 1.0


def _model(program: Program) -> "model_builder.ModelBuilderHelper":
    model = model_builder.ModelBuilderHelper()
    # Positional in OR-Tools: bounds of variables, objective, bounds of rows, matrix.
    p, zero = program, np.zeros(len(program.gain))
    arguments: tuple[Any, ...] = (zero, p.most, p.gain, p.lower, p.upper, p.matrix)
    model.fill_model_from_sparse_data(*arguments)
    model.set_maximize(True)
    return model
