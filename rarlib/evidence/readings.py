"""Readings of what a paper leaves open, beside the headline, and the rows of the result tables that belong to them."""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.evidence.outcome import MissingResultError, Tables
from rarlib.model.errors import InputError, require_keys

BEFORE, AFTER = "before", "after"
_READING_KEYS = {"says", "reason", "found", "select", "tables"}


@dataclass(frozen=True)
class StatedReading:
    """Another reading of what a paper leaves open; the headline is not among them.

    Attributes:
        name: as in the ledger's column `best_reading`.
        says: what is done differently, in one sentence.
        reason: what the paper leaves open, and which of its sentences speaks for this reading.
        found: whether it was declared `before` or `after` its values were compared with the published ones.
        select: replaces these keys of a claim's selection.
        tables: where the rows of this reading lie, by the name of the table that the claim reads.
    """

    name: str
    says: str
    reason: str
    found: str
    select: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)


def readings_of(content: Mapping[str, Any], path: Path) -> dict[str, StatedReading]:
    """The readings that a file of claims declares, by name, in the order of their declaration.

    Raises:
        InputError: for a reading that lacks a sentence, says not when it was found, or equals the headline.
    """
    declared = content.get("readings") or {}
    if not isinstance(declared, dict):
        raise InputError("must be a mapping from name to reading", file=path, field="readings")
    found = {}
    for name, entry in declared.items():
        where = f"readings.{name}"
        if not isinstance(entry, dict):
            raise InputError("must be a mapping", file=path, field=where)
        require_keys(entry, _READING_KEYS, path, where)
        for key in ("says", "reason"):
            if not isinstance(entry.get(key), str) or not entry[key].strip():
                raise InputError(f"needs a sentence under {key!r}", file=path, field=where)
        if entry.get("found") not in (BEFORE, AFTER):
            raise InputError(f"must be {BEFORE} or {AFTER}", file=path, field=f"{where}.found")
        if not entry.get("select") and not entry.get("tables"):
            raise InputError("needs 'select' or 'tables': it would equal the headline", file=path, field=where)
        found[str(name)] = StatedReading(name=str(name), **entry)
    return found


class Lookup:
    """The rows that a formula selects, in the headline or in another reading.

    A reading replaces keys of the claim's selection, but none that the formula states itself. Where a table has no
    such rows, those of the headline are used: a reading that does not affect a scheduler is not run for it.

    Attributes:
        own: whether any selection found rows of the reading.
    """

    def __init__(self, tables: Tables, select: Mapping[str, Any], reading: StatedReading | None = None) -> None:
        """Look rows up.

        Args:
            tables: gives a table by name.
            select: column and value of the rows that a claim uses.
            reading: None for the headline.
        """
        self.tables, self.select, self.own = tables, select, False
        self._reading = reading

    def rows(self, name: str, stated: Mapping[str, Any]) -> pd.DataFrame:
        """Rows of a table.

        Args:
            name: of the table.
            stated: column and value, stated by the formula itself.

        Raises:
            InputError: for a column that the table does not have.
            MissingResultError: when the table or the rows are missing.
        """
        chosen = {**self.select, **stated}
        if self._reading is not None:
            other_name = self._reading.tables.get(name, name)
            other = {**self.select, **self._reading.select, **stated}
            if (other_name, other) != (name, chosen):
                try:
                    found = _rows(self.tables(other_name), other_name, other)
                except MissingResultError:
                    pass
                else:
                    self.own = True
                    return found
        return _rows(self.tables(name), name, chosen)


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
