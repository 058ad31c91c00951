"""The README says what the project itself says."""

import csv

from tools.readme import BADGES, FINDINGS, LEDGER, badges, found_by_paper


def test_readme_shows_the_badges_and_findings_of_today() -> None:
    """What nobody generates goes on claiming what was once true. Remedy: python -m tools.readme"""
    assert (BADGES.stated(), FINDINGS.stated()) == (badges(), found_by_paper())


def test_counts_are_those_of_the_accepted_ledger() -> None:
    """Counted without pandas: only tested numbers, each once."""
    with LEDGER.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["role"] == "tested" and not row["same_as"]]
    came = sum(row["verdict"] == "reproduced" for row in rows)
    assert f"[![tested: {came} of {len(rows)} reproduced]" in badges()
