"""Captions with provenance: what a figure shows, which tables it rests on, and what sets them apart."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from artifact.paper.citations import ARTIFACT, cited_for, figures
from artifact.report.figures import SYNTHETIC, kind_of
from artifact.report.sources import COMPUTED, RECORDED, STAND_IN
from artifact.run.settings import remarks
from rarlib import __version__
from rarlib.plot import style
from rarlib.plot.latex import latex

_DATA = {
    STAND_IN: "STAND-IN DATA: drawn from statistics, not recorded",
    RECORDED: "recorded data",
    COMPUTED: "computed profiles",
    SYNTHETIC: "synthetic instances",
}


class TableSource(NamedTuple):
    """Where results come from.

    Attributes:
        digests: names and digests of the tables.
        data: kind of the data.
        settings: what sets the tables apart from the headline, or that nothing does.
        marked: whether the data are drawn from statistics, or the settings are not the headline's.
    """

    digests: str
    data: str
    settings: str
    marked: bool


def provenance(results: Path, tables: Sequence[str]) -> TableSource:
    """Where some tables of a results folder come from."""
    facts = [_facts(results / "tables" / f"{table}.json") for table in tables]
    made = {table: _facts(results / "provenance" / f"{table}.json")["settings"] for table in tables}
    kind = kind_of(facts)
    apart = "; ".join(remarks(tables, made))
    digests = style.digests(results / "tables" / f"{table}.csv" for table in tables)
    return TableSource(digests, _DATA[kind], apart or "settings of the headline", kind == STAND_IN or bool(apart))


def _facts(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def figure_caption(figure: str, results: Path) -> str:
    """Caption of a figure in LaTeX, with its references, its provenance and the label fig:NAME."""
    about = figures()[figure]
    cited = ",".join(key for key in cited_for(figure) if key != ARTIFACT)
    found = provenance(results, about["tables"])
    source = latex(f"rarlib {__version__}; {found.data}; {found.settings}; tables (SHA-256): {found.digests}.")
    references = rf"~\cite{{{cited}}}" if cited else ""
    return (
        f"\\caption[{latex(about['title'])}]{{{latex(about['caption'])}{references} "
        f"{{\\footnotesize Source\\cite{{{ARTIFACT}}}: {source}}}}}\\label{{fig:{figure}}}\n"
    )
