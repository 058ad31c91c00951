"""The references of CITATION.cff as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarlib.model.plain_yaml import yaml_file

_FEW = 3


@dataclass(frozen=True)
class Reference:
    """One reference."""

    key: str
    authors: str
    title: str
    venue: str
    year: str
    link: str


def read_citation(path: Path) -> tuple[Reference, dict[str, Reference]]:
    """The artifact itself, and the papers by the key that schedulers and sections name."""
    content = yaml_file(path)
    papers = [_reference(entry) for entry in content["references"]]
    return _reference(content), {paper.key: paper for paper in papers}


def _reference(entry: Mapping[str, Any]) -> Reference:
    names = [author.get("family-names") or author["name"] for author in entry["authors"]]
    doi = entry.get("doi")
    return Reference(
        key=str(entry.get("notes", "")).removeprefix("key: "),
        authors=", ".join(names) if len(names) <= _FEW else f"{names[0]} et al.",
        title=entry["title"],
        venue=entry.get("collection-title", ""),
        year=str(entry.get("year", "")),
        link=f"https://doi.org/{doi}" if doi else entry.get("url", ""),
    )
