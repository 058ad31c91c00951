"""Rows of tidy frames."""

import pandas as pd


def pick(frame: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """Rows of a tidy frame whose columns have the wanted values."""
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame
