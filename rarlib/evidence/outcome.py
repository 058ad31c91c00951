"""What a formula gives, and why it may give nothing."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

Tables = Callable[[str], pd.DataFrame]
"""Gives a results table by name; raises MissingResultError when it has not been made."""


class MissingResultError(Exception):
    """The results at hand do not hold what a formula asks for."""


class NoScheduleError(Exception):
    """The runs were made, but none of them found a feasible schedule: an answer, not a gap."""


@dataclass(frozen=True)
class Outcome:
    """What a formula gives.

    Attributes:
        value: mean over seeds (`value`), or the fraction of seeds in which the statement holds; of formulas about
            rivals (`rarlib.evidence.contests`), the number they are about.
        spread: sample standard deviation over seeds; NaN for fractions and for a single seed.
        seeds: seeds that entered; windows, of formulas about rivals.
        left_out: seeds that lack a row.
        holds: whether the statement holds; None for `value`, which is compared elsewhere.
        told: the number in words, where "holds in ... of the seeds" would not tell it.
    """

    value: float
    spread: float
    seeds: int
    left_out: int = 0
    holds: bool | None = None
    told: str = ""
