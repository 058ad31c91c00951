"""From tables of predictions to scores: errors row by row, and a summary for each predictor and group."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.ledger.measured.goals import ALL_ROWS, Goal
from artifact.machines.cells import MACHINES
from artifact.machines.predictor import predictors
from rarlib.model.files import write_text
from rarlib.model.seeds import stream

ROW_COLUMNS = [
    "goal", "source", "row", "group", "quantity", "unit", "measured", "predicted", "grade", "predictor", "fitted_on",
    "error",
]  # fmt: skip
SCORE_COLUMNS: dict[str, type] = {
    **dict.fromkeys(("goal", "quantity", "unit", "group", "predictor", "label", "kind", "grade", "fitted_on"), str),
    **dict.fromkeys(("rows", "missed"), int),
    **dict.fromkeys(("error", "low", "high", "median", "largest", "bias", "floor"), float),
}
"""Columns of the scores: errors are relative (0.1: 10 %)."""

GAPS_IN_SCORES = ("error", "low", "high", "median", "largest", "bias", "floor")
OWN_MODELS, RIVALS = "ours", "rival"
_DRAWS = 10_000


def scored_rows(goals: Iterable[Goal], tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row for every measured row and predictor; columns as in `ROW_COLUMNS`.

    `error` is predicted / measured - 1, NaN without a prediction.
    """
    made = [goal for goal in goals if len(tables.get(goal.table, ()))]
    frames = [_of_goal(goal, tables[goal.table]) for goal in made]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=ROW_COLUMNS)


def _of_goal(goal: Goal, table: pd.DataFrame) -> pd.DataFrame:
    values = table[table["metric"] == goal.quantity]
    truth = values[values["scheduler"] == MACHINES].set_index("x")["value"]
    rows = values[values["scheduler"] != MACHINES].copy()
    rows["measured"] = rows["x"].map(truth)
    split = rows["reading"].str.partition(": ")
    rows = rows.assign(grade=split[0], fitted_on=split[2], goal=goal.name, source=goal.source)
    rows = rows.rename(
        columns={"x": "row", "setup": "group", "metric": "quantity", "value": "predicted", "scheduler": "predictor"}
    )
    rows["error"] = rows["predicted"] / rows["measured"] - 1.0
    return rows[ROW_COLUMNS]


def score_table(goals: Iterable[Goal], rows: pd.DataFrame) -> pd.DataFrame:
    """Scores by goal, predictor and group, all rows first; columns as in `SCORE_COLUMNS`.

    The interval is the middle 95 % of the error over resampled runs (percentile bootstrap); a row whose name
    has no slash is a run of its own.
    """
    about = {(each.name, each.quantity): each for each in predictors()}
    found = []
    for goal in goals:
        mine = rows[rows["goal"] == goal.name]
        for name in dict.fromkeys(mine["predictor"]):
            predictor = about[name, goal.quantity]
            of_one = mine[mine["predictor"] == name]
            for group in (ALL_ROWS, *dict.fromkeys(of_one["group"])):
                part = of_one if group == ALL_ROWS else of_one[of_one["group"] == group]
                entry = {
                    "goal": goal.name, "quantity": goal.quantity, "unit": goal.unit, "group": group, "predictor": name,
                    "label": predictor.label,
                    "kind": RIVALS if predictor.rival else OWN_MODELS, "grade": predictor.grade,
                    "fitted_on": predictor.fitted_on, "floor": _floor(goal, mine, name, group),
                }  # fmt: skip
                found.append(entry | _summary(part, f"{goal.name} {name} {group}"))
    return pd.DataFrame(found, columns=list(SCORE_COLUMNS))


def _summary(part: pd.DataFrame, key: str) -> dict[str, float]:
    known = part.dropna(subset="error")
    errors = known["error"].to_numpy(float)
    counts = {"rows": len(part), "missed": len(part) - len(errors)}
    if not len(errors):
        return counts | dict.fromkeys(("error", "low", "high", "median", "largest", "bias"), np.nan)
    off = np.abs(errors)
    low, high = bootstrap_interval(off, key, known["row"].str.partition("/")[0].to_numpy())
    return counts | {
        "error": float(off.mean()), "low": low, "high": high, "median": float(np.median(off)),
        "largest": float(off.max()), "bias": float(errors.mean()),
    }  # fmt: skip


def bootstrap_interval(values: NDArray[np.float64], key: str, runs: NDArray[Any] | None = None) -> tuple[float, float]:
    """Middle 95 % of the mean over resampled runs; the draws follow from the key and the number of runs alone."""
    run, names = pd.factorize(np.arange(len(values)) if runs is None else runs)
    total, count = np.bincount(run, values), np.bincount(run)
    drawn = stream(0, "measured", key).integers(len(names), size=(_DRAWS, len(names)))
    low, high = np.quantile(total[drawn].sum(axis=1) / count[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _floor(goal: Goal, mine: pd.DataFrame, name: str, group: str) -> float:
    """What the headline's predictions change by when the same inputs, measured a second time, are used."""
    if not goal.floor or name != goal.headline:
        return float("nan")
    mine = mine[(mine["group"] == group) | (group == ALL_ROWS)]
    first, second = (mine[mine["predictor"] == each].set_index("row")["predicted"] for each in (name, goal.floor))
    return float((second / first - 1.0).abs().mean())


def write_scores(table: pd.DataFrame, path: Path) -> None:
    """Write a table of this ledger as canonical CSV: six significant digits, LF."""
    write_text(path, table.to_csv(index=False, lineterminator="\n", float_format="%.6g"))
