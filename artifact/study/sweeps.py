"""The settings of a study: all combinations of its factors, or one factor changed at a time."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

FACTORIAL, ONE_AT_A_TIME = "factorial", "one-at-a-time"


class StudySetting(NamedTuple):
    """One setting: a level of each factor, as a study names it.

    Attributes:
        load: offered load; empty: submissions as recorded.
        error: standard deviation of the logarithm of predicted over true length.
        restart: seconds that a stopped job loses; empty: as the cost model has it.
    """

    cluster: str
    cost: str
    load: str
    error: str
    restart: str

    @property
    def reading(self) -> str:
        """The column `reading` of tidy tables: all levels but the load, which is the column `x`."""
        return "/".join((self.cluster, self.cost, self.error, self.restart or "model"))


def swept(levels: Mapping[str, Sequence[str]], sweep: str) -> list[StudySetting]:
    """The settings of a sweep, the base setting first.

    Args:
        levels: of each factor (the fields of `StudySetting`), the base level first.
        sweep: `factorial`: every combination; `one-at-a-time`: the base setting, and those that differ from it in one
            factor.
    """
    rows = [list(levels[name]) for name in StudySetting._fields]
    if sweep == FACTORIAL:
        return [StudySetting(*row) for row in itertools.product(*rows)]
    base = [row[0] for row in rows]
    changed = [[*base[:at], level, *base[at + 1 :]] for at, row in enumerate(rows) for level in row[1:]]
    return [StudySetting(*row) for row in [base, *changed]]
