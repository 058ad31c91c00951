"""The README's badges say what the project says."""

import csv
from pathlib import Path

from tools.badges import SECTION, render

ROOT = Path(__file__).parents[3]


def test_readme_shows_the_badges_of_today() -> None:
    """A badge that nobody generates goes on claiming what was once true. Remedy: python -m tools.badges"""
    assert SECTION.stated() == render(ROOT).strip()


def test_counts_are_those_of_the_accepted_ledger() -> None:
    """Counted without pandas: only tested numbers, each once."""
    with (ROOT / "results/expected/claims.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["role"] == "tested" and not row["same_as"]]
    came = sum(row["verdict"] == "reproduced" for row in rows)
    assert f"[![tested: {came} of {len(rows)} reproduced]" in render(ROOT)
