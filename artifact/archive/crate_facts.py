"""What the RO-Crate says of each figure: notebook, parameters, tables, cells, code, data, times, software."""

import json
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from artifact.archive.contents import Deposit
from artifact.archive.documents import configuration_files, deposit_name
from artifact.archive.source import Commit
from artifact.archive.tree import digest_of
from artifact.paper.citations import ARTIFACT, references
from artifact.report.sources import sources_of
from rarlib import __version__

_SOFTWARE = ("ipykernel", "matplotlib", "numba", "numpy", "ortools", "pandas", "papermill", "scipy", "snakemake")


def crate_facts(source: Commit, edition: str, deposit: Deposit) -> dict[str, Any]:
    """Facts for `workflow/archive/crate.py`, as JSON holds them."""
    citation = references()[ARTIFACT]
    top = [name for name in deposit.files if "/" not in name]
    return {
        "name": f"{citation['title']} ({deposit_name(edition)})",
        "abstract": citation["abstract"],
        "author": citation["authors"][0]["name"],
        "workflow": {"file": "source/Snakefile", "name": "rarlib's pipeline", "version": __version__},
        "licence": {
            "id": "https://spdx.org/licenses/MIT",
            "name": "MIT License",
            "description": "Permissive licence",
        },
        "configuration": configuration_files(edition),
        "url": f"https://archive.softwareheritage.org/{source.directory}",
        "day": source.day,
        "moment": _moment(datetime.fromtimestamp(source.seconds, UTC).isoformat()),
        "commit": source.commit,
        "directory": source.directory,
        "snakemake": version("snakemake"),
        "software": {name: version(name) for name in _SOFTWARE},
        "files": {
            name: {"bytes": len(file.data), "sha256": digest_of(file.data)} for name, file in deposit.files.items()
        },
        "described": sorted([*top, "results/report.html", "source/requirements.lock"]),
        "figures": {
            name.removeprefix("figure/"): _figure(deposit, name.removeprefix("figure/"))
            for name in sorted(deposit.nodes)
            if name.startswith("figure/")
        },
    }


def _figure(deposit: Deposit, name: str) -> dict[str, Any]:
    node = deposit.nodes[f"figure/{name}"]
    tables = [child for child in node.children if child.startswith("table/")]
    cells = [cell for table in tables for cell in deposit.nodes[table].children]
    data = dict.fromkeys(child for cell in cells for child in deposit.nodes[cell].children if child.startswith("data/"))
    (code,) = (child for child in node.children if child.startswith("code/"))
    notebook = json.loads(deposit.files[f"results/notebooks/{name}.ipynb"].data)
    times = notebook["metadata"]["papermill"]
    pages = [file for file in node.files if file.startswith("results/")]
    return {
        "title": node.facts["title"],
        "notebook": f"source/notebooks/figures/{name}.ipynb",
        "parameters": {key: json.dumps(value) for key, value in node.facts["parameters"].items()},
        "tables": [file for table in tables for file in sorted(deposit.nodes[table].files) if file.endswith(".csv")],
        "cells": [file for cell in cells for file in sorted(deposit.nodes[cell].files)],
        "code": code.removeprefix("code/"),
        "data": [source for each in data for source in _sources(deposit.nodes[each].facts["provenance"])],
        "started": _moment(times["start_time"]),
        "ended": _moment(times["end_time"]),
        "results": sorted(pages),
    }


def _moment(text: str) -> str:
    """A time of papermill (UTC) in the form that the profile asks for."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).isoformat(timespec="milliseconds")


def _sources(fact: dict[str, Any]) -> list[dict[str, str]]:
    """Recorded files and stand-ins behind the data, with their digests."""
    return [
        {"name": source.name, "description": f"{source.kind}, {source.rows}".rstrip(", "), "identifier": source.digest}
        for source in sources_of([fact])
    ]
