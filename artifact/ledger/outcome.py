"""The result of a formula, and the reasons why it may have none."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

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
