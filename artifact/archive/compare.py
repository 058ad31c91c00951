"""Two results folders or deposits compared: which claims, tables and figures differ, by how much, and why.

The reason is found on the way down from a table: its settings, its data, the code of the cells whose rows differ. If
all of these agree, rows were edited or a run is not repeatable.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.ledger import read_ledger
from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.records.tidy import read_table, sha256

_SHOWN = ("verdict", "ours", "as_stated")
_KEY = ["experiment", "setup", "reading", "scheduler", "x_name", "x", "seed", "metric"]


def compare_results(first: Path, second: Path) -> list[str]:
    """One line for each table, figure and claim that differs; none if all are the same.

    Raises:
        InputError: a folder without results, or files that cannot be read.
    """
    one, other = _results(first), _results(second)
    tables = {name: line for name in _names(one, other, "tables", ".csv") if (line := _table(one, other, name))}
    figures = [
        line for name in _names(one, other, "figures", ".svg") if (line := _figure(one, other, name, set(tables)))
    ]
    return [*tables.values(), *figures, *_claims(one, other, set(tables))]


def _results(folder: Path) -> Path:
    for path in (folder / "results", folder):
        if (path / "claims.csv").is_file():
            return path
    raise InputError("neither a results folder nor a deposit: there is no claims.csv", file=folder)


def _names(one: Path, other: Path, folder: str, ending: str) -> list[str]:
    return sorted({path.stem for side in (one, other) for path in (side / folder).glob(f"*{ending}")})


def _in_both(one: Path, other: Path, what: str, name: str) -> str:
    """A line if a file is in one folder only."""
    here, there = (one / name).is_file(), (other / name).is_file()
    return "" if here and there else f"{what}: only in the {'first' if here else 'second'}"


def _table(one: Path, other: Path, name: str) -> str:
    """What differs in a table and why; empty if nothing does."""
    what, file = f"table {name}", f"tables/{name}.csv"
    if alone := _in_both(one, other, what, file):
        return alone
    if sha256(one / file) == sha256(other / file):
        return ""
    return f"{what}: {_size(read_table(one / file), read_table(other / file))}; {_reason(one, other, name)}"


def _size(one: pd.DataFrame, other: pd.DataFrame) -> str:
    """How many rows differ and by how much."""
    keys = [frame.assign(place=frame.groupby(_KEY, dropna=False).cumcount()) for frame in (one, other)]
    joined = keys[0].merge(keys[1], on=[*_KEY, "place"], how="outer", suffixes=("", "_other"), indicator=True)
    met = joined[joined["_merge"] == "both"]
    before, after = met["value"].to_numpy(float), met["value_other"].to_numpy(float)
    changed = ~((before == after) | (np.isnan(before) & np.isnan(after)))
    parts = [f"{int(changed.sum())} of {len(met)} values differ"]
    relative = np.abs(after - before)[changed] / np.maximum(np.abs(before), np.abs(after))[changed]
    if np.isfinite(relative).any():
        parts[0] += f", by up to {np.nanmax(relative):.2g} of the larger"
    for side, word in (("left_only", "first"), ("right_only", "second")):
        if count := int((joined["_merge"] == side).sum()):
            parts.append(f"{count} rows only in the {word}")
    return ", ".join(parts)


def _reason(one: Path, other: Path, name: str) -> str:
    """What explains that a table differs."""
    records = [side / f"{place}/{name}.json" for place in ("provenance", "tables") for side in (one, other)]
    if not all(path.is_file() for path in records):
        return "why is not recorded in both"
    made, made_there, facts, facts_there = map(read_json, records)
    found = [*_changed("setting", made["settings"], made_there["settings"])]
    if made["module"] != made_there["module"]:
        found.append(f"module {made['module']} -> {made_there['module']}")
    found += _changed("data", _by_name(facts["traces"]), _by_name(facts_there["traces"]), values=False)
    before, after = (
        {cell.removesuffix(".csv"): code for cell, code in each["code"].items()} for each in (made, made_there)
    )
    found += [f"cell {cell} only in the first" for cell in before if cell not in after]
    found += [f"cell {cell} only in the second" for cell in after if cell not in before]
    both = [cell for cell in before if cell in after]
    if edited := [cell for cell in both if before[cell] != after[cell]]:
        found.append(f"code of {len(edited)} of {len(before)} cells differs ({_few(edited)})")
    if found:
        return "because " + "; ".join(found)
    cells = ", ".join(cell for cell in both if _differs(one, other, f"cells/{cell}.csv")) or "no cell differs"
    return f"although settings, data and code are the same (cells that differ: {cells}): edited, or not repeatable"


def _codes(made: Mapping[str, Any]) -> dict[str, str]:
    """Digest of the code of each cell."""
    return {cell.removesuffix(".csv"): str(code) for cell, code in made["code"].items()}


def _few(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _by_name(traces: list[dict[str, Any]]) -> dict[str, Any]:
    return {str(trace["name"]): trace for trace in traces}


def _changed(what: str, one: Mapping[str, Any], other: Mapping[str, Any], *, values: bool = True) -> Iterator[str]:
    for key in dict.fromkeys([*one, *other]):
        if one.get(key) != other.get(key):
            how = f" {_short(one.get(key))} -> {_short(other.get(key))}" if values else " differs"
            yield f"{what} {key}{how}"


def _short(value: Any, most: int = 40) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _differs(one: Path, other: Path, name: str) -> bool:
    return not ((one / name).is_file() and (other / name).is_file() and sha256(one / name) == sha256(other / name))


def _figure(one: Path, other: Path, name: str, tables: set[str]) -> str:
    """Whether a figure differs, and which of its tables do."""
    what, file = f"figure {name}", f"figures/{name}.svg"
    if alone := _in_both(one, other, what, file):
        return alone
    if not _differs(one, other, file):
        return ""
    # The picture names the tables that it was drawn from, with their digests.
    picture = (one / file).read_text(encoding="utf-8")
    own = sorted(table for table in tables if f"{table}.csv " in picture)
    return f"{what}: drawn from other rows ({', '.join(own)})" if own else f"{what}: drawn otherwise from the same rows"


def _claims(one: Path, other: Path, tables: set[str]) -> Iterator[str]:
    before, after = (read_ledger(side / "claims.csv").set_index("published") for side in (one, other))
    for name in dict.fromkeys([*before.index, *after.index]):
        if name not in before.index or name not in after.index:
            yield f"claim {name}: only in the {'first' if name in before.index else 'second'}"
            continue
        rows = before.loc[name], after.loc[name]
        changed = [column for column in before.columns if rows[0][column] != rows[1][column]]
        if not changed:
            continue
        said = [
            f"{c} {rows[0][c] or 'none'} -> {rows[1][c] or 'none'}{_by(rows[0][c], rows[1][c])}"
            for c in _SHOWN
            if c in changed
        ]
        said += [", ".join(column for column in changed if column not in _SHOWN)] if not said else []
        used = {Path(file).stem for row in rows for file in str(row["evidence"]).split()}
        own = sorted(used & tables)
        why = f"because of {', '.join(own)}" if own else "its tables are the same: formula, tolerance or text differs"
        yield f"claim {name}: {'; '.join(said)}; {why}"


def _by(one: str, other: str) -> str:
    """Difference of two numbers in per cent of the first; empty for words."""
    try:
        first, second = float(one), float(other)
    except ValueError:
        return ""
    return f" ({second / first - 1:+.2%})" if first else ""
