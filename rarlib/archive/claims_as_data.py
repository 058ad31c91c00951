"""The formulas of all claims as JSON, so that the verifier needs no reader of YAML."""

import json
from pathlib import Path
from typing import Any

from rarlib.evidence.claims import Claim, read_claims
from rarlib.evidence.published import read_listed


def claims_as_json(data: Path, claims: Path) -> bytes:
    """The claims by id of the published number: defaults are merged, readings are spelled out.

    Args:
        data: folder with `published.csv` and `statements.csv`.
        claims: folder with one YAML file per paper.
    """
    found = read_claims(claims, set(read_listed(data)["id"]))
    entries = {name: _entry(claim) for name, claim in found.items()}
    return (json.dumps(entries, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode()


def _entry(claim: Claim) -> dict[str, Any]:
    readings = [{"name": each.name, "select": each.select, "tables": each.tables} for each in claim.readings]
    return {
        "formula": claim.formula,
        "direction": claim.direction,
        "tolerance": dict(claim.tolerance),
        "select": dict(claim.select),
        "specified": claim.specified,
        "trivial": bool(claim.trivial),
        "proof": claim.impossible.formula if claim.impossible else None,
        "same_as": claim.same_as,
        "readings": readings,
        "tables": claim.tables,
    }
