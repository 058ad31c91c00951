"""Own statements, judged anew: the level of measured errors at which each comparison stands.

A statement of the arena holds by its interval, which shows the spread between windows. Whether the simulator itself can
tell the two policies apart is another question: `rarlib.arena.fidelity` answers it from published testbeds. Judged are
the ratio and the interval that the ledger holds, so nothing is run again.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.arena.fidelity import level_of
from rarlib.evidence.claims import read_claims
from rarlib.evidence.published import OWN, read_listed
from rarlib.model.errors import InputError

LEVEL_COLUMNS = [
    "published",
    "statement",
    "verdict",
    "ratio",
    "low",
    "high",
    "level",
    *(f"at_{x}" for x in (50, 80, 90)),
]
"""Columns of `judged_levels`."""

HELD, CONTRADICTED, UNDECIDED = "holds", "contradicted", "undecided"
NO_POLICIES = "compares no two policies"

_COMPARED = ("beats", "widens")
_INTERVAL = re.compile(r"(\d+\.\d+) \[(\d+\.\d+), (\d+\.\d+)\]")


def own_formulas(root: Path) -> dict[str, Mapping[str, Any]]:
    """Formula of each own statement by its id.

    Args:
        root: the project's folder.

    Raises:
        InputError: lists or claims that cannot be read.
    """
    listed = read_listed(root / "data")
    claims = read_claims(root / "config" / "claims", set(listed["id"]))
    own = [name for name in listed[listed["trust"] == OWN]["id"] if name in claims]
    return {name: claims[name].formula or {} for name in own}


def judged_levels(ledger: pd.DataFrame, formulas: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Every own statement with the level at which it stands; columns as in `LEVEL_COLUMNS`.

    Of several pairs the weakest one counts, as in the ledger. At a level, a statement *holds* if its interval and its
    ratio are below 1 and the ratio stands at that level; it is *contradicted* if both are above 1 and the ratio stands
    at it; else it is *undecided*. Bounds compare no policies: there `level` is NaN, and the other columns say why.

    Args:
        ledger: claims, as `read_ledger` returns them.
        formulas: formula of each own statement by its id.

    Raises:
        InputError: a comparison whose reason has no interval.
    """
    rows = []
    for row in ledger[ledger["published"].isin(list(formulas))].to_dict("records"):
        kind = formulas[row["published"]]["kind"]
        lead = row["published"], row["statement"], row["verdict"]
        if kind in _COMPARED:
            rows.append((*lead, *_stands(row)))
        else:
            rows.append((*lead, *[float("nan")] * 4, *[NO_POLICIES] * 3))
    return pd.DataFrame(rows, columns=LEVEL_COLUMNS)


def _stands(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    found = _INTERVAL.search(row["reason"])
    if found is None:
        raise InputError("has no interval", file="claims", row=0, field=row["published"])
    ratio, low, high = float(row["ours"]), float(found[2]), float(found[3])
    level = level_of(ratio)
    way = HELD if max(ratio, high) < 1.0 else CONTRADICTED if min(ratio, low) > 1.0 else UNDECIDED
    return ratio, low, high, level, *(way if level >= x else UNDECIDED for x in (0.5, 0.8, 0.9))
