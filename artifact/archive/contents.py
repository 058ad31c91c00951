"""What a deposit holds, and how its parts rest on each other.

results/   ledger, tables, cells, figures, executed notebooks, report, provenance of the data (never the data)
source/    the files of the commit
claims.json: what the verifier needs; verify.py; documents at the top
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from artifact.archive.documents import documents
from artifact.archive.source import Commit
from artifact.archive.swhid import SourceFile
from artifact.archive.tree import ROOT_NODE, Node, digest_of, tree_as_json
from artifact.ledger.claims import read_claims
from artifact.ledger.published import read_listed
from artifact.run.closure import cell_modules, files_digest, import_closure, notebook_modules
from artifact.run.commit import TREE_FILE
from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT

_RESULT_FILES = (
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
    "report/*.html",
)
"""Files of a results folder that a deposit holds: of the data only where they come from."""

PROGRAMS = ("verify.py", "verify_claims.py", "verify_arena.py")
"""Files of `workflow/archive/` that lie at the top of the deposit."""


_OF_A_CLAIM = ("statement", "formula", "direction", "tolerance", "select", "as_stated", "role", "trivial", "same_as")
"""What the verifier needs of a claim."""


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


def collect(source: Commit, edition: str, results: Path) -> Deposit:
    """Gather files and nodes of a deposit; `finish` completes it.

    `source`: the commit that is checked out; `edition`: which configuration made the results.

    Raises:
        InputError: results that are missing or were made by other code than the source's.
    """
    deposit = Deposit({f"source/{name}": file for name, file in source.files.items()})
    _add_results(deposit, results)
    deposit.files |= documents(source, edition)
    for name in PROGRAMS:
        deposit.files[name] = SourceFile((ROOT / "workflow/archive" / name).read_bytes())
    made = [path.stem for path in sorted((results / "provenance").glob("*.json"))]
    deposit.files["claims.json"] = SourceFile(claims_as_json(ROOT / "data", ROOT / "config/claims"))
    tables = [_table_node(deposit, results, table) for table in made]
    figures = list(_figure_nodes(deposit))
    lists = [name for name in deposit.files if name.startswith("source/config/claims/")]
    lists += ["source/data/published.csv", "source/data/statements.csv"]
    deposit.take("claims", "claims.json", "results/claims.csv", *lists)
    deposit.nodes["claims"].children = tables
    facts: dict[str, Any] = {"commit": source.commit, "day": source.day, "directory": source.directory}
    facts["executable"] = sorted(f"source/{name}" for name, file in source.files.items() if file.executable)
    deposit.nodes[ROOT_NODE] = Node(children=[*figures, "claims"], facts=facts)
    return deposit


def claims_as_json(data: Path, claims: Path) -> bytes:
    """The claims by id, their defaults merged, as JSON, so that the verifier needs no reader of YAML."""
    entries: dict[str, dict[str, Any]] = {}
    for name, claim in read_claims(claims, set(read_listed(data)["id"])).items():
        proof = claim.impossible.formula if claim.impossible else None
        entries[name] = {key: getattr(claim, key) for key in _OF_A_CLAIM} | {"proof": proof}
    return (json.dumps({"claims": entries}, indent=1) + "\n").encode()


def _add_results(deposit: Deposit, results: Path) -> None:
    for path in sorted(path for pattern in _RESULT_FILES for path in results.glob(pattern)):
        if not path.name.endswith(".failed.ipynb"):
            deposit.files[f"results/{path.relative_to(results).as_posix()}"] = SourceFile(path.read_bytes())
    for name in ("claims.csv", "report.html", "manifest.json"):
        if f"results/{name}" not in deposit.files:
            raise InputError("is not there; make the results first (make reproduce)", file=results / name)


def _table_node(deposit: Deposit, results: Path, table: str) -> str:
    """Make the node of a table with those of its cells; its name."""
    made = read_json(results / f"provenance/{table}.json")
    facts = read_json(results / f"tables/{table}.json")
    data = [_data(deposit, fact) for fact in facts["traces"]]
    files = [f"results/tables/{table}.csv", f"results/tables/{table}.json", f"results/provenance/{table}.json"]
    node = deposit.take(f"table/{table}", *files)
    node.facts = {"module": made["module"], "settings": made["settings"], "standin": facts["standin"]}
    for cell, recorded in made["code"].items():
        name = cell.removesuffix(".csv")
        code = _code_node(deposit, cell_modules(made["module"], name.rsplit("/", 1)[1]))
        if code != f"code/{recorded}":
            rule = "was made by other code than the source's; make it again, or remove it if no table reads it any more"
            raise InputError(rule, file=f"cells/{cell}")
        deposit.take(f"cell/{name}", f"results/cells/{cell}").children = [code, *data]
        node.children.append(f"cell/{name}")
    return f"table/{table}"


def _data(deposit: Deposit, fact: dict[str, Any]) -> str:
    """The node of the data that cells have read: its provenance only."""
    name = f"data/{fact['name']}"
    files = [f"results/data/{fact['name']}.{kind}.json" for kind in ("csv", "json")]
    deposit.take(name, *files).facts = {"provenance": fact}
    return name


def _code_node(deposit: Deposit, modules: Iterable[str]) -> str:
    """Make the node of the source files that modules import, named after their digest; its name."""
    files = import_closure(*modules)
    name = f"code/{files_digest(files)}"
    if name not in deposit.nodes:
        deposit.take(name, *(f"source/{file}" for file in files))
    return name


def _figure_nodes(deposit: Deposit) -> Iterator[str]:
    """Make the nodes of the figures that were drawn; their names."""
    about = yaml_file(ROOT / "workflow/report/figures.yaml")
    drawn = [Path(name).stem for name in deposit.files if name.startswith("results/figures/") and name.endswith(".svg")]
    for figure in sorted(drawn):
        pdf = [name for name in deposit.files if name == f"results/paper/figures/{figure}.pdf"]
        pages = [f"results/notebooks/{figure}.{kind}" for kind in ("ipynb", "html")]
        pictures = [f"results/figures/{figure}.{kind}" for kind in ("svg", "json")]
        node = deposit.take(f"figure/{figure}", *pictures, *pages, *pdf, f"source/notebooks/figures/{figure}.ipynb")
        notebook = ROOT / f"notebooks/figures/{figure}.ipynb"
        imported = _code_node(deposit, ["artifact.run.notebooks", *notebook_modules(notebook)])
        node.children = [imported, *(f"table/{table}" for table in about[figure]["tables"])]
        known = json.loads(deposit.files[pages[0]].data)["metadata"].get("papermill", {})
        node.facts = {"title": about[figure]["title"], "parameters": known.get("parameters", {})}
        yield f"figure/{figure}"
