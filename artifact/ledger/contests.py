"""Formulas that compare schedulers on the same jobs, over the arena's table of runs.

    beats    one scheduler's values are below another's, distinguishable by interval and by measured errors
    widens   an advantage grows (the ratio falls) between two levels of a factor
    bounded  no value is below the proven lower bound
    gap      how far the best scheduler is from the proven lower bound

Two schedulers are compared on the windows and settings that both ran, and on no others. For each window, logarithms are
averaged over its settings; windows are pooled over traces and drawn trace by trace, every trace with the same weight
(`rarlib.comparison.statistics`). See config/claims/README.md.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.lookup import MissingResultError, Outcome
from rarlib.comparison.fidelity import STANDS_AT
from rarlib.comparison.statistics import SETTING_FACTORS, compare_schedulers, with_factors

SELECTOR_COLUMNS = ("trace", *SETTING_FACTORS, "load")
"""Columns that identify a setting, by the names that `select` uses."""

CELL = [*SELECTOR_COLUMNS, "seed"]
_BOUNDS = "bounds"
"""Value of the column `scheduler` for lower bounds; the bound on a metric has the prefix `bound_`."""

OTHERS = "others"
"""Value of `worse` that means every other scheduler."""

_RIVALS = {"kind", "table", "metric", "select", "better", "worse"}
KEYS = {
    "beats": _RIVALS | {"groups"},
    "widens": _RIVALS | {"along", "levels"},
    "bounded": {"kind", "table", "metric", "select"},
    "gap": {"kind", "table", "metric", "select", "at_most"},
}
REQUIRED = {
    "beats": {"table", "better", "worse"},
    "widens": {"table", "better", "worse", "along", "levels"},
    "bounded": {"table"},
    "gap": {"table", "at_most"},
}
_ROUNDED = 1e-9
"""Tables hold ten significant digits."""


def evaluate_contest(formula: Mapping[str, Any], table: pd.DataFrame, select: Mapping[str, Any]) -> Outcome:
    """Evaluate a checked formula.

    `table`: the arena's runs, tidy; the formula's own selection extends and overrides `select`.

    Raises:
        MissingResultError: two schedulers have no run in common, or no bound is known.
    """
    metric, chosen = formula.get("metric", "mean_jct"), {**select, **formula.get("select", {})}
    kind = formula["kind"]
    if kind in ("bounded", "gap"):
        return _proven(formula, metric_rows(table, metric, chosen), metric_rows(table, f"bound_{metric}", chosen))
    rows = metric_rows(table, metric, chosen)
    return _widens(formula, rows) if kind == "widens" else _beats(formula, rows)


def metric_rows(table: pd.DataFrame, metric: str, select: Mapping[str, Any]) -> pd.DataFrame:
    """Rows of one metric, window by window, with a column for each factor of `SELECTOR_COLUMNS`."""
    rows = table[(table["metric"] == metric) & (table["seed"] != 0) & table["value"].notna()]
    if not rows.empty:
        rows = with_factors(rows)
        rows = rows.assign(trace=rows["setup"])
        rows = within(rows, select)
    if rows.empty:
        summary = ", ".join(f"{name} = {levels}" for name, levels in select.items())
        raise MissingResultError(f"no runs with {metric}{', ' if summary else ''}{summary}")
    return rows


def within(rows: pd.DataFrame, select: Mapping[str, Any]) -> pd.DataFrame:
    """Rows at the selected levels of each factor."""
    for name, levels in select.items():
        rows = rows[rows[name].isin([_text(level) for level in _listed(levels)])]
    return rows


def pairs_of(order: Mapping[str, Any], rows: pd.DataFrame) -> list[tuple[str, str]]:
    """All pairs of a better and a worse scheduler, in the order listed."""
    found = sorted(set(rows["scheduler"]) - {_BOUNDS})
    worse = found if order["worse"] == OTHERS else _listed(order["worse"])
    return [pair for pair in itertools.product(_listed(order["better"]), worse) if pair[0] != pair[1]]


def duel(rows: pd.DataFrame, better: str, worse: str) -> pd.DataFrame:
    """Rows of two schedulers in the settings and windows that both ran."""
    both = rows[rows["scheduler"].isin([better, worse])]
    met = both[both.groupby(CELL)["scheduler"].transform("nunique") == 2]
    if met.empty:
        raise MissingResultError(f"{better} and {worse} have no run in common")
    return met


def _one_way(compared: pd.DataFrame, better: str) -> pd.DataFrame:
    return compared[compared["scheduler"] == better]


def _beats(formula: Mapping[str, Any], rows: pd.DataFrame) -> Outcome:
    pairs = pairs_of(formula, rows)
    if formula.get("groups"):
        names = ("the first", "the second")
        sides = (sorted({pair[side] for pair in pairs}) for side in (0, 1))
        rows, pairs = _grouped(rows, dict(zip(names, sides, strict=True))), [names]
    found = []
    for better, worse in pairs:
        met = duel(rows, better, worse)
        (row,) = _one_way(
            compare_schedulers(met, str(met["metric"].iloc[0]), ["experiment"], strata=True), better
        ).to_dict("records")
        found.append({**row, "traces": met["trace"].nunique(), "won": row["distinguishable"] and row["ratio"] < 1.0})
    weakest = max(found, key=lambda row: (not row["won"], row["ratio"]))
    won = sum(row["won"] for row in found)
    summary = f"{_interval(weakest)} on {weakest['windows']} windows of {weakest['traces']} traces"
    if len(found) > 1:
        summary = f"{won} of {len(found)} pairs; weakest: {weakest['scheduler']} {summary} against {weakest['rival']}"
    elif weakest["ratio"] < 1.0 and not weakest["won"] and weakest["high"] < 1.0:
        summary += f"; stands at a level of {weakest['level']:.0%}, which is below {STANDS_AT:.0%} and counts as equal"
    return Outcome(weakest["ratio"], math.nan, weakest["windows"], holds=won == len(found), summary=summary)


def _grouped(rows: pd.DataFrame, groups: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Geometric means over the members of each group, where all members of all groups ran."""
    members = set().union(*groups.values())
    rows = rows[rows["scheduler"].isin(members)]
    rows = rows[rows.groupby(CELL)["scheduler"].transform("nunique") == len(members)]
    if rows.empty:
        raise MissingResultError(f"{', '.join(sorted(members))} have no run in common")
    parts = []
    for name, own in groups.items():
        mine = rows[rows["scheduler"].isin(own)]
        means = np.exp(np.log(mine["value"]).groupby([mine[column] for column in CELL]).transform("mean"))
        parts.append(mine.assign(value=means, scheduler=name).drop_duplicates(CELL))
    return pd.concat(parts)


