"""The results of the project as the subject of a deposit."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from artifact.archive.contents import RESULT_FILES, Deposit, Subject, code_node
from artifact.archive.documents import configuration_files, deposit_name, documents
from artifact.archive.source import Commit
from artifact.paper.citations import ARTIFACT, references
from artifact.run.closure import cell_modules
from rarlib import __version__


@dataclass(frozen=True)
class ProjectSubject(Subject):
    """The project.

    Attributes:
        edition: which configuration made the results.
    """

    edition: str

    def code(self, deposit: Deposit, modules: Sequence[str]) -> str:
        """As in the base class: files of the commit."""
        return code_node(deposit, modules, "source")

    def cell_code(self, deposit: Deposit, module: str, member: str) -> str:
        """As in the base class: files of the commit."""
        return code_node(deposit, cell_modules(module, member), "source")

    def crate(self, deposit: Deposit) -> dict[str, Any]:
        """As in the base class."""
        citation = references()[ARTIFACT]
        return {
            "name": f"{citation['title']} ({self.name})",
            "abstract": citation["abstract"],
            "author": citation["authors"][0]["name"],
            "workflow": {"file": "source/Snakefile", "name": "rarlib's pipeline", "version": __version__},
            "licence": {
                "id": "https://spdx.org/licenses/MIT",
                "name": "MIT License",
                "description": "Permissive licence",
            },
            "configuration": configuration_files(self.edition),
        }


def project_subject(root: Path, source: Commit, edition: str) -> ProjectSubject:
    """The results of the project that a configuration has made."""
    return ProjectSubject(
        name=deposit_name(edition),
        source=source,
        folder=root,
        lists=root,
        listed="source",
        patterns=RESULT_FILES,
        command="make reproduce",
        documents=documents(source, edition),
        facts={},
        described=("results/report.html", "source/requirements.lock"),
        edition=edition,
    )
