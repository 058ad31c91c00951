"""Build the deposit of a study: its folder and a zip archive."""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rarlib import __version__
from rarlib.archive.build import CRATE_PYTHON, crate_python, finish_with_crate, write_deposit
from rarlib.archive.contents import Deposit
from rarlib.archive.crate_facts import described_deposit
from rarlib.archive.packing import as_zip
from rarlib.archive.source import Commit
from rarlib.archive.study_contents import collect_study
from rarlib.archive.study_documents import missing_terms, study_citation, study_documents
from rarlib.archive.study_source import read_study_source
from rarlib.archive.swhid import directory_id
from rarlib.model.errors import InputError
from rarlib.model.extras import advice
from rarlib.model.files import written
from rarlib.model.project import ROOT
from rarlib.study.document import STUDY_FILE, Study
from rarlib.workflow.commit import commit_in_words

_CRATE_LICENCE = {
    "id": "#licence",
    "name": "as the file LICENSE and CITATION.cff state",
    "description": "Licence of the study; nobody else may use it if it states none",
}


def build_study_deposit(study: Study, results: Path, folder: Path) -> list[str]:
    """Write the deposit's folder and `.zip`, both named after the study; what to say about it, by lines.

    The same files of the study, results, packages and rarlib give the same bytes.

    Args:
        study: the study.
        results: folder that a whole run has filled.
        folder: where to write.

    Raises:
        InputError: as `read_study_source`, `collect_study` and `study_documents`, or no package rocrate.
    """
    python = _crate_python()
    source = read_study_source(study.folder)
    deposit = collect_study(study, results, source)
    deposit.files |= study_documents(study, source)
    finish_with_crate(deposit, study_crate_facts(study, deposit, source), python)
    write_deposit(deposit, folder / study.name)
    packed = folder / f"{study.name}.zip"
    with written(packed) as part:
        part.write_bytes(as_zip(deposit.files, study.name, source.seconds))
    root = json.loads(deposit.files["tree.json"].data)["root"]
    return [
        f"{packed}: {len(deposit.files)} files, root digest {root}",
        *(f"before you publish it: {line}" for line in missing_terms(study_citation(study, source))),
    ]


def study_crate_facts(study: Study, deposit: Deposit, source: Commit) -> dict[str, Any]:
    """Facts for `archive/crate.py`, as JSON holds them."""
    citation = study_citation(study, source)
    code = {name: file for name, file in deposit.files.items() if name.startswith("code/")}
    engine = {
        "name": "rarlib",
        "softwareVersion": __version__,
        "description": commit_in_words(ROOT),
        "url": f"https://archive.softwareheritage.org/{directory_id(code)}",
    }
    own = {
        "name": str(citation["title"]),
        "abstract": f"Schedulers compared by simulation: {', '.join(each.label for each in study.entrants.values())}",
        "author": ", ".join(_author(each) for each in citation["authors"]),
        "workflow": {"file": "source/Snakefile", "name": f"Rules of {study.name}", "version": source.directory},
        "licence": _CRATE_LICENCE,
        "configuration": [f"source/{STUDY_FILE}"],
        "engine": engine,
    }
    return own | described_deposit(deposit, source, ["results/paper.pdf", "results/report.html"])


def _author(entry: Any) -> str:
    known = entry if isinstance(entry, dict) else {"name": entry}
    return str(known.get("name") or " ".join(str(known[k]) for k in ("given-names", "family-names") if k in known))


def _crate_python() -> Path:
    """An interpreter with the package rocrate: a named one, this one, or that of the project's own deposit."""
    if os.environ.get(CRATE_PYTHON) or not find_spec("rocrate"):
        python = crate_python(ROOT)
        if not python.is_file():
            raise InputError(advice(ImportError(name="rocrate")))
        return python
    return Path(sys.executable)
