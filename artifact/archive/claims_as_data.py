"""Formulas of all claims as JSON, so that the verifier needs no reader of YAML."""

import json
from pathlib import Path
from typing import Any

from artifact.ledger.claims import Claim, read_claims
from artifact.ledger.published import read_listed

_COPIED = ("statement", "formula", "direction", "tolerance", "select", "as_stated", "role", "trivial", "same_as")


def claims_as_json(data: Path, claims: Path, listed: str = "source/data") -> bytes:
    """The claims by id of the published number, their defaults merged."""
    found = read_claims(claims, set(read_listed(data)["id"]))
    entries = {name: _entry(claim) for name, claim in found.items()}
    return (json.dumps({"claims": entries, "listed": listed}, indent=1) + "\n").encode()


def _entry(claim: Claim) -> dict[str, Any]:
    proof = claim.impossible.formula if claim.impossible else None
    return {name: getattr(claim, name) for name in _COPIED} | {"proof": proof}
