"""Writing programs down: variables by number, rows term by term, in whole arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from rarlib.ilp.programs import Program


class Rows:
    """Variables and rows of a program; a variable that does not exist has the number -1 and counts as 0."""

    def __init__(self) -> None:
        self.variables, self.rows = 0, 0
        self._terms: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        self._limits: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

    def declare(self, there: NDArray[np.bool_]) -> NDArray[np.int64]:
        """A variable wherever `there` holds, -1 elsewhere; same shape."""
        number = np.where(there, self.variables + there.ravel().cumsum().reshape(there.shape) - 1, -1)
        self.variables += int(there.sum())
        return number

    def add(self, upper: NDArray[np.float64], *, equal: bool = False) -> NDArray[np.int64]:
        """Rows with these upper (and, if `equal`, lower) limits; same shape."""
        self._limits.append((upper.ravel() if equal else np.full(upper.size, -np.inf), upper.ravel()))
        self.rows += upper.size
        return np.arange(self.rows - upper.size, self.rows).reshape(upper.shape)

    def term(self, row: NDArray[np.int64], variable: NDArray[np.int64], factor: Any = 1.0) -> None:
        """Add factor x variable to rows; arguments broadcast."""
        r, v, f = np.broadcast_arrays(row, variable, np.asarray(factor, dtype=np.float64))
        self._terms.append((r[v >= 0], v[v >= 0], f[v >= 0]))

    def program(self, gain: NDArray[np.float64], most: NDArray[np.float64]) -> Program:
        """The program that maximises gain x, each variable being at most `most`; shapes (variables,)."""
        row, variable, factor = (np.concatenate(part) for part in zip(*self._terms, strict=True))
        lower, upper = (np.concatenate(part) for part in zip(*self._limits, strict=True))
        matrix = coo_matrix((factor, (row, variable)), (self.rows, self.variables)).tocsr()
        return Program(gain, matrix, lower, upper, most)
