"""The ledger as a table, with a row and a verdict for every listed id; reading and writing it."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.evidence.answers import ANSWERS, OPEN, answer, copied
from rarlib.evidence.claims import Claim, read_claims, read_readings
from rarlib.evidence.outcome import MissingResultError
from rarlib.evidence.published import OWN, read_listed
from rarlib.evidence.robust import TABLE, compared_settings, robustness_of
from rarlib.evidence.verdicts import NOT_RUN, VERDICTS, own_words
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.records.columns import read_columns
from rarlib.records.tidy import read_table

CLAIM_COLUMNS = [
    "published", "paper", "where", "statement", "value", "unit", "ours", "spread", "seeds", "verdict", "settled",
    "answer", "best_reading", "ours_in_it", "verdict_in_it", "readings", "reproduced_in", "same_as", "robustness",
    "reason", "trust", "evidence", "standin", "not_headline",
]  # fmt: skip
_NUMBERS = {"ours": "value", "spread": "spread", "seeds": "seeds"}
_WORDS = {"verdict": VERDICTS, "answer": ("", *ANSWERS), "standin": ("True", "False")}
READING_COLUMNS = ["paper", "reading", "says", "reason", "found", "claims", "reproduced"]

ON_STAND_IN = "; on stand-in data"
"""End of an entry of the column `robustness` if the arena did not run on recorded data."""


def build(data: Path, claims: Path, tables: Path, remarks: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Build the ledger from a folder of result tables.

    Args:
        data: folder with `published.csv` and, for own statements, `statements.csv`.
        claims: folder with one YAML file per paper.
        tables: folder of result tables, `<paper>-<table>.csv` with a `.json` of provenance beside each.
        remarks: what sets a table apart from the headline, by its name; tables of the headline have no entry.

    Returns:
        One row per id, in the order listed, columns as in `CLAIM_COLUMNS`.
    """
    listed = read_listed(data)
    answers = read_claims(claims, set(listed["id"]))
    read_once = cache(_table)
    arena = cache(lambda metric: compared_settings(read_once(tables / f"{TABLE}.csv"), metric))
    rows = {
        row["id"]: _entry(
            {str(k): v for k, v in row.items()}, answers.get(row["id"]), tables, remarks or {}, read_once, arena
        )
        for row in listed.to_dict("records")
    }
    for name, claim in answers.items():
        if claim.same_as:
            rows[name] = copied(rows[name], rows[claim.same_as])
    return pd.DataFrame(rows.values(), columns=CLAIM_COLUMNS)


def _entry(
    row: dict[str, Any],
    claim: Claim | None,
    tables: Path,
    remarks: Mapping[str, str],
    read_once: Callable[[Path], pd.DataFrame],
    arena: Callable[[str], pd.DataFrame],
) -> dict[str, Any]:
    entry = {k: row[k] for k in ("paper", "where", "value", "unit", "trust")}
    entry |= {"published": row["id"], "statement": f"{row['series']}, {row['x']}"}
    entry |= {
        "evidence": "",
        "standin": False,
        "not_headline": "",
        "robustness": "",
        "same_as": "",
        "settled": "",
        "best_reading": "",
    }
    entry |= {
        "verdict_in_it": "",
        "readings": 0,
        "reproduced_in": "",
        "seeds": 0,
        "answer": "" if row["trust"] == OWN else OPEN,
    }
    if claim is None:
        return entry | {"verdict": NOT_RUN, "reason": "not evaluated"}
    of_paper = f"{row['paper']}-{{}}.csv"
    headline, answered, used = answer(claim, row["value"], lambda name: read_once(tables / of_paper.format(name)))
    names = [f"{row['paper']}-{name}" for name in dict.fromkeys([*claim.tables, *used])]
    at_hand = [name for name in names if (tables / f"{name}.csv").is_file()]
    entry |= answered if row["trust"] != OWN else {}
    entry["evidence"] = " ".join(f"tables/{name}.csv" for name in at_hand)
    entry["not_headline"] = "; ".join(dict.fromkeys(remarks[name] for name in at_hand if name in remarks))
    entry["standin"] = any(_standin(tables / f"{name}.json") for name in at_hand)
    entry["statement"] = claim.statement or entry["statement"]
    entry["verdict"] = own_words(headline.verdict) if row["trust"] == OWN else headline.verdict
    entry["settled"], entry["reason"] = headline.settled, _reason(claim, headline.reason)
    if headline.outcome is not None:
        entry |= {name: getattr(headline.outcome, of) for name, of in _NUMBERS.items()}
    if claim.robustness is not None:
        entry["robustness"] = _robustness(claim.robustness, arena, tables)
    return entry


