"""Numbers of the ledger and of tables as LaTeX macros."""

import math
import re

import pandas as pd

from artifact.paper.summary import Shown, mean_interval, shown_value
from rarlib.model.project import ROOT
from rarlib.plot.latex import latex

_MACROS = ROOT / "workflow/paper/macros.tex"

_EXPONENT = re.compile(r"e([+-]?\d+)")
_UNSAFE = re.compile(r"[^\w .,:+/=-]", re.ASCII)
_MARK = r"\rarlibmark"


def ledger_macros(ledger: pd.DataFrame) -> str:
    """The definitions of the macros, and every number of the ledger.

    `ledger`: as `artifact.ledger.ledger.read_ledger` returns it, all columns as text.
    """
    lines = [_MACROS.read_text(encoding="utf-8"), "\\makeatletter"]
    for row in ledger.to_dict("records"):
        name, seeds = row["published"], int(row["seeds"] or 0)
        spread = float(row["spread"] or math.nan)
        mark = _MARK if row["standin"] == "True" or row["not_headline"] else ""
        value = float(row["ours"] or math.nan)
        lines.append(_number(name, shown_value(value, *mean_interval(value, spread, seeds)), row["unit"], seeds, mark))
        lines.append(rf"\rarlib@claim{{{name}}}{{{_published(row['value'])}}}{{{latex(row['verdict'])}}}")
    return "\n".join([*lines, "\\makeatother", ""])


def table_macros(table: str, summary: pd.DataFrame, *, marked: bool) -> str:
    """The numbers of a table's summary.

    `summary`: see `artifact.paper.summary.summary_rows`; `marked`: whether it rests on stand-in data, or not on the
    settings of the headline.
    """
    lines = ["\\makeatletter"]
    for name, row in zip(keys_of(table, summary), summary.to_dict("records"), strict=True):
        said = shown_value(row["mean"], row["low"], row["high"])
        lines.append(_number(name, said, row["unit"], row["n"], _MARK if marked else ""))
    return "\n".join([*lines, "\\makeatother", ""])


def keys_of(table: str, summary: pd.DataFrame) -> list[str]:
    """Keys of a table's numbers, `TABLE/SETUP/READING/SCHEDULER/X/METRIC` without empty parts.

    What TeX could take for a command becomes a hyphen.
    """
    columns = (summary[name] for name in ("setup", "reading", "scheduler", "x", "metric"))
    return [
        "/".join([table, *(_UNSAFE.sub("-", part) for part in parts if part)]) for parts in zip(*columns, strict=True)
    ]


def in_math(text: str) -> str:
    """A number, or an interval, in LaTeX's mathematics."""
    plain = _EXPONENT.sub(lambda found: rf"\times 10^{{{int(found[1])}}}", text)
    return rf"\ensuremath{{{plain}}}" if plain else ""


def _number(name: str, said: Shown, unit: str, seeds: int, mark: str) -> str:
    value = in_math(said.value) if said.value != "nan" else rf"\rarlib@none{{{name}}}"
    return rf"\rarlib@number{{{name}}}{{{value}}}{{{in_math(said.interval)}}}{{{latex(unit)}}}{{{seeds}}}{{{mark}}}"


def _published(value: str) -> str:
    try:
        float(value)
    except ValueError:
        return latex(value)
    return in_math(value)
