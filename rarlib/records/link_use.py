"""What the links of a fabric carried in a run, and how much contention is theirs, from `links` in run.json."""

import math
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.records.checked import MOST_SECONDS
from rarlib.records.read import Record

_ROUNDED = 1e-3
"""Shares are rounded, and those of phases that were not followed are means."""

LINK_COLUMNS = ("link", "carried_s", "contention_s")


def links_as_rows(links: pd.DataFrame) -> list[list[Any]]:
    """`rarlib.simulator.run.Run.links` as run.json holds it: [name, carried_s, contention_s] with six decimals."""
    rows = links[list(LINK_COLUMNS)].itertuples(index=False)
    return [[str(link), round(float(carried_s), 6), round(float(delay_s), 6)] for link, carried_s, delay_s in rows]


def link_load_as_columns(load: pd.DataFrame) -> dict[str, list[float]]:
    """`rarlib.simulator.run.Run.link_load` as run.json holds it, with four decimals."""
    return {str(name): [round(float(value), 4) for value in column] for name, column in load.items()}


def link_load(record: Record) -> pd.DataFrame | None:
    """Load of the busiest links over time, as `rarlib.simulator.run.Run.link_load`; None: no fabric.

    Raises:
        InputError: if run.json's columns are not such.
    """
    columns = record.facts.get("link_load")
    if columns is None:
        return None
    rule = "must be lists of equal length: start_s, ascending from 0, and a share of time, 0 to 1, for each link"
    wrong = InputError(rule, file="run.json", field="link_load")
    if not isinstance(columns, dict) or not isinstance(columns.get("start_s"), list):
        raise wrong
    for values in columns.values():
        if not isinstance(values, list) or len(values) != len(columns["start_s"]) or not all(map(_is_seconds, values)):
            raise wrong
    load = pd.DataFrame(columns)
    load = load[["start_s", *(name for name in load if name != "start_s")]]
    shares = load.drop(columns="start_s").to_numpy(dtype=float)
    starts = load["start_s"]
    if not (starts.is_monotonic_increasing and starts.is_unique) or (len(load) and starts.iloc[0] != 0.0):
        raise wrong
    if ((shares < -_ROUNDED) | (shares > 1.0 + _ROUNDED)).any():
        raise wrong
    busiest = shares.sum(axis=0).argsort(kind="stable")[::-1]
    return load.astype(float).iloc[:, [0, *(1 + busiest)]]


def link_use(record: Record) -> pd.DataFrame | None:
    """Links by contention, most first: `LINK_COLUMNS`, and the share of the run's time that each took; None: no fabric.

    Raises:
        InputError: if run.json's rows are not such.
    """
    rows = record.facts.get("links")
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise InputError("must be a list of [name, carried_s, contention_s], 0 or more", file="run.json", field="links")
    links = pd.DataFrame(rows, columns=list(LINK_COLUMNS))
    span_s = float(record.jobs["finish_s"].max() - record.jobs["submit_s"].min())
    links["share"] = links["carried_s"] / span_s if span_s > 0.0 else 0.0
    return links.sort_values(["contention_s", "carried_s"], ascending=False, kind="stable", ignore_index=True)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == len(LINK_COLUMNS)
        and isinstance(row[0], str)
        and all(_is_seconds(value) for value in row[1:])
    )


def _is_seconds(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # Contention over all jobs may exceed any one job's seconds.
    return number and math.isfinite(value) and -1e-6 <= value <= MOST_SECONDS * 1e6
