"""The few formulas a claim may use, evaluated over tidy result tables.

    value   mean over seeds of the selected rows, or of their ratios to other rows
    order   fraction of seeds in which the selected values ascend along a column, in the order listed
    check   mean over seeds of rows with 1 (holds) or 0 (does not hold)
    all     every formula under `of` holds
    below   the mean over seeds of a paired ratio is below a number, with as few seeds as decide it

and those that compare schedulers on the same jobs (`artifact.ledger.contests`): beats, widens, bounded, gap.

A seed without a feasible schedule in one of the rows that an order compares is left out, and so is one that was not
run for all of them; both are counted. See config/claims/README.md.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.ledger import contests
from artifact.ledger.lookup import Lookup, NoScheduleError, Outcome
from artifact.ledger.sequential import evaluate_below
from rarlib.model.errors import InputError

_COMMON = {"kind", "table", "select"}
_KEYS = {
    "value": _COMMON | {"relative_to"},
    "check": _COMMON | {"at_least"},
    "order": _COMMON | {"along", "ascending", "strict", "at_least", "relative_to"},
    "all": {"kind", "of"},
    "below": _COMMON | {"than", "looks"},
    **contests.KEYS,
}
_REQUIRED = {
    "value": {"table"},
    "check": {"table"},
    "order": {"table", "along", "ascending"},
    "all": {"of"},
    "below": {"table", "than", "looks"},
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


def tables_of(formula: Mapping[str, Any]) -> list[str]:
    """Names of the tables a formula reads, in order of appearance."""
    return list(dict.fromkeys(str(part["table"]) for part in parts_of(formula)))


def parts_of(formula: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A formula of kind all as the formulas it joins, any other as itself."""
    if formula["kind"] == "all":
        for part in formula["of"]:
            yield from parts_of(part)
    else:
        yield formula


def evaluate(formula: Mapping[str, Any], lookup: Lookup) -> Outcome:
    """Evaluate a checked formula.

    Raises:
        InputError: for a column that the table does not have.
        MissingResultError: when a table or a row is missing.
        NoScheduleError: when no seed has a feasible schedule for the selected rows.
    """
    if formula["kind"] == "all":
        return _all([evaluate(part, lookup) for part in formula["of"]])
    if formula["kind"] in contests.KEYS:
        return contests.evaluate_contest(formula, lookup.tables(formula["table"]), lookup.select)
    if formula["kind"] == "order":
        return _order(formula, lookup)
    values = _selected(formula, lookup, {})
    if formula["kind"] == "below":
        ratios: NDArray[np.float64] = np.asarray(values.sort_index().dropna(), np.float64)
        return evaluate_below(ratios, formula["than"], formula["looks"])
    used = values.dropna().to_numpy()
    if not len(used):
        raise NoScheduleError(f"no seed of {formula['table']} has both values of the ratio")
    mean = float(used.mean())
    if formula["kind"] == "check":
        at_least = formula.get("at_least", 1.0)
        return Outcome(mean, math.nan, len(used), holds=mean >= at_least, at_least=at_least)
    return Outcome(mean, float(used.std(ddof=1)) if len(used) > 1 else math.nan, len(used))


def _all(parts: list[Outcome]) -> Outcome:
    """The outcome of the weakest part represents all of them."""
    weakest = min(parts, key=lambda part: (bool(part.holds), part.value))
    left_out, unmatched = max(p.left_out for p in parts), max(p.unmatched for p in parts)
    holds = all(bool(p.holds) for p in parts)
    return replace(weakest, spread=math.nan, left_out=left_out, unmatched=unmatched, holds=holds)


def _order(formula: Mapping[str, Any], lookup: Lookup) -> Outcome:
    along = formula["along"]
    columns = [_selected(formula, lookup, {along: point}) for point in formula["ascending"]]
    run = pd.concat(columns, axis=1, join="inner")
    complete = run.dropna().to_numpy()
    if not len(complete):
        points = ", ".join(map(str, formula["ascending"]))
        raise NoScheduleError(f"no seed of {formula['table']} has a schedule at all of {points}")
    steps = np.diff(complete, axis=1)
    fraction = float(np.all(steps > 0 if formula.get("strict", True) else steps >= 0, axis=1).mean())
    unmatched = len(pd.concat(columns, axis=1)) - len(run)
    at_least = formula.get("at_least", 1.0)
    left_out = len(run) - len(complete)
    return Outcome(fraction, math.nan, len(complete), left_out, unmatched, fraction >= at_least, at_least)


def _selected(formula: Mapping[str, Any], lookup: Lookup, point: Mapping[str, Any]) -> "pd.Series[float]":
    """Values by seed, NaN for a seed without a feasible schedule; divided by those of `relative_to`, if stated."""
    name, stated = formula["table"], {**formula.get("select", {}), **point}
    values = _per_seed(lookup.rows(name, stated), name)
    if "relative_to" not in formula:
        return values
    base = _per_seed(lookup.rows(name, {**stated, **formula["relative_to"]}), name)
    both = pd.concat([values, base], axis=1, join="inner")
    return both.iloc[:, 0] / both.iloc[:, 1]


def _per_seed(rows: pd.DataFrame, name: str) -> "pd.Series[float]":
    if rows["seed"].duplicated().any():
        raise InputError(
            f"the selection leaves several rows of one seed in {name}", file="config/claims", field="select"
        )
    values = rows.set_index("seed")["value"].astype(float)
    if values.isna().all():
        first = rows.iloc[0]
        point = f"{first['scheduler']}, {first['x_name']} = {first['x']}"
        raise NoScheduleError(f"no feasible schedule in any of {rows['seed'].nunique()} seeds of {name} ({point})")
    return values
