"""What must be cited for a figure: the artifact, the paper, the schedulers compared, and the data; as BibTeX.

All references are in CITATION.cff. Which of them a figure needs follows from its category, from the cells of its
tables, and from the data that these read (data/sources.tsv).
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from artifact.run.commit import commit_in_words
from artifact.run.members import members
from artifact.run.settings import configuration, section_of, split
from rarlib import __version__
from rarlib.declared import scheduler_names
from rarlib.discovery import scheduler_class
from rarlib.model.errors import InputError
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT, placed_file
from rarlib.plot.latex import latex
from rarlib.traces.sources import listed_sources

ARTIFACT = "rarlib"

_CITED = re.compile(r"(?P<family>.+?) et al\., (?P<venue>\w+) (?P<year>\d{4})")


def figures() -> dict[str, dict[str, Any]]:
    """Figures by name: title, category, tables, caption, alternative text."""
    return dict(yaml_file(placed_file("workflow/report/figures.yaml")))


def references() -> dict[str, dict[str, Any]]:
    """Entries of CITATION.cff by key, the artifact's own first."""
    content = yaml_file(ROOT / "CITATION.cff")
    papers = {str(entry["notes"]).removeprefix("key: "): dict(entry) for entry in content["references"]}
    return {ARTIFACT: dict(content), **papers}


def cited_for(figure: str) -> dict[str, list[str]]:
    """What must be cited for a figure: key of the reference -> reasons.

    Raises:
        InputError: for an unknown figure, with names that are close to it.
    """
    listed = figures()
    if figure not in listed:
        close = difflib.get_close_matches(figure, listed, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(close)}?" if close else "`rarlib cite` lists them"
        raise InputError(f"no such figure; {hint}", field=figure)
    reasons: dict[str, list[str]] = {ARTIFACT: ["the artifact"]}
    known, about, config = references(), listed[figure], configuration()
    paper = str(about["category"]).partition(" (")[0].lower()
    if paper in known:
        reasons[paper] = ["the paper"]
    for table in about["tables"]:
        experiment, part = split(table, config)
        section = section_of(config, experiment)
        for member in members(section, part):
            if member in scheduler_names() and (key := scheduler_class(member).paper):
                _add(reasons, key, f"scheduler {member}")
        for source in _sources(section.get("reads", {}).get(part), config):
            for key in _papers_of(source, known):
                _add(reasons, key, f"data {_family(source)} (licence: {listed_sources()[source][0].licence})")
    return reasons


def _add(reasons: dict[str, list[str]], key: str, reason: str) -> None:
    lines = reasons.setdefault(key, [])
    if reason not in lines:
        lines.append(reason)


def _family(source: str) -> str:
    """Files of a family that differ by numbers are named once: sia-philly-2 is one of sia-philly."""
    return re.sub(r"(-[\dx.]+)+$", "", source)


def _sources(read: str | list[str] | None, config: Mapping[str, Any]) -> list[str]:
    """Sources of a trace, of several ones, or of a set of profiles."""
    if read is None:
        return []
    if isinstance(read, list):
        return read
    return [read] if read in config["traces"] else list(config["profiles"][read]["sources"])


def _papers_of(source: str, known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Keys of the papers that a source asks to cite, written there as `Jeon et al., ATC 2019`.

    Raises:
        InputError: when CITATION.cff lacks one of them.
    """
    asked = listed_sources()[source][0].citation
    found = []
    for text in asked.split("; "):
        cited = _CITED.fullmatch(text)
        keys = [
            key
            for key, entry in known.items()
            if cited
            and entry["authors"][0].get("family-names") == cited["family"]
            and str(entry.get("year")) == cited["year"]
            and cited["venue"].lower() in re.sub(r"[^a-z]", "", str(entry.get("collection-title")).lower())
        ]
        if len(keys) != 1:
            raise InputError(f"needs one reference for {text!r}", file="CITATION.cff", field=source)
        found += keys
    return found


def bibtex(keys: Iterable[str], reasons: Mapping[str, list[str]] | None = None) -> str:
    """References as BibTeX entries.

    `keys`: of CITATION.cff; `reasons`: what each is cited for, written above it.
    """
    known = references()
    return "\n\n".join(_entry(key, known[key], (reasons or {}).get(key, [])) for key in keys) + "\n"


def _entry(key: str, entry: Mapping[str, Any], reasons: list[str]) -> str:
    software = key == ARTIFACT
    fields = {
        "author": " and ".join(map(_author, entry["authors"])),
        "title": f"{{{latex(entry['title'])}}}",
        "booktitle": latex(entry.get("collection-title", "")),
        "year": str(entry.get("year") or entry.get("date-released", ""))[:4],
        "pages": f"{entry['start']}--{entry['end']}" if "start" in entry else "",
        "doi": entry.get("doi", ""),
        "url": entry.get("url", ""),
        "note": _version() if software else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    why = [f"% {'; '.join(reasons)}"] if reasons else []
    return "\n".join([*why, f"@{'misc' if software else 'inproceedings'}{{{key},", *lines, "}"])


def _version() -> str:
    """Version and, in a checkout, the commit."""
    commit = commit_in_words().partition(" of ")[0]
    return f"Version {__version__}" + (f", {commit}" if commit.startswith("commit ") else "")


def _author(author: Mapping[str, str]) -> str:
    if "name" in author:
        return f"{{{latex(author['name'])}}}"
    return f"{latex(author['family-names'])}, {latex(author['given-names'])}"
