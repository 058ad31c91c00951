"""The rows of the result tables that a formula selects."""

import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.ledger.outcome import MissingResultError, Tables
from rarlib.model.errors import InputError


class Lookup:
    """The rows that a formula selects: a claim's selection, replaced where the formula states its own."""

    def __init__(self, tables: Tables, select: Mapping[str, Any]) -> None:
        """Look rows up.

        Args:
            tables: gives a table by name.
            select: column and value of the rows that a claim uses.
        """
        self.tables, self.select = tables, select

    def rows(self, name: str, stated: Mapping[str, Any]) -> pd.DataFrame:
        """Rows of a table.

        Args:
            name: of the table.
            stated: column and value, stated by the formula itself.

        Raises:
            InputError: for a column that the table does not have.
            MissingResultError: when the table or the rows are missing.
        """
        return _rows(self.tables(name), name, {**self.select, **stated})


class _Index:
    """Columns of a table as codes, and the selections made so far: thousands of formulas select from one table."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = weakref.ref(table)
        self.columns: dict[str, tuple[NDArray[np.intp], list[Any]]] = {}
        self.found: dict[tuple[tuple[str, Any], ...], pd.DataFrame] = {}

    def select(self, table: pd.DataFrame, select: Mapping[str, Any]) -> pd.DataFrame:
        key = tuple(select.items())
        if key not in self.found:
            chosen = np.ones(len(table), dtype=bool)
            for column, wanted in select.items():
                codes, values = self._coded(table, column)
                chosen &= np.isin(codes, [code for code, value in enumerate(values) if _same(value, wanted)])
            self.found[key] = table.take(np.flatnonzero(chosen))
        return self.found[key]

    def _coded(self, table: pd.DataFrame, column: str) -> tuple[NDArray[np.intp], list[Any]]:
        if column not in self.columns:
            codes, values = pd.factorize(table[column], use_na_sentinel=False)
            self.columns[column] = codes, list(values)
        return self.columns[column]


_INDICES: dict[int, _Index] = {}
"""By the identity of the table; an index whose table is gone is made anew."""


def _rows(table: pd.DataFrame, name: str, select: Mapping[str, Any]) -> pd.DataFrame:
    for column in select:
        if column not in table:
            raise InputError(f"table {name} has no column {column!r}", file="config/claims", field="select")
    index = _INDICES.get(id(table))
    if index is None or index.table() is not table:
        index = _INDICES[id(table)] = _Index(table)
    found = index.select(table, select)
    if found.empty:
        raise MissingResultError(f"{name} has no row with " + ", ".join(f"{k} = {v}" for k, v in select.items()))
    return found


def _same(found: Any, wanted: Any) -> bool:
    """Numbers are compared as numbers, since a column of a table may hold both numbers and words."""
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        try:
            return float(found) == float(wanted)
        except (TypeError, ValueError):
            return False
    return str(found) == str(wanted)
