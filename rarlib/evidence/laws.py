"""Own statements under another law of contention: the same formulas over runs whose prices follow that law.

A statement of the arena names the levels of contention that it is about. Under another law, one level stands for all of
them; runs without contention stay as they are.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.arena.settings import LINKS
from rarlib.arena.standings import OFF
from rarlib.evidence.claims import Claim
from rarlib.evidence.readings import Lookup
from rarlib.evidence.verdicts import FAILS, NOT_RUN, judge, own_words
from rarlib.records.columns import read_columns

LAW_COLUMNS = ["published", "statement", "counted", "fast", "holds_under", "counted_found", "fast_found", "standin"]
"""Columns of `laws_table`."""

ACCEPTED_LAWS = Path("results/expected/arena-laws.csv")
"""The accepted table, in the project's folder."""

BOTH, NEITHER, COUNTED_ONLY, FAST_ONLY = "both laws", "neither law", "heads counted only", "the fast law only"
"""Values of the column `holds_under`, if both verdicts are known."""

_FACTOR = "contention"


def grid_under(section: Mapping[str, Any], level: str = LINKS) -> dict[str, Any]:
    """The arena's section with one level of contention for all but none; blocks that become equal stay.

    Args:
        section: as in the configuration.
        level: the level.
    """
    return {**_replaced(section, level), "grid": [_replaced(block, level) for block in section["grid"]]}


def claim_under(claim: Claim, level: str = LINKS) -> Claim:
    """A claim whose formula has one level of contention for all but none."""
    formula = dict(claim.formula or {})
    for key in ("select", "among"):
        if key in formula:
            formula[key] = _replaced(formula[key], level)
    if formula.get("along") == _FACTOR:
        formula["levels"] = _levels(formula["levels"], level)
    return replace(claim, formula=formula or None, select=_replaced(claim.select, level))


def laws_table(
    accepted: pd.DataFrame, claims: Mapping[str, Claim], runs: pd.DataFrame, *, standin: bool = False
) -> pd.DataFrame:
    """Every own statement under the law of its claim, and under the fast law.

    Args:
        accepted: rows of the ledger with the statements, which are judged by heads counted on a server.
        claims: how each of them is answered.
        runs: tidy runs of the arena under the fast law (`grid_under`).
        standin: whether any of these jobs were drawn.

    Returns:
        A row per statement, columns as in `LAW_COLUMNS`: both verdicts and what was found, in words.
    """
    rows = []
    for row in accepted.to_dict("records"):
        claim = claim_under(claims[row["published"]])
        found = judge(claim, row["value"], Lookup(lambda _: runs, claim.select))
        counted, fast = row["verdict"], own_words(found.verdict)
        rows.append(
            (row["published"], row["statement"], counted, fast, _under(counted, fast), row["reason"], found.reason,
             str(standin or row["standin"] == "True"))
        )  # fmt: skip
    return pd.DataFrame(rows, columns=LAW_COLUMNS)


def read_laws(path: Path) -> pd.DataFrame:
    """Read a table that `laws_table` made; all columns are text.

    Raises:
        InputError: no such file, or another table.
    """
    return read_columns(path, dict.fromkeys(LAW_COLUMNS, str))


def accepted_under(ledger: pd.DataFrame, laws: pd.DataFrame) -> list[str]:
    """Under which law each claim of a ledger holds by an accepted table.

    Args:
        ledger: claims, as `read_ledger` returns them.
        laws: as `read_laws` returns it.

    Returns:
        Values of `holds_under`; empty for a claim that is not in the table, or whose verdict is another one here.
    """
    known = {(row["published"], row["counted"]): row["holds_under"] for row in laws.to_dict("records")}
    return [known.get(key, "") for key in zip(ledger["published"], ledger["verdict"], strict=True)]


def _under(counted: str, fast: str) -> str:
    if NOT_RUN in (counted, fast):
        return ""
    if counted == FAILS:
        return NEITHER if fast == FAILS else FAST_ONLY
    return COUNTED_ONLY if fast == FAILS else BOTH


def _replaced(given: Mapping[str, Any], level: str) -> dict[str, Any]:
    return {name: _levels(value, level) if name == _FACTOR else value for name, value in given.items()}


def _levels(given: Any, level: str) -> Any:
    if not isinstance(given, list):
        return given if given == OFF else level
    return list(dict.fromkeys(each if each == OFF else level for each in given))
