"""docs/reproducing.md and docs/claims.csv hold what the accepted ledger and the recorded costs say."""

import csv
import re
from pathlib import Path

import pytest

from tools.reproducing import CLAIMS, SUMMARY, TABLE, by_paper, claims, figure_minutes, figures, summary

ROOT = Path(__file__).parents[3]


def _ledger() -> list[dict[str, str]]:
    with (ROOT / "results/expected/claims.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_both_files_are_those_of_today() -> None:
    """An evaluator would look for numbers of last year. Remedy: python -m tools.reproducing"""
    rows = claims()
    assert (SUMMARY.stated(), CLAIMS.stated()) == (summary(rows), by_paper(rows))
    assert TABLE.read_text(encoding="utf-8") == rows.to_csv(index=False, lineterminator="\n")


def test_every_claim_of_the_ledger_is_in_the_table() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = {row["claim"]: row for row in csv.DictReader(file)}
    ledger = _ledger()
    assert list(rows) == [row["published"] for row in ledger]
    for row in ledger:
        told = rows[row["published"]]
        assert (told["published"], told["expected"], told["verdict"]) == (row["value"], row["ours"], row["verdict"])
        assert bool(told["command"]) == bool(row["evidence"])
        assert not told["notebook"] or (ROOT / told["notebook"]).is_file()


def test_rows_of_the_page_count_every_claim_of_the_five_papers() -> None:
    """Counted without pandas, by the first word of an id."""
    rows = [line.strip("|").split("|") for line in CLAIMS.stated().splitlines() if line.startswith("| ")][1:]
    shown = {row[0].strip().lower(): [int(cell) for cell in row[1:4]] for row in rows}
    for paper in ("sjf-bco", "gadget", "pipedream", "sia", "aiturbo"):
        verdicts = [row["verdict"] for row in _ledger() if row["published"].startswith(f"{paper}-")]
        assert shown.pop(paper) == [len(verdicts), *(verdicts.count(word) for word in ("reproduced", "direction only"))]
    assert not shown


def test_minutes_of_a_figure_are_those_of_its_jobs() -> None:
    """Added up here by name, from the file: on two cores never less than half of the work, nor than the longest job."""
    with (ROOT / "benchmarks/costs.csv").open(encoding="utf-8", newline="") as file:
        jobs = [row for row in csv.DictReader(file) if row["command"] == "reproduce" and row["unit"] == "s"]
    mine = [
        float(row["value"])
        for row in jobs
        if (row["rule"] in ("cell", "table") and re.match(r"pipedream-table1(-|$)", row["job"]))
        or (row["rule"], row["job"]) in (("figure", "pipedream-table1"), ("profile", "pipedream"))
    ]
    assert len(mine) == 7 + 3
    shown = next(shown for shown in figures() if shown.figure == "pipedream-table1")
    assert figure_minutes(shown) == pytest.approx(max(sum(mine) / 2, *mine) / 60)
