"""The few formulas a claim may use, evaluated over tidy result tables.

    value   mean over seeds of the selected rows, or of their ratios to other rows
    order   fraction of seeds in which the selected values ascend along a column, in the order listed
    check   mean over seeds of rows with 1 (holds) or 0 (does not hold)
    all     every formula under `of` holds

and those that compare schedulers on the same jobs (`rarlib.evidence.contests`): beats, widens, wins, bounded, gap.

A seed that lacks one of the rows that an order compares is left out and counted. See config/claims/README.md.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.evidence import contests
from rarlib.evidence.outcome import MissingResultError, NoScheduleError, Outcome, Tables
from rarlib.model.errors import InputError

_COMMON = {"kind", "table", "select"}
_KEYS = {
    "value": _COMMON | {"relative_to"},
    "check": _COMMON | {"at_least"},
    "order": _COMMON | {"along", "ascending", "strict", "at_least", "relative_to"},
    "all": {"kind", "of"},
    **contests.KEYS,
}
_REQUIRED = {
    "value": {"table"},
    "check": {"table"},
    "order": {"table", "along", "ascending"},
    "all": {"of"},
    **contests.REQUIRED,
}


def check_formula(formula: Any, file: object, where: str) -> None:
    """Raise InputError unless the formula has a known kind and only keys that belong to it."""
    kind = formula.get("kind") if isinstance(formula, Mapping) else None
    if kind not in _KEYS:
        raise InputError(f"unknown kind of formula {kind!r}; known: {', '.join(sorted(_KEYS))}", file=file, field=where)
    for key in formula:
        if key not in _KEYS[kind]:
            raise InputError(f"unknown key {key!r} in a formula of kind {kind}", file=file, field=where)
    for key in sorted(_REQUIRED[kind] - set(formula)):
        raise InputError(f"a formula of kind {kind} needs {key!r}", file=file, field=where)
    for part in formula.get("of", ()):
        check_formula(part, file, where)
    if kind in contests.KEYS:
        contests.check_levels(formula, file, where)


def tables_of(formula: Mapping[str, Any]) -> list[str]:
    """Names of the tables a formula reads, in order of appearance."""
    if formula["kind"] == "all":
        return list(dict.fromkeys(name for part in formula["of"] for name in tables_of(part)))
    return [str(formula["table"])]


def evaluate(formula: Mapping[str, Any], tables: Tables, select: Mapping[str, Any]) -> Outcome:
    """Evaluate a checked formula.

    Args:
        formula: as in config/claims.
        tables: gives a table by name.
        select: the paper's default selection; the formula's own `select` extends and overrides it.

    Raises:
        InputError: for a column that the table does not have.
        MissingResultError: when a table or a row is missing.
        NoScheduleError: when no seed has a feasible schedule for the selected rows.
    """
    if formula["kind"] == "all":
        return _all([evaluate(part, tables, select) for part in formula["of"]])
    if formula["kind"] in contests.KEYS:
        return contests.evaluate_contest(formula, tables(formula["table"]), select)
    table, name, chosen = tables(formula["table"]), formula["table"], {**select, **formula.get("select", {})}
    rows = _rows(table, name, chosen)
    if formula["kind"] == "order":
        return _order(formula, tables, select)
    found = _per_seed(rows, name)
    if "relative_to" in formula:
        found = found / _per_seed(_rows(table, name, {**chosen, **formula["relative_to"]}), name)
    values = found.dropna().to_numpy()
    mean = float(values.mean())
    if formula["kind"] == "check":
        return Outcome(mean, math.nan, len(values), holds=mean >= formula.get("at_least", 1.0))
    return Outcome(mean, float(values.std(ddof=1)) if len(values) > 1 else math.nan, len(values))


def _all(parts: list[Outcome]) -> Outcome:
    """The outcome of the weakest part represents all of them."""
    weakest = min(parts, key=lambda part: (bool(part.holds), part.value))
    left_out, holds = max(p.left_out for p in parts), all(bool(p.holds) for p in parts)
    return Outcome(weakest.value, math.nan, weakest.seeds, left_out, holds, weakest.summary)


def _order(formula: Mapping[str, Any], tables: Tables, select: Mapping[str, Any]) -> Outcome:
    name, along = formula["table"], formula["along"]
    table = tables(name)
    columns = []
    for point in formula["ascending"]:
        chosen = {**select, **formula.get("select", {}), along: point}
        values = _per_seed(_rows(table, name, chosen), name)
        if "relative_to" in formula:
            values = values / _per_seed(_rows(table, name, {**chosen, **formula["relative_to"]}), name)
        columns.append(values)
    grid = pd.concat(columns, axis=1)
    complete = grid.dropna().to_numpy()
    if not len(complete):
        raise NoScheduleError(f"no seed of {name} has a schedule at all of {', '.join(map(str, formula['ascending']))}")
    good = _ascends(complete, strict=formula.get("strict", True))
    fraction = float(good.mean())
    holds = fraction >= formula.get("at_least", 1.0)
    return Outcome(fraction, math.nan, len(complete), len(grid) - len(complete), holds)


def _ascends(values: NDArray[np.float64], *, strict: bool) -> NDArray[np.bool_]:
    steps = np.diff(values, axis=1)
    return np.all(steps > 0 if strict else steps >= 0, axis=1)


def _rows(table: pd.DataFrame, name: str, select: Mapping[str, Any]) -> pd.DataFrame:
    for column, wanted in select.items():
        if column not in table:
            raise InputError(f"table {name} has no column {column!r}", file="config/claims", field="select")
        table = table[table[column].map(lambda found, wanted=wanted: _same(found, wanted)).astype(bool)]
    if table.empty:
        raise MissingResultError(f"{name} has no row with " + ", ".join(f"{k} = {v}" for k, v in select.items()))
    return table


def _same(found: Any, wanted: Any) -> bool:
    """Numbers are compared as numbers, since a column of a table may hold both numbers and words."""
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        try:
            return float(found) == float(wanted)
        except (TypeError, ValueError):
            return False
    return str(found) == str(wanted)


def _per_seed(rows: pd.DataFrame, name: str) -> "pd.Series[float]":
    if rows["seed"].duplicated().any():
        raise InputError(
            f"the selection leaves several rows of one seed in {name}", file="config/claims", field="select"
        )
    values = rows.set_index("seed")["value"].astype(float).dropna()
    if values.empty:
        first = rows.iloc[0]
        point = f"{first['scheduler']}, {first['x_name']} = {first['x']}"
        raise NoScheduleError(f"no feasible schedule in any of {rows['seed'].nunique()} seeds of {name} ({point})")
    return values
