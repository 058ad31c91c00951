"""Which numbers of a figure's marks follow from its tables by a simple rule, and which marks the picture shows.

A rule is the mean, least, most or sum over seeds of the rows of one point, a single row's value, or its `x`. Numbers
that follow otherwise (ratios, shares, curves) are counted, not explained.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

_POINT = ["experiment", "setup", "reading", "scheduler", "x_name", "x", "metric"]
_PAIR = re.compile(r'[ML] (-?[\d.]+) (-?[\d.]+)|\bx="(-?[\d.]+)" y="(-?[\d.]+)"')
_NEAR = 0.1
"""A mark lies where the picture has it if it is so near, in units of the SVG."""

Derivation = dict[str, Any]


def explain(drawn: Mapping[str, Any], picture: str, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Explain the marks of a figure.

    Args:
        drawn: as `rarlib.plot.marks.marks_of` records them.
        picture: the SVG.
        tables: tidy rows of the figure's tables, by name.

    Returns:
        `derived`: number of the mark, axis and rule; `located`: numbers of the marks that the picture shows;
        `marks`: how many there are.
    """
    marks = drawn["marks"]
    rules = _rules(tables, {_key(value) for _, *point in marks for value in point})
    derived = [
        [at, axis, rules[key]]
        for at, (_, *point) in enumerate(marks)
        for axis, value in zip("xy", point, strict=True)
        if (key := _key(value)) in rules
    ]
    return {"derived": derived, "located": _located(drawn, picture), "marks": len(marks)}


def _rules(tables: Mapping[str, pd.DataFrame], wanted: set[str]) -> dict[str, Derivation]:
    """The first rule that gives each wanted number; 0 and 1 would follow from almost any table and have none."""
    found: dict[str, Derivation] = {}

    def add(value: float, table: str, point: Iterable[object], kind: str) -> None:
        if (key := _key(value)) in wanted and value not in (0.0, 1.0):
            select = dict(zip([*_POINT, "seed"], map(str, point), strict=False))
            found.setdefault(key, {"table": table, "select": select, "is": kind})

    for name, table in tables.items():
        groups = table.groupby(_POINT, sort=False)["value"].agg(["mean", "min", "max", "sum"])
        for kind, column in (("mean", "mean"), ("least", "min"), ("most", "max"), ("sum", "sum")):
            for point, value in zip(groups.index.to_list(), groups[column].to_list(), strict=True):
                add(float(value), name, point, kind)
        for point in groups.index.to_list():
            if _is_number(point[_POINT.index("x")]):
                add(float(point[_POINT.index("x")]), name, point, "x")
        alone = table[~table.duplicated([*_POINT, "seed"], keep=False)]
        for row in alone[[*_POINT, "seed", "value"]].itertuples(index=False):
            add(float(row[-1]), name, row[:-1], "mean")
    return found


def _key(value: float) -> str:
    return f"{value:.9g}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _located(drawn: Mapping[str, Any], picture: str) -> list[int]:
    found = {tuple(round(float(v)) for v in pair if v) for pair in _PAIR.findall(picture)}
    located = []
    for at, (which, *point) in enumerate(drawn["marks"]):
        x, y = (_place(drawn["axes"][which][axis], value) for axis, value in zip("xy", point, strict=True))
        if any((round(x + dx), round(y + dy)) in found for dx in (-_NEAR, _NEAR) for dy in (-_NEAR, _NEAR)):
            located.append(at)
    return located


def _place(axis: Mapping[str, Any], value: float) -> float:
    scale = math.log if axis["scale"] == "log" else float
    low, high = (scale(limit) for limit in axis["data"])
    first, last = axis["svg"]
    return float(first + (scale(value) - low) / (high - low) * (last - first))


def marks_as_json(explained: Mapping[str, Mapping[str, Any]]) -> bytes:
    """The content of `marks.json`."""
    return (json.dumps(explained, indent=None, sort_keys=True, separators=(",", ":")) + "\n").encode()
