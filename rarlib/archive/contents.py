"""What a deposit holds, and how its parts rest on each other.

results/   ledger, tables, cells, figures, executed notebooks, report, provenance of the data (never the data)
source/    the files of the commit
claims.json, settings.json, marks.json: what the verifier needs; verify.py; documents at the top
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from rarlib.archive.claims_as_data import claims_as_json, settings_as_json
from rarlib.archive.derivations import explain, marks_as_json
from rarlib.archive.source import Commit
from rarlib.archive.swhid import SourceFile
from rarlib.archive.tree import ROOT_NODE, Node, digest_of, tree_as_json
from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.records.tidy import read_table
from rarlib.workflow.closure import _digest, cell_modules, import_closure, notebook_modules
from rarlib.workflow.commit import TREE_FILE

RESULT_FILES = (
    "cells/*/*/*.csv",
    "tables/*.csv",
    "tables/*.json",
    "provenance/*.json",
    "figures/*.svg",
    "figures/*.json",
    "paper/figures/*.pdf",
    "notebooks/*.ipynb",
    "notebooks/*.html",
    "notebooks/learn/*.ipynb",
    "notebooks/learn/*.html",
    "data/*.csv.json",
    "data/*.json.json",
    "claims.csv",
    "manifest.json",
    "report.html",
)
"""Files of a results folder that a deposit holds: of the data only where they come from."""

PROGRAMS = ("verify.py", "verify_ledger.py", "verify_formulas.py", "verify_study.py", "verify_arena.py")
"""Files of `archive/` that lie at the top of the deposit."""


@dataclass
class Deposit:
    """A deposit in memory: its files by path, and the nodes of its tree of digests by name."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)

    def take(self, node: str, *names: str) -> Node:
        """Let files belong to a node, which is made if there is none."""
        found = self.nodes.setdefault(node, Node())
        found.files.update({name: digest_of(self.files[name].data) for name in names if name in self.files})
        return found

    def finish(self) -> None:
        """Give the root all files that belong to no other node, and write the digests."""
        owned = {name for node in self.nodes.values() for name in node.files} | {TREE_FILE}
        self.take(ROOT_NODE, *sorted(self.files.keys() - owned))
        self.files[TREE_FILE] = SourceFile(tree_as_json(self.nodes))


def collect(root: Path, results: Path, source: Commit) -> Deposit:
    """Gather files and nodes of a deposit; `finish` completes it.

    Args:
        root: the project's folder.
        results: folder that a whole run of the pipeline has filled.
        source: the commit.

    Raises:
        InputError: results that are missing or were made by other code than the commit's.
    """
    deposit = Deposit({f"source/{name}": file for name, file in source.files.items()})
    add_results(deposit, results, RESULT_FILES, "make reproduce")
    about = root / "workflow/report/figures.yaml"
    deposit.files["claims.json"] = SourceFile(claims_as_json(root / "data", root / "config/claims"))
    deposit.files["marks.json"] = SourceFile(explained_marks(deposit, about, results))
    for name in PROGRAMS:
        deposit.files[name] = source.files[f"archive/{name}"]

    def cell_code(module: str, member: str) -> str:
        return code_node(deposit, cell_modules(module, member), "source")

    made = tables_made(results)
    tables = [table_node(deposit, results, table, cell_code) for table in made]
    figures = list(
        figure_nodes(deposit, about, root / "notebooks/figures", lambda names: code_node(deposit, names, "source"))
    )
    deposit.files["settings.json"] = SourceFile(settings_as_json(made))
    claims = deposit.take("claims", "claims.json", "settings.json", "results/claims.csv")
    claims.files |= deposit.take("", *_listed(deposit)).files
    del deposit.nodes[""]
    claims.children = tables
    deposit.nodes[ROOT_NODE] = Node(children=[*figures, "claims"], facts=source_facts(deposit, source))
    return deposit


def add_results(deposit: Deposit, results: Path, patterns: Iterable[str], command: str) -> None:
    """Take the files of a results folder; `command` is what makes those that have to be there.

    Raises:
        InputError: when the ledger, the report or the manifest is missing.
    """
    for path in sorted(path for pattern in patterns for path in results.glob(pattern)):
        if not path.name.endswith(".failed.ipynb"):
            deposit.files[f"results/{path.relative_to(results).as_posix()}"] = SourceFile(path.read_bytes())
    for name in ("claims.csv", "report.html", "manifest.json"):
        if f"results/{name}" not in deposit.files:
            raise InputError(f"is not there; make the results first ({command})", file=results / name)


def tables_made(results: Path) -> list[str]:
    """The tables of a results folder, sorted."""
    return [path.stem for path in sorted((results / "provenance").glob("*.json"))]


def source_facts(deposit: Deposit, source: Commit) -> dict[str, Any]:
    """What the root says of the folder `source`."""
    facts: dict[str, Any] = {"commit": source.commit, "day": source.day, "directory": source.directory}
    executable = [name for name, file in deposit.files.items() if file.executable and name.startswith("source/")]
    return facts | {"executable": sorted(executable)}


