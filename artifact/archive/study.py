"""The results of a study as the subject of a deposit.

results/   as in the deposit of the project, with the paper and its parts
source/    the files of the study
code/      the files of rarlib and of installed packages that cells and figures were made by
environment.txt: every installed package
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from artifact.archive.contents import RESULT_FILES, Deposit, Subject, code_node
from artifact.archive.source import Commit
from artifact.archive.study_documents import study_citation, study_documents
from artifact.archive.swhid import SourceFile, directory_id
from artifact.archive.tree import digest_of
from artifact.run.closure import cell_modules, import_closure
from artifact.run.commit import commit_in_words
from artifact.study.code import outside_files
from artifact.study.document import PAIRS, RUNS, STUDY_FILE, Study
from rarlib import __version__
from rarlib.model.project import DERIVED, ROOT

_PAPER_FILES = (
    "paper.pdf",
    "paper/*.tex",
    "paper/*.bib",
    "paper/*/*.tex",
    "looks/*.json",
    f"{DERIVED}/**/*.*",
)
_LICENCE = {
    "id": "#licence",
    "name": "as the file LICENSE and CITATION.cff state",
    "description": "Licence of the study; nobody else may use it if it states none",
}


@dataclass(frozen=True)
class StudySubject(Subject):
    """A study.

    Attributes:
        study: what it states; the environment variable `rarlib.model.project.STUDY` names what was derived from it.
    """

    study: Study

    def code(self, deposit: Deposit, modules: Sequence[str]) -> str:
        """As in the base class: files of rarlib, which are taken into the deposit."""
        for file in import_closure(*modules):
            deposit.files[f"code/{file}"] = SourceFile((ROOT / file).read_bytes())
        return code_node(deposit, modules, "code")

    def cell_code(self, deposit: Deposit, module: str, member: str) -> str:
        """As in the base class; named as the pipeline records it: rarlib's digest, then files outside of it."""
        entrant = self.study.entrants[member]
        own = self.code(deposit, cell_modules(module, entrant.scheduler))
        outside = {}
        for name, path in outside_files(self.study, member).items():
            place = f"source/{name}" if name == entrant.file else f"code/{name}"
            outside[place] = deposit.files.setdefault(place, SourceFile(path.read_bytes()))
        if not outside:
            return own
        lines = sorted(f"{place.partition('/')[2]} {digest_of(file.data)}" for place, file in outside.items())
        name = " ".join([own, *lines])
        node = deposit.take(name, *deposit.nodes[own].files, *outside)
        node.facts = {"outside": sorted(outside)}
        return name

    def table_facts(self, table: str) -> dict[str, Any]:
        """The table of ratios does not join cells: it follows from the table of runs and the statements."""
        if table != f"{self.study.name}-{PAIRS}":
            return {}
        statements = [[*each[:-1], list(each.sources)] for each in self.study.statements]
        return {"runs": f"{self.study.name}-{RUNS}", "statements": statements}

    def crate(self, deposit: Deposit) -> dict[str, Any]:
        """As in the base class."""
        citation = study_citation(self.study, self.source)
        code = {name: file for name, file in deposit.files.items() if name.startswith("code/")}
        engine = {
            "name": "rarlib",
            "softwareVersion": __version__,
            "description": commit_in_words(ROOT),
            "url": f"https://archive.softwareheritage.org/{directory_id(code)}",
        }
        labels = ", ".join(each.label for each in self.study.entrants.values())
        version = self.source.directory
        return {
            "name": str(citation["title"]),
            "abstract": f"Schedulers compared by simulation: {labels}",
            "author": ", ".join(_author(each) for each in citation["authors"]),
            "workflow": {"file": "source/Snakefile", "name": f"Rules of {self.study.name}", "version": version},
            "licence": _LICENCE,
            "configuration": [f"source/{STUDY_FILE}"],
            "engine": engine,
        }


def study_subject(study: Study, source: Commit, results: Path) -> StudySubject:
    """The results of a study."""
    return StudySubject(
        name=study.name,
        source=source,
        folder=study.folder,
        lists=results / DERIVED,
        listed=f"results/{DERIVED}",
        patterns=(*RESULT_FILES, *_PAPER_FILES),
        command="snakemake",
        documents=study_documents(study, source),
        facts={"rarlib": __version__, "code": commit_in_words(ROOT)},
        described=("results/paper.pdf", "results/report.html"),
        study=study,
    )


def _author(entry: Any) -> str:
    known = entry if isinstance(entry, dict) else {"name": entry}
    return str(known.get("name") or " ".join(str(known[k]) for k in ("given-names", "family-names") if k in known))
