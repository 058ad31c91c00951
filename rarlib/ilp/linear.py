"""Linear programs that grow by columns, solved by OR-Tools' simplex code (GLOP): one thread, no clock, no chance."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp  # type: ignore[attr-defined]


class Solution(NamedTuple):
    """An optimal value and the rows' prices, which are not negative."""

    value: float
    prices: NDArray[np.float64]


class Program:
    """Minimise a sum over columns, each at least 0, with every row at least its limit.

    Nothing rests on the solver being right: the bounds are computed from its prices by formulas that hold for any.
    """

    def __init__(self) -> None:
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
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
        self._solver.Objective().SetCoefficient(variable, cost)
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
        prices = np.array([max(row.dual_value(), 0.0) for row in self._rows])
        return Solution(self._solver.Objective().Value(), prices)
