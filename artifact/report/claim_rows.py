"""Rows of the ledger as the report shows them: our value with its spread, figures of a claim."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.ledger.claims import OWN_ROLE, TESTED, read_claims
from artifact.ledger.result import homes
from artifact.ledger.robust import WORDS
from artifact.ledger.tested_order import tested_order
from artifact.ledger.verdicts import MISSED, VERDICTS
from artifact.report.figures import Figure, Section, anchor
from artifact.report.summaries import Summary


def claim_rows(
    ledger: pd.DataFrame, shown: Sequence[Section], tables: Mapping[str, Summary], claims: Path
) -> list[dict[str, Any]]:
    """What the template shows of each claim.

    `tables`: summaries of the tables behind the figures.

    Returns:
        The ledger's columns and: `notebooks`, those most about the claim's tables;
        `figures`, every figure drawn from one of its tables; `order`, the order that was tested if the verdict is
        about a direction.
    """
    orders = _orders(ledger, tables, claims)
    main = homes({figure.name: figure.tables for section in shown for figure in section.figures})
    drawn = _figures_by_table(shown)
    rows = []
    for row in ledger.to_dict("records"):
        claim = _claim(row)
        notebooks = list(dict.fromkeys(main[name] for name in claim["tables"] if name in main))
        figures = list(dict.fromkeys(figure for name in claim["tables"] for figure in drawn.get(name, ())))
        figures.sort(key=lambda figure: figure not in notebooks)
        order = orders.get(claim["id"], "")
        rows.append({**claim, "notebooks": notebooks, "figures": figures, "order": order})
    return rows


def claims_of(figure: Figure, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The claims that a figure's tables answer, in the ledger's order."""
    return [row for row in rows if figure.name in row["figures"]]


def _figures_by_table(shown: Sequence[Section]) -> dict[str, list[str]]:
    drawn: dict[str, list[str]] = {}
    for figure in (figure for section in shown for figure in section.figures):
        for table in figure.tables:
            drawn.setdefault(table, []).append(figure.name)
    return drawn


def _orders(ledger: pd.DataFrame, tables: Mapping[str, Summary], claims: Path) -> dict[str, str]:
    """The tested order of each claim that missed its tolerance, so that its direction was tested."""
    answered = read_claims(claims, set(ledger["published"]))
    missed = ledger[ledger["verdict"].isin(MISSED) & (ledger["ours"] != "")]
    orders = {}
    for name, paper, other in missed[["published", "paper", "same_as"]].itertuples(index=False, name=None):
        claim = answered.get(other or name)
        if claim is not None and claim.direction is not None:
            orders[name] = tested_order(claim.direction, partial(_axis, tables, paper))
    return orders


def _axis(tables: Mapping[str, Summary], paper: str, table: str) -> str:
    found = tables.get(f"{paper}-{table}")
    return found.axis if found else ""


def _claim(row: Mapping[Any, str]) -> dict[str, Any]:
    # A statement's value is a share of instances, whatever unit the numbers beside it have.
    unit = f" {row['unit']}" if row["unit"] and row["value"] != "true" else ""
    ours = " ± ".join(f"{float(row[name]):.4g}" for name in ("ours", "spread") if row[name])
    return {
        **row,
        "id": row["published"],
        "kind": anchor(row["verdict"]) if row["verdict"] else "",
        "rank": [*VERDICTS, ""].index(row["verdict"]),
        "ours": f"{ours}{unit}" if ours else "",
        "number": row["ours"],
        "told_role": "" if row["role"] in (TESTED, OWN_ROLE) else row["role"],
        "literal": f"{float(row['as_stated']):.4g}{unit}" if row["as_stated"] not in ("", row["ours"]) else "",
        "luck": f"{float(row['chance']):.0%}" if row["chance"] else "",
        "arena": next((word for word in WORDS if row["robustness"].startswith(word)), ""),
        "standin": row["standin"] == "True",
        "apart": row["not_headline"],
        "tables": [Path(file).stem for file in row["evidence"].split()],
    }
