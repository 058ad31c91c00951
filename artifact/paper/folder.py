"""The folder `paper` of the results: everything but the figures, which their notebooks draw."""

from collections.abc import Sequence
from pathlib import Path

from artifact.ledger.ledger import read_ledger
from artifact.paper.captions import figure_caption, provenance
from artifact.paper.citations import bibtex, figures, references
from artifact.paper.numbers import ledger_macros, table_macros
from artifact.paper.summary import summary_rows
from artifact.paper.tables import table_in_latex
from rarlib.model.files import write_text
from rarlib.records.tidy import read_table


def write_paper(results: Path, names: Sequence[str], folder: Path) -> None:
    """Write numbers, tables, captions and references.

    `results`: a results folder with the ledger and the tables; `names`: figures that it has.
    """
    write_text(folder / "numbers.tex", ledger_macros(read_ledger(results / "claims.csv")))
    write_text(folder / "references.bib", bibtex(references()))
    for name in names:
        write_text(folder / "captions" / f"{name}.tex", figure_caption(name, results))
    for table in dict.fromkeys(table for name in names for table in figures()[name]["tables"]):
        summary = summary_rows(read_table(results / "tables" / f"{table}.csv"))
        write_text(folder / "tables" / f"{table}.tex", table_in_latex(table, summary))
        marked = provenance(results, [table]).marked
        write_text(folder / "numbers" / f"{table}.tex", table_macros(table, summary, marked=marked))
