"""The papers' equations and algorithm lines, with the function that implements each and a test that covers it.

`docs/equations.tsv` is the list; tests check it. docs/equations.md is made from it by

    python -m tools.equations
"""

import csv
import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

import yaml

from rarlib.model.errors import InputError
from rarlib.model.files import write_text

_ROOT = Path(__file__).resolve().parents[1]
LIST, PAGE = _ROOT / "docs" / "equations.tsv", _ROOT / "docs" / "equations.md"


class Equation(NamedTuple):
    """A row of the list.

    Attributes:
        paper: key of the citation file's references.
        item: the equation's number, or the algorithm's lines.
        states: what it states, in a few words.
        code: `module:name` that implements it.
        test: `file::name` that covers it.
    """

    paper: str
    item: str
    states: str
    code: str
    test: str


def read_equations(path: Path = LIST) -> list[Equation]:
    """The rows of the list, in its order.

    Raises:
        InputError: when the columns are not those of `Equation`, or a row leaves one empty.
    """
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    if tuple(header) != Equation._fields:
        raise InputError(f"columns must be {', '.join(Equation._fields)}", file=path, row=1)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header) or not all(row):
            raise InputError("must fill every column", file=path, row=number)
    return [Equation(*row) for row in rows]


def render(equations: list[Equation]) -> str:
    """The list as Markdown, a table per paper, in the order in which papers first appear.

    Raises:
        InputError: for a paper that is not in CITATION.cff.
    """
    known = yaml.safe_load((_ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    papers = {str(paper["notes"]).removeprefix("key: "): paper for paper in known}
    parts = [
        "# Equations\n\nMade by `python -m tools.equations` from [equations.tsv](equations.tsv): what the "
        "papers state, the code that implements it, and a test that covers it. A test checks that both exist. Tags in "
        "brackets: where a statement about AITurbo comes from, see [its scheduler](../rarlib/schedulers/aiturbo.py).\n"
    ]
    for key in dict.fromkeys(equation.paper for equation in equations):
        if key not in papers:
            raise InputError(f"unknown paper {key!r}; known: {', '.join(papers)}", file=LIST, field="paper")
        paper = papers[key]
        where = f"https://doi.org/{paper['doi']}" if "doi" in paper else paper["url"]
        rows = "".join(_row(equation) for equation in equations if equation.paper == key)
        head = "| equation or line | what it states | code | test |\n|---|---|---|---|\n"
        parts.append(f"\n## {key}\n\n[{paper['title']}]({where}), {paper['year']}.\n\n{head}{rows}")
    return "".join(parts)


def _row(equation: Equation) -> str:
    module, name = equation.code.split(":")
    file, test = equation.test.split("::")
    item, states = (text.replace("|", r"\|") for text in (equation.item, equation.states))
    code = f"[`{module.removeprefix('rarlib.')}:{name}`](../{_source(module)})"
    return f"| {item} | {states} | {code} | [`{test}`](../{file}) |\n"


def _source(module: str) -> str:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise InputError(f"no module {module}", file=LIST, field="code")
    return Path(found.origin).relative_to(_ROOT).as_posix()


def main() -> int:
    """Write docs/equations.md."""
    write_text(PAGE, render(read_equations()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
