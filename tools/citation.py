"""Metadata for archives, from CITATION.cff and data/sources.tsv: `python -m tools.citation`.

Writes codemeta.json (CodeMeta 3.0) and .zenodo.json. Whoever deposits adds the creators to the latter.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from rarlib import __version__
from rarlib.model.files import write_text
from rarlib.traces.sources import read_sources

_ROOT = Path(__file__).resolve().parents[1]
PAPERS = ("sjf-bco", "gadget", "aiturbo", "sia", "pipedream")
"""The papers whose evaluations the artifact regenerates, by their keys in CITATION.cff."""


def codemeta(root: Path) -> dict[str, Any]:
    """Content of codemeta.json."""
    citation = _citation(root)
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": citation["title"],
        "description": citation["abstract"],
        "version": __version__,
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "keywords": citation["keywords"],
        "author": [{"type": "Organization", "name": author["name"]} for author in citation["authors"]],
        "programmingLanguage": {"type": "ComputerLanguage", "name": "Python"},
        "runtimePlatform": "Python 3.11 to 3.13",
        "operatingSystem": ["Linux", "macOS"],
        "readme": "README.md",
        "softwareRequirements": "requirements.lock",
        "referencePublication": [_publication(entry) for entry in _papers(citation)],
    }


def zenodo(root: Path) -> dict[str, Any]:
    """Content of .zenodo.json: related are the papers and every file of data, which the deposit does not hold."""
    citation = _citation(root)
    papers = [_related(_link(entry), "isDerivedFrom", "publication-conferencepaper") for entry in _papers(citation)]
    data = [_related(url, "references", "dataset") for url in _data_urls()]
    return {
        "title": citation["title"],
        "description": citation["abstract"],
        "version": __version__,
        "upload_type": "software",
        "access_right": "open",
        "license": citation["license"],
        "keywords": citation["keywords"],
        "creators": [],
        "related_identifiers": [*papers, *data],
        "references": [f"{_first(entry)}: {entry['title']}. {_link(entry)}" for entry in citation["references"]],
    }


def render(content: dict[str, Any]) -> str:
    """A file's text."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _citation(root: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8")))


def _papers(citation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    by_key = {str(entry["notes"]).removeprefix("key: "): entry for entry in citation["references"]}
    return (by_key[key] for key in PAPERS)


def _publication(entry: dict[str, Any]) -> dict[str, Any]:
    authors = [
        {"type": "Person", "familyName": author["family-names"], "givenName": author["given-names"]}
        for author in entry["authors"]
    ]
    link = _link(entry)
    return {"type": "ScholarlyArticle", "id": link, "name": entry["title"], "author": authors}


def _link(entry: dict[str, Any]) -> str:
    return f"https://doi.org/{entry['doi']}" if "doi" in entry else str(entry["url"])


def _first(entry: dict[str, Any]) -> str:
    more = " et al." if len(entry["authors"]) > 1 else ""
    return f"{entry['authors'][0]['family-names']}{more} ({entry['year']})"


def _data_urls() -> list[str]:
    """Where the data are published: repositories at their commit, other files one by one, in the order listed."""
    urls = (source.url for files in read_sources().values() for source in files)
    return list(dict.fromkeys(_repository(url) for url in urls))


def _repository(url: str) -> str:
    host, _, path = url.removeprefix("https://").partition("/")
    if host != "raw.githubusercontent.com":
        return url
    owner, name, commit, _ = path.split("/", 3)
    return f"https://github.com/{owner}/{name}/tree/{commit}"


def _related(identifier: str, relation: str, kind: str) -> dict[str, str]:
    scheme = "doi" if identifier.startswith("https://doi.org/") else "url"
    return {
        "identifier": identifier.removeprefix("https://doi.org/"),
        "scheme": scheme,
        "relation": relation,
        "resource_type": kind,
    }


def main() -> None:
    """Write both files."""
    write_text(_ROOT / "codemeta.json", render(codemeta(_ROOT)))
    write_text(_ROOT / ".zenodo.json", render(zenodo(_ROOT)))


if __name__ == "__main__":
    main()
