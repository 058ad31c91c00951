"""A table's summary for a paper in LaTeX (booktabs): a row per case, a column per metric."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from artifact.paper.numbers import in_math
from artifact.paper.summary import SUMMARY_GROUPS, Shown, shown_value
from rarlib.plot.latex import latex

_HEADLINE = "headline"
_METRICS = 3
"""Columns of metrics; more of them follow below."""
_PAGE = 45
"""Lines that fit on a page; longer tables are longtables, which need a document, or part of one, in one column."""
MOST = 120
"""Lines of a table; for more of them only the first set-up is shown, then only its first reading, and so on."""

_NAMES = {"setup": "set-up", "reading": "reading", "scheduler": "scheduler", "x": "x"}
_NARROWED = ("setup", "reading", "x")


class Block(NamedTuple):
    """Lines under one heading.

    Attributes:
        head: what tells the rows apart, metrics with their units, n.
        rows: what tells them apart; cells, empty where there is no number; n.
    """

    head: list[str]
    rows: list[tuple[list[str], list[Shown | None], str]]


class PaperTable(NamedTuple):
    """A table's summary.

    Attributes:
        blocks: see `Block`; a table with many metrics has several.
        only: what is the same in all rows, or was chosen, in words.
    """

    blocks: list[Block]
    only: str

    @property
    def lines(self) -> int:
        """Number of lines."""
        return sum(len(block.rows) + 1 for block in self.blocks)


def paper_table(summary: pd.DataFrame) -> PaperTable:
    """Choose what of a summary a paper's table shows: the headline's reading, and as many cases as fit."""
    chosen, left = summary, []
    if (summary["reading"] == _HEADLINE).any():
        chosen = summary[summary["reading"] == _HEADLINE]
    for column in _NARROWED:
        if _lines(chosen) > MOST and chosen[column].nunique() > 1:
            chosen = chosen[chosen[column] == chosen[column].iloc[0]]
    apart = [column for column in _NAMES if chosen[column].nunique() > 1] or ["scheduler"]
    for column, name in _NAMES.items():
        if column not in apart and (value := "".join(chosen[column].head(1))):
            of = chosen["x_name"].iloc[0] if column == "x" else name
            left.append(f"{of} {value}{' only' if summary[column].nunique() > 1 else ''}")
    return PaperTable([*_blocks(chosen, apart)], ", ".join(left))


def _lines(chosen: pd.DataFrame) -> int:
    return chosen.groupby(SUMMARY_GROUPS).ngroups * -(-chosen["metric"].nunique() // _METRICS)


def _blocks(chosen: pd.DataFrame, apart: list[str]) -> Iterator[Block]:
    metrics = list(dict.fromkeys(zip(chosen["metric"], chosen["unit"], strict=True)))
    for start in range(0, len(metrics), _METRICS):
        shown_here = metrics[start : start + _METRICS]
        rows = []
        names = {name for name, _ in shown_here}
        for case, own in chosen[chosen["metric"].isin(names)].groupby([*apart, "x_name"], sort=False):
            found = {(r["metric"], r["unit"]): r for r in own.to_dict("records")}
            cells = [_shown(found.get(m)) for m in shown_here]
            counts = [int(r["n"]) for r in found.values()]
            n = "–".join(dict.fromkeys([str(min(counts)), str(max(counts))]))
            rows.append(([str(part) for part in case[:-1]], cells, n))
        x_names = [name for name in chosen["x_name"].unique() if name]
        labels = ["/".join(x_names) if column == "x" else _NAMES[column] for column in apart]
        heads = [name if unit in ("", "1") else f"{name} ({unit})" for name, unit in shown_here]
        yield Block([*labels, *heads, *[""] * (_METRICS - len(heads)), "n"], rows)


def _shown(row: Mapping[Hashable, Any] | None) -> Shown | None:
    return shown_value(row["mean"], row["low"], row["high"]) if row else None


def as_latex(name: str, table: PaperTable) -> str:
    """The table as a tabular, or as a longtable with a caption and the label tab:NAME if it does not fit on a page."""
    if not table.blocks:
        return "% nothing to summarise\n"
    apart = len(table.blocks[0].head) - _METRICS - 1
    kind = "longtable" if table.lines > _PAGE else "tabular"
    lines = [rf"\begin{{{kind}}}{{{'l' * apart}{'r' * _METRICS}r}}"]
    lines += [rf"{_caption(name, table)}\\"] if kind == "longtable" else []
    for at, block in enumerate(table.blocks):
        rule = r"\midrule" if at else r"\toprule"
        lines += [rule, " & ".join(map(latex, block.head)) + r" \\", r"\midrule"]
        lines += [
            " & ".join([*map(latex, case), *map(_latex_cell, cells), *[""] * (_METRICS - len(cells)), latex(n)])
            + r" \\"
            for case, cells, n in block.rows
        ]
    return "\n".join([*lines, r"\bottomrule", rf"\end{{{kind}}}", ""])


def _caption(name: str, table: PaperTable) -> str:
    text = f"{name}: mean, 95 % interval over n seeds{f'; {table.only}' if table.only else ''}."
    return rf"\caption{{{latex(text)}}}\label{{tab:{name}}}"


def _latex_cell(cell: Shown | None) -> str:
    if cell is None:
        return ""
    return f"{in_math(cell.value)} {in_math(cell.interval)}".strip()
