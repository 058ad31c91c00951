"""The ledger as a table, with a row and a verdict for every listed id; reading and writing it."""

import io
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.evidence.claims import (
    CLAIM_COLUMNS,
    NOT_RUN,
    OWN,
    VERDICTS,
    Claim,
    judge,
    own_words,
    read_claims,
    read_listed,
)
from rarlib.evidence.outcome import MissingResultError
from rarlib.evidence.robust import TABLE, compared_settings, robustness_of
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.records.tidy import read_table

ON_STAND_IN = "; on stand-in data"
"""End of an entry of the column `robustness` if the arena did not run on recorded data."""


def build(data: Path, claims: Path, tables: Path) -> pd.DataFrame:
    """Build the ledger from a folder of result tables.

    Args:
        data: folder with `published.csv` and, for own statements, `statements.csv`.
        claims: folder with one YAML file per paper.
        tables: folder of result tables, `<paper>-<table>.csv` with a `.json` of provenance beside each.

    Returns:
        One row per id, in the order listed, columns as in `CLAIM_COLUMNS`.
    """
    listed = read_listed(data)
    answers = read_claims(claims, set(listed["id"]))
    read_once = cache(_table)
    arena = cache(lambda metric: compared_settings(read_once(tables / f"{TABLE}.csv"), metric))
    rows = [
        _entry({str(k): v for k, v in row.items()}, answers.get(row["id"]), tables, read_once, arena)
        for row in listed.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=CLAIM_COLUMNS)


def _entry(
    row: dict[str, Any],
    claim: Claim | None,
    tables: Path,
    read_once: Callable[[Path], pd.DataFrame],
    arena: Callable[[str], pd.DataFrame],
) -> dict[str, Any]:
    common = {k: row[k] for k in ("paper", "where", "value", "unit", "trust")}
    common |= {"published": row["id"], "statement": f"{row['series']}, {row['x']}"}
    common |= {"evidence": "", "standin": False, "robustness": ""}
    if claim is None:
        return {
            **common,
            "ours": None,
            "spread": None,
            "seeds": 0,
            "verdict": NOT_RUN,
            "reason": "not evaluated",
        }
    names = [f"{row['paper']}-{name}" for name in claim.tables]
    at_hand = [name for name in names if (tables / f"{name}.csv").is_file()]
    common["evidence"] = " ".join(f"tables/{name}.csv" for name in at_hand)
    common["standin"] = any(_standin(tables / f"{name}.json") for name in at_hand)
    common["statement"] = claim.statement or common["statement"]
    verdict = judge(claim, row["value"], lambda name: read_once(tables / f"{row['paper']}-{name}.csv"))
    if row["trust"] == OWN:
        verdict["verdict"] = own_words(verdict["verdict"])
    if claim.robustness is not None:
        common["robustness"] = _robustness(claim.robustness, arena, tables)
    if claim.note:
        verdict["reason"] = f"{verdict['reason']}. {claim.note}"
    return common | verdict


def _robustness(order: Mapping[str, Any], arena: Callable[[str], pd.DataFrame], tables: Path) -> str:
    try:
        found = robustness_of(order, arena(order.get("metric", "mean_jct")))
    except MissingResultError:
        return ""
    return f"{found}{ON_STAND_IN}" if found and _standin(tables / f"{TABLE}.json") else found


def _table(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise MissingResultError(f"no results table {path.name}")
    return read_table(path)


def _standin(path: Path) -> bool:
    return path.is_file() and bool(json.loads(path.read_text(encoding="utf-8")).get("standin"))


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """Number of verdicts by paper; papers in order of appearance, a row `all` last."""
    table = pd.crosstab(ledger["paper"], ledger["verdict"]).reindex(columns=list(VERDICTS), fill_value=0)
    table = table.reindex(ledger["paper"].drop_duplicates())
    table.loc["all"] = table.sum()
    table.index.name, table.columns.name = "paper", None
    return table


def _csv(ledger: pd.DataFrame) -> str:
    return ledger.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def write_ledger(ledger: pd.DataFrame, path: Path) -> None:
    """Write the ledger as canonical CSV (six significant digits, LF)."""
    write_text(path, _csv(ledger))


def as_written(ledger: pd.DataFrame) -> pd.DataFrame:
    """The ledger as it reads after writing, to compare with one from disk."""
    return pd.read_csv(io.StringIO(_csv(ledger)), dtype=str, keep_default_na=False)


def read_ledger(path: Path) -> pd.DataFrame:
    """Read a ledger.

    Raises:
        InputError: when there is none, or the file is not a ledger.
    """
    if not path.is_file():
        raise InputError("no claims ledger here; make it with `make reproduce`", file=path)
    ledger = pd.read_csv(path, dtype=str, keep_default_na=False)
    for column in CLAIM_COLUMNS:
        if column not in ledger:
            raise InputError("missing column", file=path, field=column)
    return ledger