def _reason(claim: Claim, found: str) -> str:
    for more in (claim.note, claim.trivial, claim.impossible.why if claim.impossible else ""):
        found = f"{found}. {more}" if more else found
    return found


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
    return path.is_file() and bool(read_json(path).get("standin"))


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """Number of verdicts by paper; papers in order of appearance, a row `all` last.

    A number that a paper prints twice counts once.
    """
    return _counted(ledger, "verdict", VERDICTS)


def answer_counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """Number of answers by paper, as `counts`; own statements have none."""
    return _counted(ledger[ledger["trust"] != OWN], "answer", ANSWERS)


def _counted(ledger: pd.DataFrame, column: str, words: Sequence[str]) -> pd.DataFrame:
    once = ledger[ledger["same_as"] == ""]
    table = pd.crosstab(once["paper"], once[column]).reindex(columns=list(words), fill_value=0)
    table = table.reindex(once["paper"].drop_duplicates())
    table.loc["all"] = table.sum()
    table.index.name, table.columns.name = "paper", None
    return table


def declared_readings(claims: Path, ledger: pd.DataFrame) -> pd.DataFrame:
    """Every declared reading with the number of claims in which it is the best one, and how many it reproduces at once.

    Args:
        claims: folder with one YAML file per paper.
        ledger: as `build` returns it.

    Returns:
        A row per reading, columns as in `READING_COLUMNS`.
    """
    rows = []
    for paper, readings in read_readings(claims).items():
        own = ledger[(ledger["paper"] == paper) & (ledger["same_as"] == "")]
        for reading in readings:
            best = int((own["best_reading"] == reading.name).sum())
            reproduced = int(own["reproduced_in"].map(lambda names, name=reading.name: name in names.split()).sum())
            rows.append((paper, reading.name, reading.says, reading.reason, reading.found, best, reproduced))
    return pd.DataFrame(rows, columns=READING_COLUMNS)


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
        InputError: when there is none, or the file is not a ledger: other columns, an unknown verdict or answer, text
            where a number must be, an id that is empty or there twice.
    """
    if not path.is_file():
        raise InputError("no claims ledger here; make it with `make reproduce`", file=path)
    ledger = read_columns(path, dict.fromkeys(CLAIM_COLUMNS, str))
    for column, known in _WORDS.items():
        _refuse(~ledger[column].isin(known), ledger, path, column, f"must be one of {', '.join(filter(None, known))}")
    for column in (*_NUMBERS, "ours_in_it", "readings"):
        given = ledger[column].where(ledger[column] != "", "0")
        _refuse(pd.to_numeric(given, errors="coerce").isna(), ledger, path, column, "must be a number or empty")
    _refuse(ledger["published"] == "", ledger, path, "published", "must not be empty")
    _refuse(ledger["published"].duplicated(), ledger, path, "published", "is there twice")
    return ledger


def _refuse(bad: pd.Series, ledger: pd.DataFrame, path: Path, column: str, rule: str) -> None:
    if bad.any():
        row = int(bad.to_numpy().argmax())
        raise InputError(f"{rule}, found {ledger[column].iloc[row][:80]!r}", file=path, row=row + 2, field=column)
