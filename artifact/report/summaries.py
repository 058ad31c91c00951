"""A tidy result table in readable form: a row per case, a column per scheduler, mean ± standard deviation."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from rarlib.plot.style import known_looks, look
from rarlib.records.tidy import read_table, sha256

_CASE = ["setup", "reading", "x_name", "x", "metric", "unit"]
_NAMES = {"setup": "set-up", "x": "at", "metric": "quantity"}
_ONE = ("experiment", "x_name")
"""Columns that are never shown on their own: the first is in the name of the table, the second is shown with `x`."""

MOST_ROWS = 150
"""A longer table is cut; the file has all rows."""


@dataclass(frozen=True)
class _Member:
    """The head of a column: mostly a scheduler, with its colour in the figures if it has one."""

    label: str
    colour: str


@dataclass(frozen=True)
class Summary:
    """One table, ready to be shown; `axis` is what its column `x` counts, empty if this differs between rows."""

    name: str
    file: str
    digest: str
    common: list[str]
    heads: list[str]
    members: list[_Member]
    rows: list[tuple[list[str], list[str]]]
    left_out: int
    seeds: int
    setups: list[str]
    readings: list[str]
    axis: str


def summarise(path: Path) -> Summary:
    """Summarise a tidy table over seeds.

    What is the same in all rows (a single set-up, say) is given once, in `common`, instead of in a column.

    `path`: `<results>/tables/<name>.csv`.

    Raises:
        InputError: for a missing file or column.
    """
    table = read_table(path)
    keys = [*_CASE, "scheduler"]
    groups = table.groupby(keys, sort=False, dropna=False)["value"]
    cells = groups.agg(["mean", "std", "count", "size"])
    described = {key: _described(*row) for key, row in zip(cells.index, cells.itertuples(index=False), strict=True)}
    members = list(table["scheduler"].drop_duplicates())
    cases = list(dict.fromkeys(key[:-1] for key in described))
    columns = [name for name in _CASE if name not in _ONE]
    varied = [name for name in columns if table[name].nunique() > 1 or name == "metric"]
    # The unit is shown beside the quantity.
    varied = [name for name in varied if name != "unit"]
    first = dict(zip(_CASE, cases[0], strict=True)) if cases else dict.fromkeys(_CASE, "")
    common = [
        f"{_NAMES.get(name, name)} {_case(first, name)}"
        for name in columns
        if name not in varied and name != "unit" and first[name]
    ]
    known, rows = known_looks(), []
    for case in cases[:MOST_ROWS]:
        facts = dict(zip(_CASE, case, strict=True))
        values = [described.get((*case, member), "") for member in members]
        rows.append(([_case(facts, name) for name in varied], values))
    return Summary(
        name=path.stem,
        file=f"{path.parent.name}/{path.name}",
        digest=sha256(path)[:12],
        common=common,
        heads=[_NAMES.get(name, name) for name in varied],
        members=[_Member(look(member).label, known[member].colour if member in known else "") for member in members],
        rows=rows,
        left_out=max(0, len(cases) - MOST_ROWS),
        seeds=int(cells["size"].max()) if len(cells) else 0,
        setups=list(table["setup"].unique()),
        readings=list(table["reading"].unique()),
        axis=str(table["x_name"].iloc[0]) if table["x_name"].nunique() == 1 else "",
    )


def _case(facts: dict[str, str], name: str) -> str:
    if name == "x":
        return f"{facts['x_name']} = {facts['x']}" if facts["x_name"] and facts["x"] else facts["x"]
    if name == "metric" and facts["unit"] not in ("", "1"):
        return f"{facts['metric']} ({facts['unit']})"
    return facts[name]


def _described(mean: float, deviation: float, count: int, size: int) -> str:
    if not count:
        return "none feasible"
    text = f"{mean:.4g}" if pd.isna(deviation) or deviation == 0 else f"{mean:.4g} ± {deviation:.2g}"
    return text if count == size else f"{text} ({count} of {size})"
