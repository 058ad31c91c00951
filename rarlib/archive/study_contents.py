"""What the deposit of a study holds: its results and files, the code of rarlib that they rest on, and what checks it.

results/   as in the deposit of the project, with the paper and its parts
source/    the files of the study
code/      the files of rarlib and of installed packages that cells and figures were made by
environment.txt: every installed package; claims.json, settings.json, marks.json, verify.py as in that deposit
"""

from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from rarlib import __version__
from rarlib.archive.claims_as_data import claims_as_json, settings_as_json
from rarlib.archive.contents import (
    PROGRAMS,
    RESULT_FILES,
    Deposit,
    add_results,
    code_node,
    explained_marks,
    figure_nodes,
    source_facts,
    table_node,
    tables_made,
)
from rarlib.archive.source import Commit
from rarlib.archive.swhid import SourceFile
from rarlib.archive.tree import ROOT_NODE, Node, digest_of
from rarlib.model.project import CODE_ROOT, DERIVED, ROOT
from rarlib.study.code import outside_files
from rarlib.study.document import PAIRS, RUNS, Study
from rarlib.workflow.closure import cell_modules, import_closure
from rarlib.workflow.commit import commit_in_words

_PAPER_FILES = (
    "paper.pdf",
    "paper/*.tex",
    "paper/*.bib",
    "paper/*/*.tex",
    "looks/*.json",
    f"{DERIVED}/**/*.*",
)


def collect_study(study: Study, results: Path, source: Commit) -> Deposit:
    """Gather files and nodes of the deposit of a study; `Deposit.finish` completes it.

    Args:
        study: the study; the environment variable `rarlib.model.project.STUDY` names what was derived from it.
        results: folder that a whole run has filled.
        source: the files of the study.

    Raises:
        InputError: results that are missing or were made by other code.
    """
    deposit = Deposit({f"source/{name}": file for name, file in source.files.items()})
    add_results(deposit, results, (*RESULT_FILES, *_PAPER_FILES), "snakemake")
    derived = results / DERIVED
    about = derived / "workflow/report/figures.yaml"
    deposit.files["claims.json"] = SourceFile(
        claims_as_json(derived / "data", derived / "config/claims", f"results/{DERIVED}/data")
    )
    deposit.files["marks.json"] = SourceFile(explained_marks(deposit, about, results))
    deposit.files["environment.txt"] = SourceFile(_environment())
    for name in PROGRAMS:
        deposit.files[name] = SourceFile((ROOT / "archive" / name).read_bytes())
    made = tables_made(results)
    tables = [
        table_node(deposit, results, table, lambda _, member: _cell_code(deposit, study, member)) for table in made
    ]
    notebooks = study.folder / "notebooks/figures"
    figures = list(figure_nodes(deposit, about, notebooks, lambda names: _own_code(deposit, names)))
    _rest_on_runs(deposit, study)
    deposit.files["settings.json"] = SourceFile(settings_as_json(made))
    lists = sorted(name for name in deposit.files if name.startswith(f"results/{DERIVED}/"))
    top = ("claims.json", "settings.json", "results/claims.csv")
    deposit.take("claims", *top, *lists).children = tables
    facts = source_facts(deposit, source) | {"rarlib": __version__, "code": commit_in_words(ROOT)}
    deposit.nodes[ROOT_NODE] = Node(children=[*figures, "claims"], facts=facts)
    return deposit


def _rest_on_runs(deposit: Deposit, study: Study) -> None:
    """The table of ratios does not join cells: it follows from the table of runs and the statements."""
    facts: dict[str, Any] = deposit.nodes[f"table/{study.name}-{PAIRS}"].facts
    facts["runs"] = f"{study.name}-{RUNS}"
    facts["statements"] = [[*each[:-1], list(each.sources)] for each in study.statements]


def _own_code(deposit: Deposit, modules: list[str]) -> str:
    for file in import_closure(*modules):
        deposit.files[f"code/{file}"] = SourceFile((CODE_ROOT / file).read_bytes())
    return code_node(deposit, modules, "code")


def _cell_code(deposit: Deposit, study: Study, member: str) -> str:
    """The node of the code of a cell, named as the pipeline records it: rarlib's digest, then files outside of it."""
    modules = cell_modules("rarlib.study.cells", study.entrants[member].scheduler)
    own = _own_code(deposit, modules)
    outside = {}
    for name, path in outside_files(study, member).items():
        place = f"source/{name}" if name == study.entrants[member].file else f"code/{name}"
        outside[place] = deposit.files.setdefault(place, SourceFile(path.read_bytes()))
    if not outside:
        return own
    lines = sorted(f"{place.partition('/')[2]} {digest_of(file.data)}" for place, file in outside.items())
    name = " ".join([own, *lines])
    node = deposit.take(name, *deposit.nodes[own].files, *outside)
    node.facts = {"outside": sorted(outside)}
    return name


def _environment() -> bytes:
    """Name and version of every installed package, as pip reads them."""
    found = {each.metadata["Name"]: each.version for each in distributions() if each.metadata["Name"]}
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found, key=str.lower)).encode()
