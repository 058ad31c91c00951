"""Formulas of all claims and settings of all tables as JSON, so that the verifier needs no reader of YAML."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from artifact.ledger.claims import Claim, read_claims
from artifact.ledger.published import read_listed
from artifact.run.settings import configuration, section_of, settings_of, split

_EDITIONS = ("config", "full", "quick", "smoke")
"""Configurations that decide what sets a table apart from the headline (`artifact.run.settings.remarks`)."""


def claims_as_json(data: Path, claims: Path, listed: str = "source/data") -> bytes:
    """The claims by id of the published number, their defaults merged.

    Args:
        data: folder with `published.csv` and `statements.csv`.
        claims: folder with one YAML file per paper.
        listed: folder of the deposit in which `data` lies.
    """
    found = read_claims(claims, set(read_listed(data)["id"]))
    entries = {name: _entry(claim) for name, claim in found.items()}
    return _json({"claims": entries, "listed": listed})


def settings_as_json(tables: Iterable[str]) -> bytes:
    """Settings that each configuration gives each table."""
    config = configuration()
    return _json(
        {
            table: {
                name: settings_of(section_of(configuration(name), split(table, config)[0]), split(table, config)[1])
                for name in _EDITIONS
            }
            for table in tables
        }
    )


def _json(content: object) -> bytes:
    # Keys keep their order: reasons list what a claim selects in the order of its file.
    return (json.dumps(content, indent=1, ensure_ascii=True) + "\n").encode()


def _entry(claim: Claim) -> dict[str, Any]:
    return {
        "statement": claim.statement,
        "formula": claim.formula,
        "direction": claim.direction,
        "tolerance": dict(claim.tolerance),
        "select": dict(claim.select),
        "as_stated": dict(claim.as_stated),
        "role": claim.role,
        "reason": claim.reason,
        "note": claim.note,
        "trivial": claim.trivial,
        "proof": claim.impossible.formula if claim.impossible else None,
        "why": claim.impossible.why if claim.impossible else "",
        "robustness": claim.robustness,
        "same_as": claim.same_as,
        "tables": claim.tables,
    }
