"""The chain behind one row of the ledger: published number, formula, rows, cells, parameters, code."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from artifact.ledger import contests
from artifact.ledger.claims import FITTED, Claim, read_claims
from artifact.ledger.formulas import parts_of
from artifact.ledger.ledger import read_ledger, results_table
from artifact.ledger.lookup import Lookup, MissingResultError
from artifact.ledger.published import read_listed
from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.records.tidy import sha256

_SHOWN = 40
"""A formula is shown with at most so many rows of each selection."""


def chain(results: Path, data: Path, claims: Path, name: str) -> list[str]:
    """Say how one row of the ledger came about, one line each.

    Raises:
        InputError: for an id that the ledger does not have.
    """
    ledger = read_ledger(results / "claims.csv").set_index("published")
    if name not in ledger.index:
        near = [other for other in ledger.index if other.startswith(name.rsplit("-", 1)[0])]
        hint = "".join(f"; ids are like {other}" for other in [*near, *ledger.index][:1])
        raise InputError(f"no claim has this id{hint}", file="--why", field=name)
    row = {str(key): str(value) for key, value in ledger.loc[name].items()}
    claim = read_claims(claims, set(read_listed(data)["id"])).get(name)
    lines = [*_head(name, row), *([] if claim is None else _judged_by(claim))]
    if claim is None or claim.formula is None:
        return [*lines, "formula     none is stated"]
    lines += _formula(claim, row["paper"], results / "tables")
    for file in row["evidence"].split():
        lines += _made(results, Path(file).stem)
    return lines + [f"command     {command}" for command in claim.command]


def _head(name: str, row: Mapping[str, str]) -> Iterator[str]:
    yield f"{name}  {row['statement']} ({row['where']}; known from: {row['trust']})"
    yield f"published   {row['value']} {row['unit']}".rstrip()
    if row["ours"]:
        spread = f" ± {float(row['spread']):.4g}" if row["spread"] else ""
        yield f"ours        {float(row['ours']):.4g}{spread}, {row['seeds']} seeds"
    yield f"verdict     {row['verdict']}: {row['reason']}"
    if row["settled"]:
        yield f"settled     {row['settled']}"
    if row["role"] == FITTED:
        yield "role        fitted: the reading of the paper was chosen by this number, which is no evidence"
    elif row["chance"]:
        yield f"chance      {float(row['chance']):.0%} of random readings give a number within the tolerance"
    if row["as_stated"] not in ("", row["ours"]):
        yield f"as stated   {float(row['as_stated']):.4g}, where nothing is fitted"


def _judged_by(claim: Claim) -> Iterator[str]:
    if claim.impossible is not None:
        yield f"proof       {claim.impossible.why} ({claim.impossible.test})"
    if claim.tolerance:
        yield "tolerance   " + ", ".join(f"{kind} {size:g}" for kind, size in claim.tolerance.items())


def _formula(claim: Claim, paper: str, tables: Path) -> Iterator[str]:
    """The formula with the rows that each of its selections finds."""
    lookup = Lookup(lambda name: results_table(tables / f"{paper}-{name}.csv"), claim.select)
    for part in parts_of(claim.formula or {}):
        keys = {k: v for k, v in part.items() if k not in ("kind", "table", "select")}
        yield f"formula     {part['kind']} of {paper}-{part['table']}" + (f", {_pairs(keys)}" if keys else "")
        if part["kind"] in contests.KEYS:  # these compare schedulers over all settings and windows that they selected
            yield f"  rows      {_pairs({**claim.select, **part.get('select', {})}) or 'all'}"
            continue
        points = [{part["along"]: at} for at in part["ascending"]] if part["kind"] == "order" else [{}]
        others = [{}, part["relative_to"]] if "relative_to" in part else [{}]
        for stated in ({**part.get("select", {}), **point, **other} for point in points for other in others):
            yield f"  rows      {_pairs({**claim.select, **stated})}"
            yield f"            {_values(lookup, part['table'], stated)}"


def _values(lookup: Lookup, name: str, stated: Mapping[str, Any]) -> str:
    try:
        rows = lookup.rows(name, stated)
    except (MissingResultError, InputError) as missing:
        return str(missing)
    shown = [f"{value:.6g}" for value in rows["value"].astype(float).head(_SHOWN)]
    return f"{len(rows)} rows: {' '.join(shown)}{' ...' if len(rows) > _SHOWN else ''}"


def _made(results: Path, table: str) -> Iterator[str]:
    """Cells of a table with their digests, the settings they ran with, and the digest of their code."""
    yield f"table       tables/{table}.csv, sha256 {_digest(results / f'tables/{table}.csv')}"
    path = results / f"provenance/{table}.json"
    if not path.is_file():
        yield "            how it was made is not recorded here"
        return
    made = read_json(path)
    for key, kind in (("code", dict), ("module", str), ("settings", dict)):
        if not isinstance(made.get(key), kind):
            raise InputError("missing; make the results again", file=path, field=key)
    for cell, code in made["code"].items():
        yield f"  cell      cells/{cell}, sha256 {_digest(results / 'cells' / cell)}, code {code}"
    yield f"  made by   {made['module']}.run_cell"
    yield f"  settings  {_pairs(made['settings'])}"


def _digest(file: Path) -> str:
    try:
        return sha256(file)[:16] if file.is_file() else "missing"
    except (OSError, ValueError):
        return "cannot be read"


def _pairs(chosen: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in chosen.items())
