"""Tidy result tables: one layout for every experiment, one way of writing them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.records.columns import read_columns

TIDY_COLUMNS = ["experiment", "setup", "reading", "scheduler", "x_name", "x", "seed", "metric", "value", "unit"]
Row = tuple[str, str, str, str, int, str, float, str]
"""A row: setup, reading, x_name, x, seed, metric, value, unit."""

_KINDS: dict[str, type] = {**dict.fromkeys(TIDY_COLUMNS, str), "seed": int, "value": float}


def sha256(path: Path) -> str:
    """SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tidy(rows: Iterable[tuple[Any, ...]], experiment: str, scheduler: str) -> pd.DataFrame:
    """The table of one cell.

    Args:
        rows: see `Row`.
        experiment: name of the experiment.
        scheduler: name of the scheduler, or of another member.
    """
    names = [name for name in TIDY_COLUMNS if name not in ("experiment", "scheduler")]
    table = pd.DataFrame(rows, columns=names).astype({"seed": np.int64, "value": np.float64})  # without rows, too
    return table.assign(experiment=experiment, scheduler=scheduler)[TIDY_COLUMNS]


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a tidy table as canonical CSV: fixed columns, rows in the order given, ten significant digits."""
    for column in TIDY_COLUMNS:
        if column not in table:
            raise InputError("missing column", file=path.name, field=column)
    write_text(path, table[TIDY_COLUMNS].to_csv(index=False, lineterminator="\n", float_format="%.10g"))


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a tidy table; `seed` is an integer, `value` a number (NaN: no feasible schedule), the rest text.

    Raises:
        InputError: as `read_columns`.
    """
    return read_columns(Path(path), _KINDS, gaps=("value",))


def join_tables(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Stack tidy tables in the order given."""
    return pd.concat([read_table(path) for path in paths], ignore_index=True)
