"""Rows of the claims ledger as lines of text that fit the terminal."""

import sys
from collections.abc import Mapping
from textwrap import shorten, wrap

import numpy as np
import pandas as pd
import typer

from artifact.ledger import ledger
from artifact.ledger.claims import FITTED
from artifact.ledger.verdicts import DIRECTION, FITS, MISSED, OWN_HOLDS, REPRODUCED, TRIVIAL, VERDICTS

_COLOURS = {
    **dict.fromkeys(MISSED, "red"),
    **dict.fromkeys((REPRODUCED, FITS, OWN_HOLDS), "green"),
    DIRECTION: "yellow",
    TRIVIAL: "cyan",
}


def in_short(row: Mapping[str, str], columns: int) -> list[str]:
    """Two lines: id and statement; verdict, our number and the published one, and as much of the reason as fits."""
    mark = "on a stand-in" if row["standin"] == "True" else ""
    fitted = "the reading was fitted to it" if row["role"] == FITTED else ""
    parts = (_numbers(row), mark, fitted, row["reason"])
    first = f"{row['published']}  {row['statement']}"
    second = f"  {row['verdict'] or 'no verdict'}: {'; '.join(part for part in parts if part)}"
    return [_cut(first, columns), _coloured(_cut(second, columns), row["verdict"])]


def totals(table: pd.DataFrame, columns: int) -> list[str]:
    """What is not of the headline, and how many claims have each verdict; those on stand-ins apart."""
    lines = [""]
    if apart := sorted(set(table["not_headline"]) - {""}):
        lines.append(f"NOT THE HEADLINE, in {int((table['not_headline'] != '').sum())} of {len(table)} claims:")
        lines += [line for text in apart for line in wrap(text, columns, initial_indent="  ", subsequent_indent="  ")]
        lines.append("")
    made_up = table["standin"] == "True"
    for data, rows in (("on recorded data", table[~made_up]), ("on stand-ins", table[made_up])):
        lines += _table(f"verdicts {data}", ledger.counts(rows).T)
    if table.empty:
        return ["no claim"]
    recorded, other = (ledger.counts(rows).loc["all"] for rows in (table[~made_up], table[made_up]))
    words = [_counted(word, *(int(np.asarray(counts[word])) for counts in (recorded, other))) for word in VERDICTS]
    said = f"{len(table)} claims: {'; '.join(word for word in words if word)} (a number printed twice counts once)"
    return [*lines, *wrap(said, columns)]


def _table(title: str, counts: pd.DataFrame) -> list[str]:
    """Counts with a column per paper, one space apart since eight of them have to fit into 80 columns."""
    shown = counts.loc[counts.any(axis=1), counts.any(axis=0)]
    if shown.empty:
        return []
    first = max(map(len, shown.index))
    lines = [" " * first + "".join(f" {name}" for name in shown.columns)]
    for word, row in shown.iterrows():
        lines.append(f"{word:{first}}" + "".join(f" {n:{len(str(name))}}" for name, n in row.items()))
    return [title, *lines, ""]


def _counted(word: object, recorded: int, made_up: int) -> str:
    if not recorded + made_up:
        return ""
    return f"{word} {recorded}" + (f", and {made_up} on stand-ins" if made_up else "")


def _numbers(row: Mapping[str, str]) -> str:
    ours = " ± ".join(f"{float(row[name]):.4g}" for name in ("ours", "spread") if row[name])
    if row["value"] in ("true", "false"):  # a statement, which holds or not
        return ours
    published = f"published {row['value']} {row['unit']}".strip()
    return f"{ours} ({published})" if ours else published


def _cut(text: str, columns: int) -> str:
    start = text[: len(text) - len(text.lstrip())]
    return start + shorten(text, columns - len(start), placeholder=" …")


def _coloured(line: str, verdict: str) -> str:
    if not sys.stdout.isatty():
        return line
    return line.replace(verdict, typer.style(verdict, fg=_COLOURS.get(verdict)), 1)
