"""The rows of the result tables that a formula selects, its result, and the reasons why it may have none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError

Tables = Callable[[str], pd.DataFrame]
"""Gives a results table by name; raises MissingResultError when it has not been made."""


class MissingResultError(Exception):
    """The results lack a table or rows that a formula needs."""


class NoScheduleError(Exception):
    """The runs were made, but none of them found a feasible schedule: an answer, not a gap."""


@dataclass(frozen=True)
class Outcome:
    """The result of a formula.

    Attributes:
        value: mean over seeds (`value`), or the fraction of seeds in which the statement holds; for formulas that
            compare schedulers (`artifact.ledger.contests`), their ratio or the share of settings or rivals won.
        spread: sample standard deviation over seeds; NaN for fractions and for a single seed.
        seeds: number of seeds used; for formulas that compare schedulers, number of windows or runs.
        left_out: number of seeds without a feasible schedule in one of the rows.
        unmatched: number of seeds that were run for some of the rows only.
        holds: whether the statement holds; None for `value`, which is compared with the published value elsewhere.
        at_least: from which share of seeds on the statement holds; None unless it is a share of seeds.
        summary: the result in words, where "holds in ... of the seeds" does not describe it.
    """

    value: float
    spread: float
    seeds: int
    left_out: int = 0
    unmatched: int = 0
    holds: bool | None = None
    at_least: float | None = None
    summary: str = ""


class Lookup:
    """The rows that a formula selects: a claim's selection, replaced where the formula states its own."""

    def __init__(self, tables: Tables, select: Mapping[str, Any]) -> None:
        self.tables, self.select = tables, select

    def rows(self, name: str, stated: Mapping[str, Any]) -> pd.DataFrame:
        """Rows of a table.

        Raises:
            InputError: for a column that the table does not have.
            MissingResultError: when the table or the rows are missing.
        """
        found, select = self.tables(name), {**self.select, **stated}
        at = np.arange(len(found))
        for column, wanted in select.items():
            if column not in found:
                raise InputError(f"table {name} has no column {column!r}", file="config/claims", field="select")
            codes, values = pd.factorize(found[column].array[at], use_na_sentinel=False)
            at = at[np.isin(codes, [code for code, value in enumerate(values) if _same(value, wanted)])]
        if not len(at):
            raise MissingResultError(f"{name} has no row with " + ", ".join(f"{k} = {v}" for k, v in select.items()))
        return found.iloc[at]


def _same(found: Any, wanted: Any) -> bool:
    """Numbers are compared as numbers, since a column of a table may hold both numbers and words."""
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        try:
            return float(found) == float(wanted)
        except (TypeError, ValueError):
            return False
    return str(found) == str(wanted)
