"""The files of a project, derived from `study.yaml`: what the rules of the pipeline and the report read.

They lie in a folder of the results that `rarlib.model.project.STUDY` names, at the paths that they have in the project.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artifact.ledger.published import OWN, listed_csv
from artifact.study.document import PAIRS, RUNS, JobSource, Statement, Study
from rarlib.discovery import STUDY_LABELS
from rarlib.model.files import write_text
from rarlib.traces.sources import read_sources


def write_derived(study: Study, results: str, folder: Path) -> dict[str, Any]:
    """Write the files, each only if it changes; gives the configuration."""
    config = configuration_of(study, results)
    files = {
        "config/config.yaml": _json(config),
        f"config/claims/{study.name}.yaml": _json(
            {"paper": study.name, "claims": [_claim(study, each) for each in study.statements]}
        ),
        "data/published.csv": listed_csv([]),
        "data/statements.csv": listed_csv([_listed(study, each) for each in study.statements]),
        "workflow/report/figures.yaml": _json(_figures(study)),
        "workflow/report/report.yaml": _json(_report(study)),
        "notebooks/learn/README.md": "# No tutorials\n",
        STUDY_LABELS: _json({name: each.label for name, each in study.entrants.items()}),
    }
    for place, text in files.items():
        path = folder / place
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
    return config


def configuration_of(study: Study, results: str) -> dict[str, Any]:
    """The study as a configuration of the pipeline, with one experiment."""
    cluster = next(iter(study.clusters.values()))
    members = list(study.entrants)
    listed = [name for name, source in study.sources.items() if not source.drawn and not source.file]
    section = {
        "module": "artifact.study.cells",
        "cells": {RUNS: members, PAIRS: members},
        "reads": {RUNS: listed, PAIRS: listed},
        "settings": [list(each) for each in study.settings],
        "looks": list(study.looks),
        "sources": {name: each.jobs for name, each in study.sources.items()},
        "clusters": dict(study.clusters),
        "costs": {name: dict(each) for name, each in study.costs.items()},
    }
    return {
        "results": results,
        "only": [],
        "minutes": study.minutes,
        "traces": {name: _trace(each, cluster) for name, each in study.sources.items() if not each.drawn},
        "profiles": {},
        "experiments": {study.name.replace("-", "_"): section},
    }


def _trace(source: JobSource, cluster: str) -> dict[str, Any]:
    """Settings of the rule that cleans a trace; a file of one's own is named, a listed source is found by its name."""
    known = {"limit": None, "seed": 0, "cluster": cluster}
    assert source.file or source.name in read_sources()
    return known | ({"file": source.file, "format": source.format or None} if source.file else {})


def _claim(study: Study, each: Statement) -> Mapping[str, Any]:
    select = {"setup": "pooled", "reading": each.name, "scheduler": each.better, "x": each.worse}
    formula = {"kind": "below", "table": PAIRS, "than": each.than, "looks": list(study.looks)}
    return {
        "published": each.name,
        "statement": _words(study, each),
        "formula": {**formula, "select": {**select, "metric": each.metric}},
    }


def _words(study: Study, each: Statement) -> str:
    better, worse = (study.entrants[name].label for name in (each.better, each.worse))
    part = "" if each.than == 1 else f"{each.than:g} times "
    return f"{better} has a smaller {each.metric} than {part}{worse} on {', '.join(each.sources)}"


def _listed(study: Study, each: Statement) -> list[str]:
    where = ", ".join(each.sources)
    return [each.name, study.name, where, f"{each.better} below {each.worse}", each.metric, "true", "", OWN]


def _figures(study: Study) -> dict[str, dict[str, Any]]:
    """Figures by name, as `figures.yaml` of the project has them."""
    return {
        name: {
            **{key: each[key] for key in ("title", "caption", "alt")},
            "category": study.title,
            "tables": [f"{study.name}-{table}" for table in each.get("tables", ())],
        }
        for name, each in study.figures.items()
    }


def _report(study: Study) -> dict[str, Any]:
    lead = "Made from study.yaml by one command. Every number was computed; none was typed in."
    text = "The simulator leaves out what docs/concepts.md of rarlib lists; docs/arena.md has published errors."
    limits = [{"about": "Simulation", "text": text}]
    return {"title": study.title, "lead": lead, "sections": [], "limits": limits}


def _json(content: Any) -> str:
    return json.dumps(content, indent=1) + "\n"
