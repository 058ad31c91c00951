"""Selecting from tidy frames."""

from collections.abc import Sequence

import pandas as pd


def pick(frame: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """Rows of a tidy frame whose columns have the wanted values."""
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def in_order(frame: pd.DataFrame, order: Sequence[str]) -> list[str]:
    """Schedulers of a frame: those in `order` first, then all others by name."""
    found = set(frame["scheduler"])
    return [name for name in order if name in found] + sorted(found - set(order))
