"""The claims ledger: one verdict for each published number and statement.

`data/published.csv` lists what the papers print, `data/statements.csv` what this project states itself;
`config/claims/<paper>.yaml` says how each of them is answered; the ledger joins them with the result tables.
Every id has exactly one row.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from rarlib.evidence.formulas import check_formula, evaluate, tables_of
from rarlib.evidence.outcome import MissingResultError, NoScheduleError, Outcome, Tables
from rarlib.evidence.robust import check_order
from rarlib.model.errors import InputError, require_keys

REPRODUCED = "reproduced"
DIRECTION = "direction only"
NOT_REPRODUCED = "not reproduced"
UNSPECIFIED = "not reproducible as specified"
_HOLDS = "holds"
FAILS = "does not hold"
NOT_RUN = "not yet run"
VERDICTS = (REPRODUCED, DIRECTION, NOT_REPRODUCED, UNSPECIFIED, _HOLDS, FAILS, NOT_RUN)
CLAIM_COLUMNS = [
    "published", "paper", "where", "statement", "value", "unit", "ours", "spread", "seeds", "verdict", "robustness",
    "reason", "trust", "evidence", "standin",
]  # fmt: skip
OWN = "own"
"""`trust` of this project's own statements: no paper prints them, so there is nothing to reproduce."""

_ENTRY_KEYS = {
    "published", "statement", "where", "formula", "direction", "tolerance", "select", "needs", "trust", "specified",
    "reason", "note", "robustness",
}  # fmt: skip
_TOP_KEYS = {"paper", "defaults", "claims"}
_DEFAULT_KEYS = {"tolerance", "select"}


@dataclass(frozen=True)
class Claim:
    """How one published id is answered; see config/claims/README.md."""

    published: str
    statement: str = ""
    where: str = ""
    formula: Mapping[str, Any] | None = None
    direction: Mapping[str, Any] | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    select: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    trust: str = ""
    specified: bool = True
    reason: str = ""
    note: str = ""
    robustness: Mapping[str, Any] | None = None

    @property
    def tables(self) -> list[str]:
        """Names of the tables the claim reads."""
        formulas = [f for f in (self.formula, self.direction) if f is not None]
        return list(dict.fromkeys([*self.needs, *(name for f in formulas for name in tables_of(f))]))


def read_listed(data: Path) -> pd.DataFrame:
    """Everything that gets a row: `published.csv`, then `statements.csv` if there is one.

    Raises:
        InputError: as `_read_published`; an own statement that is not marked as such, is not a statement, or has
            the id of a published number.
    """
    listed = _read_published(data / "published.csv")
    path = data / "statements.csv"
    if not path.is_file():
        return listed
    own = _read_published(path)
    rules = {"trust": OWN, "value": "true"}
    for column, wanted in rules.items():
        other = (own[column] != wanted).to_numpy()
        if other.any():
            raise InputError(f"must be {wanted}", file=path, row=int(other.argmax()) + 2, field=column)
    twice = own["id"].isin(listed["id"]).to_numpy()
    if twice.any():
        row = int(twice.argmax())
        raise InputError(f"id {own['id'].iloc[row]} is that of a published number", file=path, row=row + 2, field="id")
    return pd.concat([listed, own], ignore_index=True)


