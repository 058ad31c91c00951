"""The ledger as a table, with a row and a verdict for every listed id; reading and writing it."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.ledger.claims import OWN_ROLE, ROLES, TESTED, Claim, read_claims
from artifact.ledger.formulas import evaluate
from artifact.ledger.lookup import Lookup, MissingResultError, NoScheduleError
from artifact.ledger.published import OWN, read_listed
from artifact.ledger.robust import TABLE, compared_settings, robustness_of
from artifact.ledger.verdicts import NO_VERDICT, NOT_RUN, REPRODUCED, VERDICTS, allowed, copied, judge, own_words
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.records.columns import read_columns
from rarlib.records.tidy import read_table

CLAIM_COLUMNS = [
    "published", "paper", "where", "statement", "value", "unit", "ours", "spread", "seeds", "as_stated", "role",
    "chance", "verdict", "settled", "same_as", "robustness", "reason", "trust", "evidence", "standin", "not_headline",
]  # fmt: skip
_NUMBERS = {"ours": "value", "spread": "spread", "seeds": "seeds"}
_WORDS = {"verdict": (NO_VERDICT, *VERDICTS), "role": ROLES, "standin": ("True", "False")}
DRAWS_TABLE = "inference"
"""Name of a paper's table of random readings."""

ON_STAND_IN = "; on stand-in data"
"""End of an entry of the column `robustness` if the arena did not run on recorded data."""


