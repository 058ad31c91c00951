"""Own statements under another law of contention: the same formulas over runs whose prices follow that law.

The arena's base is the fast law, and statements name its level of contention. Under the law that counts heads on a
server, the levels of that law stand in its place; runs without contention stay as they are.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.arena.settings import LINKS
from artifact.ledger.claims import Claim
from artifact.ledger.lookup import Lookup
from artifact.ledger.verdicts import FAILS, NOT_RUN, judge, own_words
from rarlib.records.columns import read_columns

LAW_COLUMNS = ["published", "statement", "fast", "counted", "holds_under", "fast_found", "counted_found", "standin"]
"""Columns of `laws_table`."""

ACCEPTED_LAWS = Path("results/expected/arena-laws.csv")
"""The accepted table, in the project's folder."""

BOTH, NEITHER, COUNTED_ONLY, FAST_ONLY = "both laws", "neither law", "heads counted only", "the fast law only"
"""Values of the column `holds_under`, if both verdicts are known."""

_FACTOR = "contention"
_COUNTED = ("k", "k+0.3")
"""Levels of the law that counts heads on a server, in the place of a list's fast law; the last one is its base."""


def grid_counted(section: Mapping[str, Any]) -> dict[str, Any]:
    """The arena's section with heads counted on a server in the place of the fast law."""
    return {**_counted(section), "grid": [_counted(block) for block in section["grid"]]}


def claim_counted(claim: Claim) -> Claim:
    """A claim whose formula counts heads on a server where it names the fast law."""
    formula = dict(claim.formula or {})
    if "select" in formula:
        formula["select"] = _counted(formula["select"])
    if formula.get("along") == _FACTOR:
        formula["levels"] = _levels(formula["levels"])
    return replace(claim, formula=formula or None, select=_counted(claim.select))


def laws_table(
    accepted: pd.DataFrame, claims: Mapping[str, Claim], runs: pd.DataFrame, *, standin: bool = False
) -> pd.DataFrame:
    """Every own statement under the law of its claim, and by heads counted on a server.

    Returns:
        A row per statement, columns as in `LAW_COLUMNS`: both verdicts and what was found, in words.
    """
    rows = []
    for row in accepted.to_dict("records"):
        claim = claim_counted(claims[row["published"]])
        found = judge(claim, row["value"], Lookup(lambda _: runs, claim.select))
        fast, counted = row["verdict"], own_words(found.verdict)
        rows.append(
            (row["published"], row["statement"], fast, counted, _under(fast, counted), row["reason"], found.reason,
             str(standin or row["standin"] == "True"))
        )  # fmt: skip
    return pd.DataFrame(rows, columns=LAW_COLUMNS)


def read_laws(path: Path) -> pd.DataFrame:
    """Read a table that `laws_table` made; all columns are text."""
    return read_columns(path, dict.fromkeys(LAW_COLUMNS, str))


def accepted_under(ledger: pd.DataFrame, laws: pd.DataFrame) -> list[str]:
    """Under which law each claim of a ledger holds by an accepted table.

    Returns:
        Values of `holds_under`; empty for a claim that is not in the table, or whose verdict is another one here.
    """
    known = {(row["published"], row["fast"]): row["holds_under"] for row in laws.to_dict("records")}
    return [known.get(key, "") for key in zip(ledger["published"], ledger["verdict"], strict=True)]


def _under(fast: str, counted: str) -> str:
    if NOT_RUN in (fast, counted):
        return ""
    if counted == FAILS:
        return NEITHER if fast == FAILS else FAST_ONLY
    return COUNTED_ONLY if fast == FAILS else BOTH


def _counted(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _levels(value) if name == _FACTOR else value for name, value in given.items()}


def _levels(given: Any) -> Any:
    if not isinstance(given, list):
        return _COUNTED[-1] if given == LINKS else given
    return list(dict.fromkeys(level for each in given for level in (_COUNTED if each == LINKS else (each,))))
