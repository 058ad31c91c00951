"""Linear programs that grow by columns, solved by OR-Tools' simplex code (GLOP): deterministic, on one thread.

Without OR-Tools SciPy's HiGHS takes its place: the same optima, though not always at the same vertex.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.solvers import INSTALLED, pywraplp
from rarlib.model.later import Later

_optimize, _sparse = Later("scipy.optimize"), Later("scipy.sparse")


class Solution(NamedTuple):
    """An optimal value and the rows' prices, which are not negative."""

    value: float
    prices: NDArray[np.float64]


class GlopProgram:
    """Minimise a sum over columns, each at least 0, with every row at least its limit.

    Bounds do not depend on the solver being right: they follow from its prices by formulas that hold for any prices.
    """

    def __init__(self) -> None:
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._objective = self._solver.Objective()
        self._rows: list[pywraplp.Constraint] = []
        self._columns: list[pywraplp.Variable] = []

    def row(self, least: float) -> int:
        """Add a row; returns its number."""
        self._rows.append(self._solver.Constraint(least, self._solver.infinity()))
        return len(self._rows) - 1

    def column(self, cost: float, entries: Iterable[tuple[int, float]], upper: float = np.inf) -> None:
        """Add a column with its entries as (row, coefficient)."""
        variable = self._solver.NumVar(0.0, upper, "")
        self._columns.append(variable)
        self._objective.SetCoefficient(variable, cost)
        for row, coefficient in entries:
            self._rows[row].SetCoefficient(variable, coefficient)

    def change(self, row: int, least: float) -> None:
        """Set a row's limit anew."""
        self._rows[row].SetLb(least)

    def amounts(self) -> NDArray[np.float64]:
        """Value of every column in the last solution."""
        return np.array([column.solution_value() for column in self._columns])

    def solve(self) -> Solution:
        """Solve; the prices are zero if the solver gives up."""
        if self._solver.Solve() != pywraplp.Solver.OPTIMAL:
            return Solution(np.nan, np.zeros(len(self._rows)))
        prices = np.fromiter(map(pywraplp.Constraint.dual_value, self._rows), np.float64, len(self._rows))
        return Solution(self._objective.Value(), np.maximum(prices, 0.0))


class HighsProgram:
    """The same with SciPy, solved from scratch each time; for small programs where OR-Tools is not installed."""

    def __init__(self) -> None:
        self._least: list[float] = []
        self._costs: list[float] = []
        self._uppers: list[float] = []
        self._entries: list[tuple[int, int, float]] = []
        self._found: NDArray[np.float64] = np.zeros(0)

    def row(self, least: float) -> int:
        """Add a row; returns its number."""
        self._least.append(least)
        return len(self._least) - 1

    def column(self, cost: float, entries: Iterable[tuple[int, float]], upper: float = np.inf) -> None:
        """Add a column with its entries as (row, coefficient)."""
        # Of several coefficients of one row the last counts, as in GLOP.
        self._entries += [(row, len(self._costs), coefficient) for row, coefficient in dict(entries).items()]
        self._costs.append(cost)
        self._uppers.append(upper)

    def change(self, row: int, least: float) -> None:
        """Set a row's limit anew."""
        self._least[row] = least

    def amounts(self) -> NDArray[np.float64]:
        """Value of every column in the last solution."""
        return self._found

    def solve(self) -> Solution:
        """Solve; the prices are zero if the solver gives up."""
        size = len(self._least), len(self._costs)
        rows, columns, values = zip(*self._entries, strict=True) if self._entries else ((), (), ())
        matrix = _sparse.csr_matrix((values, (rows, columns)), shape=size, dtype=np.float64)
        bounds = np.column_stack([np.zeros(size[1]), self._uppers])
        found: Any = _optimize.linprog(
            self._costs, A_ub=-matrix, b_ub=-np.array(self._least), bounds=bounds, method="highs"
        )
        if found.status:
            return Solution(np.nan, np.zeros(size[0]))
        self._found = np.asarray(found.x)
        return Solution(float(found.fun), np.maximum(-np.asarray(found.ineqlin.marginals), 0.0))


LinearProgram = GlopProgram if INSTALLED else HighsProgram
"""The class that bounds are computed with."""
