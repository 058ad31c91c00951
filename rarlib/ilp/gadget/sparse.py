"""Rows with few entries as plain arrays: SciPy's matrices check themselves at every step, which takes long."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


class SparseRows(NamedTuple):
    """A matrix row by row."""

    start: NDArray[np.int64]  # where each row begins in `place`, shape (rows + 1,)
    place: NDArray[np.int64]  # column of each entry, shape (entries,)
    value: NDArray[np.float64]  # shape (entries,)
    width: int  # number of columns

    @classmethod
    def none(cls, width: int) -> "SparseRows":
        """No rows."""
        return cls(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), width)

    @classmethod
    def of(
        cls, row: NDArray[np.int64], place: NDArray[np.int64], value: NDArray[np.float64], rows: int, width: int
    ) -> "SparseRows":
        """From entries in any order, at most one of each row and column; zeros are left out."""
        kept = np.flatnonzero(value)
        kept = kept[np.argsort(row[kept] * width + place[kept], kind="stable")]
        start = np.concatenate([[0], np.cumsum(np.bincount(row[kept], minlength=rows))])
        return cls(start, place[kept], value[kept], width)

    @classmethod
    def dense(cls, matrix: NDArray[np.int64]) -> "SparseRows":
        """From a full matrix."""
        row, place = np.nonzero(matrix)
        return cls.of(row, place, matrix[row, place].astype(np.float64), *matrix.shape)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.start) - 1

    @property
    def row(self) -> NDArray[np.int64]:
        """Row of each entry, shape (entries,)."""
        return np.repeat(np.arange(self.rows), np.diff(self.start))

    def below(self, other: "SparseRows") -> "SparseRows":
        """The rows of another matrix of equal width below those of this one."""
        start = np.concatenate([self.start, self.start[-1] + other.start[1:]])
        place, value = np.concatenate([self.place, other.place]), np.concatenate([self.value, other.value])
        return SparseRows(start, place, value, self.width)

    def take(self, rows: NDArray[np.int64]) -> "SparseRows":
        """Some of the rows, in the order asked for."""
        count = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(count)])
        at = np.repeat(self.start[rows] - start[:-1], count) + np.arange(start[-1])
        return SparseRows(start, self.place[at], self.value[at], self.width)

    def sum(self) -> NDArray[np.float64]:
        """Sum over the rows, shape (width,)."""
        return np.bincount(self.place, self.value, self.width).astype(np.float64)

    def sum_of(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum over the rows with a weight each, shape (width,)."""
        return np.bincount(self.place, self.value * np.repeat(weight, np.diff(self.start)), self.width).astype(
            np.float64
        )

    def toarray(self) -> NDArray[np.float64]:
        """The full matrix."""
        full = np.zeros((self.rows, self.width))
        full[self.row, self.place] = self.value
        return full

    def capacities(self, owner: NDArray[np.int64], owners: int) -> csr_matrix:
        """Rows of a program with a variable per row here, shape (owners + width, rows).

        Every owner has at most one of its variables; then come the capacities of the columns.
        """
        row, column = np.concatenate([owner, owners + self.place]), np.concatenate([np.arange(self.rows), self.row])
        order = np.argsort(row, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=owners + self.width))])
        value, shape = np.concatenate([np.ones(self.rows), self.value]), (owners + self.width, self.rows)
        # SciPy searches numbers of 64 bits for those that need so many.
        return csr_matrix((value[order], column[order].astype(np.int32), start.astype(np.int32)), shape)
