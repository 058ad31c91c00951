"""The folder `paper` of the results: everything but the figures, which their notebooks draw."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from artifact.ledger.ledger import read_ledger
from artifact.paper.captions import figure_caption, provenance, table_caption
from artifact.paper.citations import bibtex, figures, references
from artifact.paper.numbers import keys_of, ledger_macros, table_macros
from artifact.paper.summary import summary_rows
from artifact.paper.tables import PaperTable, as_latex, as_markdown, paper_table
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.records.tidy import read_table

_SAMPLE = ROOT / "workflow/paper/sample.tex"

_QUOTE = (
    r"\texttt{{{0}}}: published \rarlibpublished{{{0}}}~\rarlibunit{{{0}}}, ours \rarlib{{{0}}} "
    r"(\rarlibverdict{{{0}}})."
)
_QUOTED = 3
"""Numbers of the ledger that the sample quotes."""


def write_paper(results: Path, names: Sequence[str], folder: Path) -> None:
    """Write numbers, tables, captions, references and a sample.

    `results`: a results folder with the ledger and the tables. `names`: figures that it has; the sample shows the first
    one, and the shortest table.
    """
    ledger = read_ledger(results / "claims.csv")
    write_text(folder / "numbers.tex", ledger_macros(ledger))
    write_text(folder / "references.bib", bibtex(references()))
    for name in names:
        write_text(folder / "captions" / f"{name}.tex", figure_caption(name, results))
    lines: dict[str, tuple[int, str]] = {}
    for table in dict.fromkeys(table for name in names for table in figures()[name]["tables"]):
        summary = summary_rows(read_table(results / "tables" / f"{table}.csv"))
        shown = _write_table(table, summary, results, folder)
        if shown.lines:
            lines[table] = (shown.lines, keys_of(table, summary)[0])
    table = min(lines, key=lambda name: lines[name][0])
    write_text(folder / "sample.tex", _sample(names[0], table, lines[table][1], ledger))


def _write_table(table: str, summary: pd.DataFrame, results: Path, folder: Path) -> PaperTable:
    found = provenance(results, [table])
    shown = paper_table(summary)
    caption, text = table_caption(table, shown.only, found)
    write_text(folder / "tables" / f"{table}.tex", as_latex(shown, caption))
    write_text(folder / "tables" / f"{table}.md", as_markdown(shown, text))
    write_text(folder / "captions" / f"table-{table}.tex", caption)
    write_text(folder / "numbers" / f"{table}.tex", table_macros(table, summary, marked=found.marked))
    return shown


def _sample(figure: str, table: str, key: str, ledger: pd.DataFrame) -> str:
    """A document that uses a figure, a table and one of its numbers, references, and some numbers of the ledger."""
    ours = ledger[ledger["ours"] != ""]
    of_paper = ours[ours["evidence"].str.contains(f"tables/{figure}.csv", regex=False)]
    parts = {
        "@FIGURE@": figure,
        "@TABLE@": table,
        "@KEY@": key,
        "@NUMBERS@": "\n".join(map(_QUOTE.format, (of_paper if len(of_paper) else ours).head(_QUOTED)["published"])),
    }
    text = _SAMPLE.read_text(encoding="utf-8")
    for name, value in parts.items():
        text = text.replace(name, value)
    return text
