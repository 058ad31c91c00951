"""How each published number and statement is answered: the YAML files of `config/claims`, read and checked.

`data/published.csv` lists what the papers print, `data/statements.csv` what this project states itself. Each entry of
`config/claims/<paper>.yaml` says with which of our numbers one of them is compared. `config/claims/README.md` describes
every key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from artifact.ledger.formulas import check_formula, tables_of
from artifact.unknowns import READINGS_FOLDER
from rarlib.model import limits
from rarlib.model.errors import InputError, require_keys
from rarlib.model.inputs import file_text, json_value
from rarlib.model.plain_yaml import yaml_file, yaml_value

_TOP_KEYS = {"paper", "defaults", "claims"}
_DEFAULT_KEYS = {"tolerance", "select", "as_stated"}

TESTED, FITTED, THEORY, HARDWARE, UNCLEAR, OWN_ROLE = "tested", "fitted", "theory", "hardware", "unclear", "own"
ROLES = (TESTED, FITTED, THEORY, HARDWARE, UNCLEAR, OWN_ROLE)
"""What a number is to us. `fitted` follows from config/readings, `own` from `data/statements.csv`."""
_STATED_ROLES = (THEORY, HARDWARE, UNCLEAR)


@dataclass(frozen=True)
class Proof:
    """Why no run can give a published number, a formula that holds in our tables, and the test that proves it."""

    why: str
    formula: Mapping[str, Any]
    test: str


@dataclass(frozen=True)
class Claim:
    """How one published id is answered; see config/claims/README.md."""

    published: str
    statement: str = ""
    where: str = ""
    formula: Mapping[str, Any] | None = None
    direction: Mapping[str, Any] | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    select: Mapping[str, Any] = field(default_factory=dict)
    as_stated: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    trust: str = ""
    role: str = TESTED
    reason: str = ""
    note: str = ""
    robustness: Mapping[str, Any] | None = None
    impossible: Proof | None = None
    trivial: str = ""
    same_as: str = ""
    command: tuple[str, ...] = ()

    @property
    def tables(self) -> list[str]:
        """Names of the tables the claim reads."""
        formulas = [f for f in (self.formula, self.direction) if f is not None]
        return list(dict.fromkeys([*self.needs, *(name for f in formulas for name in tables_of(f))]))


_ENTRY_KEYS = {each.name for each in fields(Claim)} - {"as_stated"}


def read_claims(folder: Path, known: set[str]) -> dict[str, Claim]:
    """All claims of a folder of YAML files, by published id.

    The folder `readings` beside it says which numbers the reading of a paper was fitted to.

    Raises:
        InputError: for a missing folder, a file that is not a list of claims, an unknown id, key or role, an id that
            is claimed twice, or a `same_as` that does not lead to a claim with an answer of its own.
    """
    if not folder.is_dir():
        raise InputError("no such folder", file=folder)
    claims: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.yaml")):
        for claim in _claims_of(path):
            if claim.published not in known:
                raise InputError(f"unknown id {claim.published!r}", file=path, field="published")
            if claim.published in claims:
                raise InputError(f"id {claim.published} is claimed twice", file=path, field="published")
            claims[claim.published] = claim
    for name in fitted_numbers(folder.parent / READINGS_FOLDER.name) & claims.keys():
        claims[name] = replace(claims[name], role=FITTED)
    for claim in claims.values():
        if claim.same_as and (claim.same_as not in claims or claims[claim.same_as].same_as):
            where = f"{claim.published}.same_as"
            raise InputError(f"{claim.same_as!r} is no claim with an answer of its own", file=folder, field=where)
    return claims


def fitted_numbers(folder: Path) -> frozenset[str]:
    """Ids of the published numbers that the readings of a folder are fitted to; docs/readings.md has the rule."""
    parts = [yaml_file(path).get("fitted") or {} for path in sorted(folder.glob("*.yaml"))]
    return frozenset(str(name) for part in parts for name in part.get("numbers", ()))


def _content(path: Path) -> dict[str, Any]:
    text = file_text(path, limits.JSON_BYTES)
    # A study writes its statements as JSON, which is YAML, but read much faster.
    content = json_value(text, file=path) if text.startswith("{") else yaml_value(text, file=path)
    if not isinstance(content, dict) or not isinstance(content.get("claims"), list):
        raise InputError("needs a list 'claims'", file=path)
    require_keys(content, _TOP_KEYS, path, "top level")
    return content


def _claims_of(path: Path) -> list[Claim]:
    content = _content(path)
    defaults = content.get("defaults") or {}
    require_keys(defaults, _DEFAULT_KEYS, path, "defaults")
    return [_claim(entry, defaults, path, position) for position, entry in enumerate(content["claims"])]


def _claim(entry: Any, defaults: Mapping[str, Any], path: Path, position: int) -> Claim:
    where = f"claims[{position}]"
    if not isinstance(entry, dict) or not isinstance(entry.get("published"), str):
        raise InputError("needs the id of a published number under 'published'", file=path, field=where)
    where = entry["published"]
    require_keys(entry, _ENTRY_KEYS, path, where)
    _check_formulas(entry, path, where)
    tolerance = entry.get("tolerance", defaults.get("tolerance", {}))
    require_keys(tolerance, {"relative", "absolute"}, path, f"{where}.tolerance")
    if entry.get("role", THEORY) not in _STATED_ROLES:
        raise InputError(f"must be one of {', '.join(_STATED_ROLES)}", file=path, field=f"{where}.role")
    command = entry.get("command", ())
    given = {
        "needs": tuple(entry.get("needs", ())),
        "tolerance": tolerance,
        "select": {**defaults.get("select", {}), **entry.get("select", {})},
        "as_stated": defaults.get("as_stated", {}),
        "impossible": Proof(**entry["impossible"]) if "impossible" in entry else None,
        "command": (command,) if isinstance(command, str) else tuple(command),
    }
    return Claim(**{**entry, **given})


def _check_formulas(entry: Mapping[str, Any], path: Path, where: str) -> None:
    for key in ("formula", "direction"):
        if entry.get(key) is not None:
            check_formula(entry[key], path, f"{where}.{key}")
    if entry.get("direction") and (entry.get("formula") or {}).get("kind") != "value":
        raise InputError("only a formula of kind value can have a direction", file=path, field=f"{where}.direction")
    require_keys(entry.get("robustness") or {}, {"better", "worse", "metric", "where"}, path, f"{where}.robustness")
