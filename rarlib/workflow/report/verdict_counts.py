"""Verdicts and answers by paper, those on stand-ins apart, for the summary that opens the report."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from rarlib.evidence import ledger as ledgers
from rarlib.evidence.answers import ANSWERS
from rarlib.evidence.published import OWN
from rarlib.evidence.verdicts import VERDICTS
from rarlib.workflow.report.figures import Section, anchor


class CountedWord(NamedTuple):
    """How often one verdict or answer was given.

    Attributes:
        word: the verdict or answer.
        kind: the same as an identifier.
        number: number of claims, a number that a paper prints twice counted once.
        standin: how many of them rest on stand-ins.
    """

    word: str
    kind: str
    number: int
    standin: int


def verdicts_by_paper(ledger: pd.DataFrame, shown: Sequence[Section]) -> list[dict[str, Any]]:
    """A row per paper and one for all: `cells`, sums, and the `section` with the paper's figures, if there is one."""
    rows = _counted(ledger, ledgers.counts(ledger), "verdict", VERDICTS)
    for row in rows:
        own = ledger if row["paper"] == "all" else ledger[ledger["paper"] == row["paper"]]
        row |= {"own": int((own["trust"] == OWN).sum()), "section": _section_of(row["paper"], shown)}
    return rows


def answers_by_paper(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    """A row per paper and one for all, with the `cells` and their sum."""
    return _counted(ledger, ledgers.answer_counts(ledger), "answer", ANSWERS)


def _counted(ledger: pd.DataFrame, table: pd.DataFrame, column: str, words: Sequence[str]) -> list[dict[str, Any]]:
    made_up = ledger[(ledger["same_as"] == "") & (ledger["standin"] == "True")]
    rows = []
    for paper, row in table.iterrows():
        own = made_up if paper == "all" else made_up[made_up["paper"] == paper]
        cells = [CountedWord(word, anchor(word), int(row[word]), int((own[column] == word).sum())) for word in words]
        total = {"sum": int(row.sum()), "standin": sum(cell.standin for cell in cells)}
        rows.append({"paper": str(paper), "cells": cells, **total})
    return rows


def _section_of(paper: str, shown: Sequence[Section]) -> Section | None:
    """The section with the most tables of a paper: their names begin with the paper's."""
    owned = [sum(table.startswith(f"{paper}-") for table in section.tables) for section in shown]
    return shown[owned.index(max(owned))] if any(owned) else None
