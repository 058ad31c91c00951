"""CSV files that this project wrote, read strictly: these columns, every row complete, every number a number."""

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.model.inputs import file_text

_KINDS = {int: "a whole number", float: "a number"}
_DTYPES = {int: "i", float: "iuf"}


def read_columns(path: Path, kinds: Mapping[str, type], *, gaps: tuple[str, ...] = ()) -> pd.DataFrame:
    """Read a CSV file with a header.

    Args:
        path: the file.
        kinds: its columns, in any order, each `str`, `int` (64 bits) or `float`.
        gaps: columns of numbers in which an empty field stands for NaN.

    Returns:
        The columns in the order of the file; text as it stands, numbers as pandas reads them (whole ones as integers),
        infinity and NaN only where `gaps` allow them.

    Raises:
        InputError: a missing file, no UTF-8 text, a missing, unknown or repeated column, an open quote, a row with
            too few or too many fields, a number that is none.
    """
    text = file_text(path)
    if "\0" in text:
        raise InputError("is not text: it holds a NUL", file=path)
    limits.TABLE_ROWS.check(text.count("\n"), file=path)
    rows = _rows(text, path)
    head = rows[0] if rows else []
    _check_head(head, kinds, path)
    for row, fields in enumerate(rows[1:], 2):
        if len(fields) != len(head):
            raise InputError(f"has {len(fields)} fields where {len(head)} are expected", file=path, row=row)
    numbers = {name: kind for name, kind in kinds.items() if kind is not str}
    # pandas reads numbers many times faster than Python, but does not say which one is wrong.
    try:
        table = pd.read_csv(
            io.StringIO(text), dtype={name: str for name in kinds if name not in numbers}, index_col=False,
            keep_default_na=False, skip_blank_lines=False, na_values={name: [""] for name in gaps}, low_memory=False,
        )  # fmt: skip
    except (ValueError, OverflowError) as error:
        raise InputError(f"is not CSV: {shown(str(error))}", file=path) from None
    if table.empty:
        return table.astype(dict(kinds))
    for name, kind in numbers.items():
        if table[name].dtype.kind not in _DTYPES[kind] or not (name in gaps or np.isfinite(table[name]).all()):
            _refuse(rows, name, kind, name in gaps, path)
    return table


def _rows(text: str, path: Path) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        rule = "a quoted field is never closed" if "unexpected end" in str(error) else f"is not CSV: {error}"
        raise InputError(rule, file=path, row=reader.line_num) from None


def _check_head(head: list[str], kinds: Mapping[str, type], path: Path) -> None:
    if not head:
        raise InputError("the file is empty", file=path)
    for name in kinds:
        if name not in head:
            raise InputError("missing column", file=path, row=1, field=name)
    for name in head:
        if name not in kinds:
            raise InputError("unknown column", file=path, row=1, field=name)
        if head.count(name) > 1:
            raise InputError("is there twice", file=path, row=1, field=name)


def _refuse(rows: list[list[str]], name: str, kind: Any, gap: bool, path: Path) -> None:
    """Raise for the first field of a column that is not the number it must be."""
    column = rows[0].index(name)
    for row, fields in enumerate(rows[1:], 2):
        if not _is_number(fields[column], kind, gap):
            raise InputError(f"must be {_KINDS[kind]}, found {shown(fields[column])}", file=path, row=row, field=name)
    raise InputError("holds a number that cannot be read", file=path, field=name)


def _is_number(field: str, kind: Any, gap: bool) -> bool:
    try:
        value = kind(field)
    except ValueError:
        return gap and not field
    return gap or (abs(value) < 2**63 if kind is int else math.isfinite(value))
