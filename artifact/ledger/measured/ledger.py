"""The measured ledger of a results folder: rows, scores and verdicts, or the accepted ones where nothing was scored."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from artifact.ledger.measured.goals import ALL_ROWS, Expectation, Goal, read_expectations, read_goals
from artifact.ledger.measured.judge import GOAL_COLUMNS, NOT_SCORED, judged_goals
from artifact.ledger.measured.scores import read_scores, score_table, scored_rows
from artifact.machines.cells import PREDICTED, predicted_rows, source_of
from artifact.machines.inputs import READERS, load_measured
from rarlib.model.errors import InputError, shown
from rarlib.records.columns import read_columns
from rarlib.records.tidy import read_table

DECLARED, ACCEPTED = Path("config/measured"), Path("results/expected")
"""Goals and expectations, and accepted scores, in the project's folder."""

_SCORES, _GOALS = "measured.csv", "measured-goals.csv"
ACCEPTED_FILES = (_SCORES, _GOALS)
"""Files of accepted scores and verdicts: computed statistics only, no measured value."""


class MeasuredLedger(NamedTuple):
    """The ledger of what machines measured.

    Attributes:
        rows: every measured row and predictor; empty without the sources.
        scores: by goal, predictor and group.
        goals: a verdict for each goal.
        accepted: whether scores and verdicts are the accepted ones, because nothing could be scored here.
        expectations: what was expected, in order.
        declared: the goals as declared.
    """

    rows: pd.DataFrame
    scores: pd.DataFrame
    goals: pd.DataFrame
    accepted: bool
    expectations: list[Expectation]
    declared: dict[str, Goal]


def measured_ledger(root: Path, tables: Mapping[str, pd.DataFrame]) -> MeasuredLedger:
    """Score tables of predictions.

    Args:
        root: the project's folder.
        tables: tidy tables by name; those of a source that is not at hand are empty or missing.

    Raises:
        InputError: goals, expectations or accepted files that cannot be read.
    """
    goals = read_goals(root / DECLARED)
    expected = read_expectations(root / DECLARED, goals)
    rows = scored_rows(goals.values(), tables)
    if rows.empty:
        return MeasuredLedger(rows, *_accepted(root / ACCEPTED, goals), True, expected, goals)
    table = score_table(goals.values(), rows)
    return MeasuredLedger(rows, table, judged_goals(goals.values(), rows, table, expected), False, expected, goals)


def results_tables(results: Path) -> dict[str, pd.DataFrame]:
    """The measured tables that a results folder holds, by name."""
    return {path.stem: read_table(path) for path in sorted((results / "tables").glob("measured-*.csv"))}


def tables_here() -> dict[str, pd.DataFrame]:
    """Tables made here from the sources that are at hand; none without them.

    Raises:
        InputError: a source with a wrong checksum or a broken row.
    """
    tables: dict[str, pd.DataFrame] = {}
    for name in READERS:
        held = load_measured(name)
        if held:
            source = source_of(name, held, {})
            mine = [quantity for quantity, about in PREDICTED.items() if about[0] == name]
            tables |= {f"measured-{quantity}": predicted_rows(quantity, source) for quantity in mine}
    return tables


def read_verdicts(path: Path) -> pd.DataFrame:
    """Read verdicts that `write_scores` wrote; all columns are text.

    Raises:
        InputError: as `read_columns`; a goal that was not scored.
    """
    table = read_columns(path, dict.fromkeys(GOAL_COLUMNS, str))
    if (table["verdict"] == NOT_SCORED).any():
        raise InputError("holds a goal that was not scored", file=path, field="verdict")
    return table


def _accepted(folder: Path, goals: Mapping[str, Goal]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Accepted scores and verdicts: one verdict for each goal, one score for each predictor and group."""
    scores, verdicts = read_scores(folder / _SCORES), read_verdicts(folder / _GOALS)
    for name in goals:
        if (verdicts["goal"] == name).sum() != 1:
            raise InputError(f"needs one row of {name}", file=folder / _GOALS, field="goal")
    keys = ["goal", "predictor", "group"]
    if (twice := scores.duplicated(keys)).any():
        row = int(twice.to_numpy().argmax()) + 2
        raise InputError("repeats goal, predictor and group of another row", file=folder / _SCORES, row=row)
    whole = {(goal, each) for goal, each, group in scores[keys].itertuples(index=False) if group == ALL_ROWS}
    for goal, each in scores[["goal", "predictor"]].itertuples(index=False):
        if (goal, each) not in whole:
            rule = f"needs a row of {shown(each)} over all rows of {shown(goal)}"
            raise InputError(rule, file=folder / _SCORES, field="group")
    return scores, verdicts
