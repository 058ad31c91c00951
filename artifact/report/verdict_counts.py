"""Verdicts by paper, those on stand-ins apart, for the summary that opens the report."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from artifact.ledger import ledger as ledgers
from artifact.ledger.published import OWN
from artifact.ledger.verdicts import VERDICTS
from artifact.report.figures import Section, anchor


class CountedWord(NamedTuple):
    """How often one verdict was given.

    Attributes:
        word: the verdict.
        kind: the same as an identifier.
        number: number of claims, a number that a paper prints twice counted once.
        standin: how many of them rest on stand-ins.
    """

    word: str
    kind: str
    number: int
    standin: int


def verdicts_by_paper(ledger: pd.DataFrame, homes: Mapping[str, Section]) -> list[dict[str, Any]]:
    """A row per paper and one for all: `cells` of the verdicts that occur, sums, `section` with the paper's claims."""
    words = [word for word in VERDICTS if (ledger["verdict"] == word).any()]
    made_up = ledger[(ledger["same_as"] == "") & (ledger["standin"] == "True")]
    rows = []
    for paper, row in ledgers.counts(ledger).iterrows():
        own, apart = (part if paper == "all" else part[part["paper"] == paper] for part in (ledger, made_up))
        cells = [
            CountedWord(word, anchor(word), int(row[word]), int((apart["verdict"] == word).sum())) for word in words
        ]
        total: dict[str, Any] = {"sum": int(row.sum()), "standin": sum(cell.standin for cell in cells)}
        ours = int((own["trust"] == OWN).sum())
        total |= {
            "own": ours,
            "published": int((own["same_as"] == "").sum()) - ours,
            "section": homes.get(str(paper)),
        }
        rows.append({"paper": str(paper), "cells": cells, **total})
    return rows
