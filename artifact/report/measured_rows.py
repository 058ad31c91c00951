"""The measured ledger as the report shows it."""

from pathlib import Path
from typing import Any

import pandas as pd

from artifact.ledger.measured.ledger import measured_ledger, results_tables
from artifact.report.figures import anchor

_PERCENT = ("error", "low", "high", "largest", "bias")


def measured_content(root: Path, results: Path) -> dict[str, Any]:
    """Goals, scores and expectations for the template.

    `results`: a results folder; without measured tables the accepted scores are shown.
    """
    ledger = measured_ledger(root, results_tables(results))
    goals = [{**row, "kind": anchor(row["verdict"])} for row in _records(ledger.goals)]
    scores = [{**row, "numbers": _numbers(row)} for row in _records(ledger.scores)]
    return {
        "accepted": ledger.accepted,
        "goals": goals,
        "scores": scores,
        "expectations": ledger.expectations,
    }


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _numbers(row: dict[str, Any]) -> list[str]:
    counts = [str(row["rows"]), str(row["missed"])]
    shares = [f"{100 * row[name]:.1f}" if row[name] == row[name] else "·" for name in _PERCENT]
    return [*counts, *shares]