def _widens(formula: Mapping[str, Any], rows: pd.DataFrame) -> Outcome:
    """The ratio at the last level over that at the first, window by window."""
    along, levels = formula["along"], [_text(level) for level in formula["levels"]]
    ((better, worse),) = pairs_of(formula, rows)
    met = duel(rows, better, worse)
    same = [name for name in CELL if name != along]
    wide = met.pivot_table(index=same, columns=[along, "scheduler"], values="value")
    wanted = [(level, name) for level in levels for name in (better, worse)]
    if any(column not in wide for column in wanted) or wide[wanted].dropna().empty:
        raise MissingResultError(f"{better} and {worse} have no runs in common at {along} = {', '.join(levels)}")
    wide = wide[wanted].dropna()
    ratios = pd.DataFrame({level: wide[level, better] / wide[level, worse] for level in levels}).reset_index()
    # One value per window and level, so that levels take the place of schedulers.
    long = ratios.melt(same, levels, "scheduler", "value").assign(metric="ratio", experiment="", x_name="", x="")
    long["setup"], long["reading"] = long["trace"], long[[n for n in same if n != "seed"]].agg("/".join, axis=1)
    ends = long[long["scheduler"].isin([levels[0], levels[-1]])]
    (row,) = _one_way(compare_schedulers(ends, "ratio", ["experiment"], strata=True), levels[-1]).to_dict("records")
    means = [math.exp(float(np.log(ratios[level]).groupby(ratios["trace"]).mean().mean())) for level in levels]
    summary = ", ".join(f"{mean:.2f} at {level}" for level, mean in zip(levels, means, strict=True))
    summary = (
        f"{summary}; last over first {_interval(row)} on {row['windows']} windows of {ratios['trace'].nunique()} traces"
    )
    return Outcome(row["ratio"], math.nan, row["windows"], holds=bool(row["high"] < 1.0), summary=summary)


def _proven(formula: Mapping[str, Any], rows: pd.DataFrame, bounds: pd.DataFrame) -> Outcome:
    both = rows.merge(bounds[[*CELL, "value"]], on=CELL, suffixes=("", "_bound"))
    if both.empty:
        raise MissingResultError(f"nothing is proven of {rows['metric'].iloc[0]} in these runs")
    both["gap"] = both["value"] / both["value_bound"]
    if formula["kind"] == "bounded":
        worst = both.iloc[int(both["gap"].to_numpy().argmin())]
        below = int((both["gap"] < 1.0 - _ROUNDED).sum())
        summary = f"{below} of {len(both)} runs are below; the nearest is {worst['gap']:.3f} times its bound"
        summary += f" ({worst['scheduler']}, {worst['trace']}, {worst['reading']}, load {worst['load']})"
        return Outcome(worst["gap"], math.nan, len(both), holds=below == 0, summary=summary)
    best = both.loc[both.groupby(CELL)["gap"].idxmin()]
    mean = math.exp(float(np.log(best["gap"]).mean()))
    often = best["scheduler"].value_counts(sort=False).sort_index()
    summary = f"{mean:.2f} times the bound (geometric mean, {best['gap'].min():.2f} to {best['gap'].max():.2f})"
    summary += f"; {often.idxmax()} is the best one in {often.max()} of {len(best)} cells"
    return Outcome(mean, math.nan, len(best), holds=mean <= formula["at_most"], summary=summary)


def _interval(row: Mapping[Any, Any]) -> str:
    ends = f" [{row['low']:.2f}, {row['high']:.2f}]" if not math.isnan(row["low"]) else " (one window: no interval)"
    return f"{row['ratio']:.2f}{ends}"


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _text(level: Any) -> str:
    return f"{level:g}" if isinstance(level, int | float) else str(level)
