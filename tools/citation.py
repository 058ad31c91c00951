"""Metadata for archives, from CITATION.cff and data/sources.tsv: `python -m tools.citation`.

Writes codemeta.json (CodeMeta 3.0) and .zenodo.json. Whoever deposits adds the creators to the latter.
"""

import json
import re
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
        "softwareRequirements": [_package(*line) for line in _packages(root)],
        "referencePublication": [_publication(entry) for entry in _papers(citation)],
    }


def zenodo(root: Path) -> dict[str, Any]:
    """Content of .zenodo.json: related are the papers and every file of data, which the deposit does not hold."""
    citation = _citation(root)
    papers = [_related(_link(entry), "isDerivedFrom", "publication-conferencepaper") for entry in _papers(citation)]
    data = [_related(address, "references", "dataset") for address in _data_addresses()]
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


def _packages(root: Path) -> Iterator[tuple[str, str]]:
    """Packages that requirements.in asks for, with the versions of the lock."""
    wanted = re.findall(r"^([A-Za-z0-9_.-]+)", (root / "requirements.in").read_text(encoding="utf-8"), re.MULTILINE)
    locked = dict(
        re.findall(r"^([a-z0-9_.-]+)==([^ \\\\;]+)", (root / "requirements.lock").read_text(encoding="utf-8"), re.M)
    )
    return ((name, locked[name.lower().replace("_", "-")]) for name in wanted)


def _package(name: str, version: str) -> dict[str, str]:
    about = {"type": "SoftwareSourceCode", "id": f"https://pypi.org/project/{name}/{version}/"}
    return {**about, "name": name, "version": version}


def _data_addresses() -> list[str]:
    """Where the data are published, second addresses last: places as `_place` names them, in the order listed."""
    files = [source for listed in read_sources().values() for source in listed]
    first, others = [source.url for source in files], [url for source in files for url in source.also.split()]
    return list(dict.fromkeys(_place(url) for url in [*first, *others]))


def _place(url: str) -> str:
    """A repository at its commit, a record's DOI, the lasting name of a file's content, or the address itself."""
    host, _, path = url.partition("#")[0].removeprefix("https://").partition("/")
    if host == "raw.githubusercontent.com":
        owner, name, commit, _ = path.split("/", 3)
        return f"https://github.com/{owner}/{name}/tree/{commit}"
    if host == "zenodo.org":
        return f"https://doi.org/10.5281/zenodo.{path.split('/')[1]}"
    if host == "archive.softwareheritage.org" and "/sha1_git:" in path:
        return f"swh:1:cnt:{path.split('sha1_git:')[1].split('/')[0]}"
    return f"https://{host}/{path}"


def _related(identifier: str, relation: str, kind: str) -> dict[str, str]:
    schemes = {"https://doi.org/": "doi", "swh:1:": "swh"}
    scheme = next((name for start, name in schemes.items() if identifier.startswith(start)), "url")
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
