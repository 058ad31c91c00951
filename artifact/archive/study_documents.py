"""Documents at the top of the deposit of a study: what it is, how to cite it, under which terms."""

from collections.abc import Mapping
from importlib.metadata import distributions
from typing import Any

import yaml

from artifact.archive.source import Commit
from artifact.archive.swhid import SourceFile
from artifact.paper.citations import ARTIFACT, references
from artifact.run.commit import NO_COMMIT, commit_in_words
from artifact.study.document import Study
from artifact.study.new_folder import NEW_FOLDERS
from rarlib import __version__
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

CITATION = "CITATION.cff"
UNNAMED = "TO BE NAMED"
"""Stands for authors in the citation of a new study."""

_TERMS = ("LICENSE", "LICENSE.md", "LICENSE.txt")


def study_documents(study: Study, source: Commit) -> dict[str, SourceFile]:
    """The documents by path: README.md, CITATION.cff, the packages, and the licence if the study has one."""
    citation = study_citation(study, source)
    found = {name: source.files[name] for name in _TERMS if name in source.files}
    found[CITATION] = SourceFile(yaml.safe_dump(citation, sort_keys=False, allow_unicode=True, width=120).encode())
    terms = f"The study is under {citation['license']}." if "license" in citation else "The study states no licence."
    commit = commit_in_words(ROOT)
    about = {
        "title": str(citation["title"]),
        "version": __version__,
        "code": "installed as a package" if commit == NO_COMMIT else commit,
        "commit": f"The study is commit {source.commit} ({source.day}). " if source.commit else "",
        "directory": source.directory,
        "licence": f"{terms} Files of rarlib in `code`, and the verifier, are under the MIT licence.",
    }
    text = (ROOT / "workflow/archive/study.md").read_text(encoding="utf-8")
    for key, value in about.items():
        text = text.replace(f"{{{key}}}", value)
    return found | {"README.md": SourceFile(text.encode()), "environment.txt": SourceFile(_environment())}


def study_citation(study: Study, source: Commit) -> dict[str, Any]:
    """The citation of a study, with what only a deposit knows: date, commit, identifier of the tree, and rarlib.

    A study without the file gets that of a new one.

    Raises:
        InputError: a citation that is no mapping with a title and a list of authors.
    """
    if CITATION in source.files:
        content = yaml.safe_load(source.files[CITATION].data)
    else:
        template = (NEW_FOLDERS / "study" / f"{CITATION}.template").read_text(encoding="utf-8")
        content = yaml.safe_load(template) | {"title": study.title}
    if not isinstance(content, dict) or not content.get("title") or not isinstance(content.get("authors"), list):
        raise InputError("must have a title and a list of authors", file=CITATION)
    content |= {"commit": source.commit} if source.commit else {}
    tree = {"type": "swh", "value": source.directory, "description": "The files of the study, in source/"}
    used = references()[ARTIFACT]
    engine = {"type": "software", "title": used["title"], "authors": used["authors"], "version": __version__}
    return content | {
        "date-released": source.day,
        "identifiers": [*content.get("identifiers", []), tree],
        "references": [*content.get("references", []), engine],
    }


def missing_terms(citation: Mapping[str, Any]) -> list[str]:
    """What whoever publishes the deposit has yet to state, one line each."""
    lines = []
    if any(isinstance(each, dict) and each.get("name") == UNNAMED for each in citation["authors"]):
        lines.append(f"{CITATION} names no authors yet")
    if "license" not in citation:
        lines.append(f"{CITATION} states no licence, so nobody else may use the study")
    return lines


def _environment() -> bytes:
    """Name and version of every installed package, as pip reads them."""
    found = {each.metadata["Name"]: each.version for each in distributions() if each.metadata["Name"]}
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found, key=str.lower)).encode()