def build(data: Path, claims: Path, tables: Path, remarks: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Build the ledger from a folder of result tables.

    `tables` has a `.json` of provenance beside each table; `remarks`: what sets a table apart from the headline, by its
    name; tables of the headline have no entry.

    Returns:
        One row per id, in the order listed, columns as in `CLAIM_COLUMNS`.
    """
    listed = read_listed(data)
    stated = read_claims(claims, set(listed["id"]))
    read_once = cache(results_table)
    compared = cache(lambda metric: compared_settings(read_once(tables / f"{TABLE}.csv"), metric))
    sources = _Sources(tables, remarks or {}, read_once, compared)
    rows = {
        row["id"]: _entry({str(k): v for k, v in row.items()}, stated.get(row["id"]), sources)
        for row in listed.to_dict("records")
    }
    for name, claim in stated.items():
        if claim.same_as:
            rows[name] = copied(rows[name], rows[claim.same_as])
    return pd.DataFrame(rows.values(), columns=CLAIM_COLUMNS)


@dataclass(frozen=True)
class _Sources:
    """Where the rows of the ledger come from."""

    tables: Path
    remarks: Mapping[str, str]
    read_once: Callable[[Path], pd.DataFrame]
    compared: Callable[[str], pd.DataFrame]

    def of_paper(self, paper: str) -> Callable[[str], pd.DataFrame]:
        """Tables of a paper by name."""
        return lambda name: self.read_once(self.tables / f"{paper}-{name}.csv")

    def at_hand(self, paper: str, names: Sequence[str]) -> list[str]:
        """Those of a paper's tables that were made."""
        return [name for name in (f"{paper}-{name}" for name in names) if (self.tables / f"{name}.csv").is_file()]

    def standin(self, table: str) -> bool:
        """Whether a table was made from a stand-in."""
        path = self.tables / f"{table}.json"
        return path.is_file() and bool(read_json(path).get("standin"))


def _entry(row: dict[str, Any], claim: Claim | None, sources: _Sources) -> dict[str, Any]:
    entry = {k: row[k] for k in ("paper", "where", "value", "unit", "trust")}
    entry |= {"published": row["id"], "statement": f"{row['series']}, {row['x']}", "role": TESTED, "seeds": 0}
    entry |= dict.fromkeys(("settled", "same_as", "robustness", "evidence", "not_headline"), "")
    entry["standin"] = False
    if row["trust"] == OWN:
        entry["role"] = OWN_ROLE
    if claim is None:
        return entry | {"verdict": NOT_RUN, "reason": "not evaluated"}
    if row["trust"] != OWN:
        entry["role"] = claim.role
    of_paper = sources.of_paper(row["paper"])
    judged = judge(claim, row["value"], Lookup(of_paper, claim.select))
    at_hand = sources.at_hand(row["paper"], claim.tables)
    entry["evidence"] = " ".join(f"tables/{name}.csv" for name in at_hand)
    entry["not_headline"] = "; ".join(
        dict.fromkeys(sources.remarks[each] for each in at_hand if each in sources.remarks)
    )
    entry["standin"] = any(map(sources.standin, at_hand))
    entry["statement"] = claim.statement or entry["statement"]
    entry["verdict"] = own_words(judged.verdict) if row["trust"] == OWN else judged.verdict
    entry["settled"], entry["reason"] = judged.settled, _reason(claim, judged.reason)
    if judged.outcome is not None:
        entry |= {name: getattr(judged.outcome, of) for name, of in _NUMBERS.items()}
    if row["trust"] != OWN:
        entry["as_stated"] = _as_stated(claim, of_paper, entry.get("ours"))
        entry["chance"] = _chance(claim, row["value"], of_paper)
    if claim.robustness is not None:
        entry["robustness"] = _robustness(claim.robustness, sources)
    return entry


def _as_stated(claim: Claim, tables: Callable[[str], pd.DataFrame], ours: float | None) -> float | None:
    """Our value where nothing is fitted; ours itself for a paper that has no fitted reading."""
    if not claim.as_stated or claim.formula is None:
        return ours
    try:
        return evaluate(claim.formula, Lookup(tables, {**claim.select, **claim.as_stated})).value
    except (MissingResultError, NoScheduleError):
        return None


def _chance(claim: Claim, value: str, tables: Callable[[str], pd.DataFrame]) -> float | None:
    """Share of the paper's random readings that give a number within the tolerance; None if none of them gives it."""
    if value in ("true", "false"):
        return None
    try:
        table = tables(DRAWS_TABLE)
    except MissingResultError:
        return None
    drawn = table.loc[table["metric"] == claim.published, "value"].astype(float)
    return float(((drawn - float(value)).abs() <= allowed(claim, float(value))).mean()) if len(drawn) else None


def _reason(claim: Claim, found: str) -> str:
    for more in (claim.note, claim.trivial, claim.impossible.why if claim.impossible else ""):
        found = f"{found}. {more}" if more else found
    return found


def _robustness(order: Mapping[str, Any], sources: _Sources) -> str:
    try:
        found = robustness_of(order, sources.compared(order.get("metric", "mean_jct")))
    except MissingResultError:
        return ""
    return f"{found}{ON_STAND_IN}" if found and sources.standin(TABLE) else found


def results_table(path: Path) -> pd.DataFrame:
    """Read a tidy table.

    Raises:
        MissingResultError: when it has not been made.
    """
    if not path.is_file():
        raise MissingResultError(f"no results table {path.name}")
    return read_table(path)


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """Number of verdicts by paper; papers in order of appearance, a row `all` last.

    A number that a paper prints twice counts once; what has no verdict does not count.
    """
    once = ledger[ledger["same_as"] == ""]
    table = pd.crosstab(once["paper"], once["verdict"]).reindex(columns=list(VERDICTS), fill_value=0)
    table = table.reindex(once["paper"].drop_duplicates())
    table.loc["all"] = table.sum()
    table.index.name, table.columns.name = "paper", None
    return table


def tested(ledger: pd.DataFrame) -> tuple[int, int]:
    """How many tested numbers and statements are reproduced, and how many there are; printed twice is once."""
    own = ledger[(ledger["role"] == TESTED) & (ledger["same_as"] == "")]
    return int((own["verdict"] == REPRODUCED).sum()), len(own)


def _csv(ledger: pd.DataFrame) -> str:
    return ledger.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def write_ledger(ledger: pd.DataFrame, path: Path) -> None:
    """Write the ledger as canonical CSV (six significant digits, LF)."""
    write_text(path, _csv(ledger))


def as_written(ledger: pd.DataFrame) -> pd.DataFrame:
    """The ledger as it reads after writing, to compare with one from disk."""
    return pd.read_csv(io.StringIO(_csv(ledger)), dtype=str, keep_default_na=False)


def read_ledger(path: Path) -> pd.DataFrame:
    """Read a ledger; all columns are text.

    Raises:
        InputError: when there is none, or the file is not a ledger: other columns, an unknown verdict or role, text
            where a number must be, an id that is empty or there twice.
    """
    if not path.is_file():
        raise InputError("no claims ledger here; make it with `make reproduce`", file=path)
    ledger = read_columns(path, dict.fromkeys(CLAIM_COLUMNS, str))
    for column, known in _WORDS.items():
        _refuse(~ledger[column].isin(known), ledger, path, column, f"must be one of {', '.join(filter(None, known))}")
    for column in (*_NUMBERS, "as_stated", "chance"):
        given = ledger[column].where(ledger[column] != "", "0")
        _refuse(pd.to_numeric(given, errors="coerce").isna(), ledger, path, column, "must be a number or empty")
    _refuse(ledger["published"] == "", ledger, path, "published", "must not be empty")
    _refuse(ledger["published"].duplicated(), ledger, path, "published", "is there twice")
    return ledger


def _refuse(bad: pd.Series, ledger: pd.DataFrame, path: Path, column: str, rule: str) -> None:
    if bad.any():
        row = int(bad.to_numpy().argmax())
        raise InputError(f"{rule}, found {ledger[column].iloc[row][:80]!r}", file=path, row=row + 2, field=column)
