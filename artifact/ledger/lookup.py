"""The rows of the result tables that a formula selects."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.outcome import MissingResultError, Tables
from rarlib.model.errors import InputError


class Lookup:
    """The rows that a formula selects: a claim's selection, replaced where the formula states its own."""

    def __init__(self, tables: Tables, select: Mapping[str, Any]) -> None:
        """Look rows up."""
        self.tables, self.select = tables, select

    def rows(self, name: str, stated: Mapping[str, Any]) -> pd.DataFrame:
        """Rows of a table.

        Raises:
            InputError: for a column that the table does not have.
            MissingResultError: when the table or the rows are missing.
        """
        found, select = self.tables(name), {**self.select, **stated}
        for column, wanted in select.items():
            if column not in found:
                raise InputError(f"table {name} has no column {column!r}", file="config/claims", field="select")
            codes, values = pd.factorize(found[column], use_na_sentinel=False)
            found = found[np.isin(codes, [code for code, value in enumerate(values) if _same(value, wanted)])]
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