def explained_marks(deposit: Deposit, described: Path, results: Path) -> bytes:
    """Which marks of the figures follow from their tables, and which lie where the pictures have them.

    Args:
        deposit: with the files of the results.
        described: the file that describes the figures.
        results: folder of the results.

    Raises:
        InputError: a picture without the numbers of its marks.
    """
    about = yaml.safe_load(described.read_text(encoding="utf-8"))
    read_once = cache(read_table)
    explained = {}
    for path in sorted((results / "figures").glob("*.svg")):
        record = path.with_suffix(".json")
        if f"results/figures/{record.name}" not in deposit.files:
            raise InputError("the numbers of this figure's marks are missing; make the results again", file=record)
        tables = {table: read_once(results / f"tables/{table}.csv") for table in about[path.stem]["tables"]}
        explained[path.stem] = explain(read_json(record), path.read_text(encoding="utf-8"), tables)
    return marks_as_json(explained)


def _listed(deposit: Deposit) -> list[str]:
    claims = [name for name in deposit.files if name.startswith("source/config/claims/")]
    return [*claims, "source/data/published.csv", "source/data/statements.csv"]


def table_node(deposit: Deposit, results: Path, table: str, cell_code: Callable[[str, str], str]) -> str:
    """Make the node of a table with those of its cells; its name.

    Args:
        deposit: with the files of the results.
        results: folder of the results.
        table: its name.
        cell_code: gives the node of the code of a cell, from the experiment's module and the table's member.

    Raises:
        InputError: a cell that other code has made.
    """
    made = read_json(results / f"provenance/{table}.json")
    facts = read_json(results / f"tables/{table}.json")
    data = [_data(deposit, fact) for fact in facts["traces"]]
    files = [f"results/tables/{table}.csv", f"results/tables/{table}.json", f"results/provenance/{table}.json"]
    node = deposit.take(f"table/{table}", *files)
    node.facts = {"module": made["module"], "settings": made["settings"], "standin": facts["standin"]}
    for cell, recorded in made["code"].items():
        name = cell.removesuffix(".csv")
        code = cell_code(made["module"], name.rsplit("/", 1)[1])
        if code != f"code/{recorded}":
            raise InputError("was made by other code than the source's; make the results again", file=f"cells/{cell}")
        deposit.take(f"cell/{name}", f"results/cells/{cell}").children = [code, *data]
        node.children.append(f"cell/{name}")
    return f"table/{table}"


def _data(deposit: Deposit, fact: dict[str, Any]) -> str:
    """The node of the data that cells have read: its provenance only."""
    name = f"data/{fact['name']}"
    files = [f"results/data/{fact['name']}.{kind}.json" for kind in ("csv", "json")]
    deposit.take(name, *files).facts = {"provenance": fact}
    return name


def code_node(deposit: Deposit, modules: Iterable[str], folder: str) -> str:
    """Make the node of the source files that modules import, named after their digest; its name.

    Args:
        deposit: with these files.
        modules: dotted names.
        folder: of the deposit, in which the package lies.
    """
    files = import_closure(*modules)
    name = f"code/{_digest(files)}"
    if name not in deposit.nodes:
        deposit.take(name, *(f"{folder}/{file}" for file in files))
    return name


def figure_nodes(deposit: Deposit, described: Path, notebooks: Path, code: Callable[[list[str]], str]) -> Iterator[str]:
    """Make the nodes of the figures that were drawn; their names.

    Args:
        deposit: with the files of the results, and of the source in `source/notebooks/figures`.
        described: the file that describes the figures.
        notebooks: folder of their notebooks.
        code: gives the node of the code that modules import.
    """
    about = yaml.safe_load(described.read_text(encoding="utf-8"))
    drawn = [Path(name).stem for name in deposit.files if name.startswith("results/figures/") and name.endswith(".svg")]
    for figure in sorted(drawn):
        pdf = [name for name in deposit.files if name.startswith(f"results/paper/figures/{figure}-")]
        pages = [f"results/notebooks/{figure}.{kind}" for kind in ("ipynb", "html")]
        pictures = [f"results/figures/{figure}.{kind}" for kind in ("svg", "json")]
        node = deposit.take(f"figure/{figure}", *pictures, *pages, *pdf, f"source/notebooks/figures/{figure}.ipynb")
        imported = code(["rarlib.workflow.notebooks", *notebook_modules(notebooks / f"{figure}.ipynb")])
        node.children = [imported, *(f"table/{table}" for table in about[figure]["tables"])]
        node.facts = {"title": about[figure]["title"], "parameters": _parameters(deposit, pages[0])}
        yield f"figure/{figure}"


def _parameters(deposit: Deposit, notebook: str) -> dict[str, Any]:
    """Values that papermill gave an executed notebook."""
    content = json.loads(deposit.files[notebook].data)
    return dict(content["metadata"].get("papermill", {}).get("parameters", {}))
