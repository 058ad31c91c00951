"""Packing programs in rational numbers: the simplex method without any tolerance, for gains of any size.

Maximise gain x with columns x <= limits and x >= 0, where all entries and limits are at least 0, so that x = 0 is
feasible. Bland's rule (first variable that gains, first row among equals) excludes cycles, so that the search ends at
an optimum. Numbers grow with every step: meant for small programs, and for those in which no other way is exact.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

_DIGITS = 40
"""Digits of an exponential that is made a rational number."""

RowEntries = Mapping[int, Fraction]
"""Row -> entry."""


class RationalOptimum(NamedTuple):
    """An optimal vertex."""

    x: list[Fraction]  # by column
    price: list[Fraction]  # dual price by row


def rational_sum(logs: Sequence[float]) -> Fraction:
    """Sum of exponentials, to `_DIGITS` digits."""
    with localcontext(prec=_DIGITS):
        return Fraction(sum((Decimal(log).exp() for log in logs), Decimal(0)))


class _Tableau:
    """Rows of the current basis: variables below `len(gain)` are columns, the others the slacks of rows."""

    def __init__(self, gain: Sequence[Fraction], columns: Sequence[RowEntries], limits: Sequence[Fraction]) -> None:
        self.columns = len(gain)
        self.rows: list[dict[int, Fraction]] = [{self.columns + r: Fraction(1)} for r in range(len(limits))]
        for c, column in enumerate(columns):
            for r, entry in column.items():
                if entry:
                    self.rows[r][c] = entry
        self.right, self.basis = list(limits), [self.columns + r for r in range(len(limits))]
        self.reduced = {c: g for c, g in enumerate(gain) if g > 0}

    def entering(self) -> int | None:
        """The first variable that gains."""
        return min((variable for variable, gain in self.reduced.items() if gain > 0), default=None)

    def leaving(self, variable: int) -> int:
        """Row that limits it first."""
        bound = [
            (self.right[r] / row[variable], self.basis[r], r)
            for r, row in enumerate(self.rows)
            if row.get(variable, 0) > 0
        ]
        return min(bound)[2]

    def pivot(self, variable: int, at: int) -> None:
        """Bring a variable into the basis by row `at`."""
        entry = self.rows[at][variable]
        pivot = self.rows[at] = {v: value / entry for v, value in self.rows[at].items()}
        self.right[at] /= entry
        self.basis[at] = variable
        for r, row in enumerate(self.rows):
            if r != at and variable in row:
                self.right[r] -= row[variable] * self.right[at]
                _subtract(row, pivot, row[variable])
        _subtract(self.reduced, pivot, self.reduced[variable])


def _subtract(row: dict[int, Fraction], pivot: Mapping[int, Fraction], times: Fraction) -> None:
    for v, value in pivot.items():
        left = row.get(v, Fraction(0)) - times * value
        if left:
            row[v] = left
        else:
            row.pop(v, None)


def rational_optimum(
    gain: Sequence[Fraction], columns: Sequence[RowEntries], limits: Sequence[Fraction]
) -> RationalOptimum:
    """An optimal vertex of the program above; every column that gains must have an entry above 0."""
    tableau = _Tableau(gain, columns, limits)
    while (variable := tableau.entering()) is not None:
        tableau.pivot(variable, tableau.leaving(variable))
    x = [Fraction(0)] * len(gain)
    for r, variable in enumerate(tableau.basis):
        if variable < len(gain):
            x[variable] = tableau.right[r]
    return RationalOptimum(x, [-tableau.reduced.get(len(gain) + r, Fraction(0)) for r in range(len(limits))])