def _read_published(path: Path) -> pd.DataFrame:
    """The published numbers, one row per id, all columns as text.

    Raises:
        InputError: for a missing file or column, or an id that occurs twice.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    for column in ("id", "paper", "where", "series", "x", "value", "unit", "trust"):
        if column not in table:
            raise InputError("missing column", file=path, field=column)
    twice = table["id"].duplicated()
    if twice.any():
        row = int(twice.to_numpy().argmax())
        raise InputError(f"duplicate id {table['id'].iloc[row]}", file=path, row=row + 2, field="id")
    return table


def read_claims(folder: Path, known: set[str]) -> dict[str, Claim]:
    """All claims of a folder of YAML files, by published id.

    Raises:
        InputError: for a file that is not a list of claims, an unknown id or key, or an id that is claimed twice.
    """
    claims: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.yaml")):
        for claim in _claims_of(path):
            if claim.published not in known:
                raise InputError(f"unknown id {claim.published!r}", file=path, field="published")
            if claim.published in claims:
                raise InputError(f"id {claim.published} is claimed twice", file=path, field="published")
            claims[claim.published] = claim
    return claims


def _claims_of(path: Path) -> list[Claim]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {' '.join(str(error).split())}", file=path) from None
    if not isinstance(content, dict) or not isinstance(content.get("claims"), list):
        raise InputError("needs a list 'claims'", file=path)
    require_keys(content, _TOP_KEYS, path, "top level")
    defaults = content.get("defaults") or {}
    require_keys(defaults, _DEFAULT_KEYS, path, "defaults")
    return [_claim(entry, defaults, path, position) for position, entry in enumerate(content["claims"])]


def _claim(entry: Any, defaults: Mapping[str, Any], path: Path, position: int) -> Claim:
    where = f"claims[{position}]"
    if not isinstance(entry, dict) or not isinstance(entry.get("published"), str):
        raise InputError("needs the id of a published number under 'published'", file=path, field=where)
    where = entry["published"]
    require_keys(entry, _ENTRY_KEYS, path, where)
    for key in ("formula", "direction"):
        if entry.get(key) is not None:
            check_formula(entry[key], path, f"{where}.{key}")
    if entry.get("direction") and (entry.get("formula") or {}).get("kind") != "value":
        raise InputError("only a formula of kind value can have a direction", file=path, field=f"{where}.direction")
    if entry.get("robustness") is not None:
        check_order(entry["robustness"], path, f"{where}.robustness")
    tolerance = entry.get("tolerance", defaults.get("tolerance", {}))
    require_keys(tolerance, {"relative", "absolute"}, path, f"{where}.tolerance")
    select = {**defaults.get("select", {}), **entry.get("select", {})}
    return Claim(**{**entry, "needs": tuple(entry.get("needs", ())), "tolerance": tolerance, "select": select})


def judge(claim: Claim, value: str, tables: Tables) -> dict[str, Any]:
    """Verdict, our number and the reason, for one claim.

    A value is reproduced when the mean over seeds lies within the tolerance of the published one, direction only
    when it does not but the claim's `direction` holds. A statement (published as `true`) is reproduced when its
    formula holds.
    """
    outcome: Outcome | None = None
    try:
        outcome = evaluate(claim.formula, tables, claim.select) if claim.formula else None
        if not claim.specified:
            # A share of instances is evidence, not a value to set beside the published one.
            return _row(UNSPECIFIED, claim.reason, outcome if outcome and outcome.holds is None else None)
        if outcome is None:
            return _row(NOT_RUN, claim.reason or "no formula is stated", None)
        if outcome.holds is not None:
            verdict = REPRODUCED if outcome.holds else NOT_REPRODUCED
            return _row(verdict, outcome.summary or f"holds in {_share(outcome)}", outcome)
        return _judge_value(claim, float(value), outcome, tables)
    except NoScheduleError as none:
        return _row(NOT_REPRODUCED if claim.specified else UNSPECIFIED, f"{claim.reason} {none}".strip(), outcome)
    except MissingResultError as missing:
        verdict = UNSPECIFIED if not claim.specified else NOT_RUN
        return _row(verdict, f"{claim.reason} ({missing})".strip() if claim.reason else str(missing), outcome)


def own_words(verdict: str) -> str:
    """The verdict in the words used for this project's own statements."""
    return {REPRODUCED: _HOLDS, NOT_REPRODUCED: FAILS}.get(verdict, verdict)


def _judge_value(claim: Claim, value: float, outcome: Outcome, tables: Tables) -> dict[str, Any]:
    off = outcome.value - value
    allowed = max(claim.tolerance.get("relative", 0.0) * abs(value), claim.tolerance.get("absolute", 0.0))
    reason = f"{off / value:+.1%} of the published value" if value else f"off by {off:+.3g}"
    if abs(off) <= allowed:
        return _row(REPRODUCED, reason, outcome)
    if claim.direction is None:
        return _row(NOT_REPRODUCED, reason, outcome)
    try:
        direction = evaluate(claim.direction, tables, claim.select)
    except NoScheduleError as none:
        return _row(NOT_REPRODUCED, f"{reason}; its direction cannot be tested: {none}", outcome)
    verdict = DIRECTION if direction.holds else NOT_REPRODUCED
    return _row(verdict, f"{reason}; direction holds in {_share(direction)}", outcome)


def _share(outcome: Outcome) -> str:
    text = f"{outcome.value:.0%} of {outcome.seeds} seeds"
    return f"{text} ({outcome.left_out} without a feasible schedule)" if outcome.left_out else text


def _row(verdict: str, reason: str, outcome: Outcome | None) -> dict[str, Any]:
    ours = outcome.value if outcome is not None else math.nan
    spread = outcome.spread if outcome is not None else math.nan
    seeds = outcome.seeds if outcome is not None else 0
    return {"ours": ours, "spread": spread, "seeds": seeds, "verdict": verdict, "reason": reason}
