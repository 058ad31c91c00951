"""The list of everything that gets a row in the ledger: published numbers, and this project's own statements."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from rarlib.model.errors import InputError

OWN = "own"
"""`trust` of this project's own statements: no paper prints them, so there is nothing to reproduce."""

_COLUMNS = ("id", "paper", "where", "series", "x", "value", "unit", "trust")


def listed_csv(rows: Sequence[Sequence[str]]) -> str:
    """Text of a file that `read_listed` reads: rows of id, paper, where, series, x, value, unit, trust."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *rows])
    return text.getvalue()


def read_listed(data: Path) -> pd.DataFrame:
    """Everything that gets a row: `published.csv`, then `statements.csv` if there is one."""
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
    for column in _COLUMNS:
        if column not in table:
            raise InputError("missing column", file=path, field=column)
    twice = table["id"].duplicated()
    if twice.any():
        row = int(twice.to_numpy().argmax())
        raise InputError(f"duplicate id {table['id'].iloc[row]}", file=path, row=row + 2, field="id")
    return table
