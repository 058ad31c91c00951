"""The measured ledger of a results folder: rows, scores and verdicts, or the accepted ones where nothing was scored."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from artifact.ledger.measured.goals import Expectation, Goal, read_expectations, read_goals
from artifact.ledger.measured.judge import GOAL_COLUMNS, judged_goals
from artifact.ledger.measured.scores import GAPS_IN_SCORES, SCORE_COLUMNS, score_table, scored_rows
from artifact.machines.cells import PREDICTED, predicted_rows, source_of
from artifact.machines.inputs import MEASURED_SOURCES, load_measured
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

    Tables of a source that is not at hand are empty or missing.
    """
    goals = read_goals(root / DECLARED)
    expected = read_expectations(root / DECLARED)
    rows = scored_rows(goals.values(), tables)
    if rows.empty:
        accepted = root / ACCEPTED
        table = read_columns(accepted / _SCORES, SCORE_COLUMNS, gaps=GAPS_IN_SCORES)
        judged = read_columns(accepted / _GOALS, dict.fromkeys(GOAL_COLUMNS, str))
        return MeasuredLedger(rows, table, judged, True, expected, goals)
    table = score_table(goals.values(), rows)
    return MeasuredLedger(rows, table, judged_goals(goals.values(), rows, table, expected), False, expected, goals)


def results_tables(results: Path) -> dict[str, pd.DataFrame]:
    """The measured tables that a results folder holds, by name."""
    return {path.stem: read_table(path) for path in sorted((results / "tables").glob("measured-*.csv"))}


def tables_here() -> dict[str, pd.DataFrame]:
    """Tables made here from the sources that are at hand; none without them.

    Raises:
        InputError: a source with a wrong checksum.
    """
    tables: dict[str, pd.DataFrame] = {}
    for name in MEASURED_SOURCES:
        held = load_measured(name)
        if held:
            source = source_of(name, held, {})
            mine = [quantity for quantity, about in PREDICTED.items() if about[0] == name]
            tables |= {f"measured-{quantity}": predicted_rows(quantity, source) for quantity in mine}
    return tables
