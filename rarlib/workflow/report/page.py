"""The report: one offline HTML page made from a results folder, the ledger first.

The same results give the same bytes, except for the section on costs, which shows measured times.
"""

import json
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

import rarlib
from rarlib.declared import ROOT
from rarlib.discovery import labels
from rarlib.evidence import ledger as ledgers
from rarlib.evidence.answers import ANSWERS, IN_READING
from rarlib.evidence.published import OWN
from rarlib.evidence.robust import WORDS
from rarlib.evidence.verdicts import VERDICTS
from rarlib.model.files import write_text
from rarlib.plot.style import Look, introduce, known_looks
from rarlib.workflow.costs import measured
from rarlib.workflow.report.figures import Section, anchor, check_figures, notebooks_of, sections
from rarlib.workflow.report.labels import ExplainedLabels, explained
from rarlib.workflow.report.references import read_citation
from rarlib.workflow.report.summaries import Summary, summarise
from rarlib.workflow.report.tutorials import tutorials
from rarlib.workflow.settings import recorded_remarks

TEMPLATES = ROOT / "workflow" / "report"
_SOFTWARE = ("numpy", "pandas", "scipy", "numba", "ortools", "matplotlib", "snakemake")
_SENTENCES, _NUMBER = re.compile(r"(?<=\.) "), re.compile(r"[0-9]")
_LONG = 50
"""Characters; a longer sentence that occurs earlier need not be printed again."""


def write_report(
    results: Path, names: Sequence[str], explaining: Sequence[str], instances: Mapping[str, int], path: Path
) -> None:
    """Write the report of a results folder.

    Args:
        results: holds `claims.csv`, `readings.csv`, `manifest.json`, `figures/`, `tables/` and `benchmarks/`.
        names: figures that belong to the run; others in the folder are left out.
        explaining: names of the tutorial notebooks, which become pages beside the report.
        instances: number of random instances per point, by experiment.
        path: file of the page.

    Raises:
        InputError: for a missing file or an entry of `figures.yaml` that is not complete.
    """
    write_text(path, render("report.html.j2", page_content(results, names, explaining, instances)))


def page_content(
    results: Path, names: Sequence[str], explaining: Sequence[str], instances: Mapping[str, int]
) -> dict[str, Any]:
    """Everything that the template of the report shows."""
    introduce(labels())
    given = yaml.safe_load((TEMPLATES / "report.yaml").read_text(encoding="utf-8"))
    listed = yaml.safe_load((TEMPLATES / "figures.yaml").read_text(encoding="utf-8"))
    check_figures(listed, TEMPLATES / "figures.yaml")
    shown = sections(results, listed, names, given["sections"])
    tables = {table: summarise(results / "tables" / f"{table}.csv") for part in shown for table in part.tables}
    artifact, papers = read_citation(ROOT / "CITATION.cff")
    ledger = ledgers.read_ledger(results / "claims.csv")
    readings = pd.read_csv(results / "readings.csv", dtype=str, keep_default_na=False).to_dict("records")
    return {
        "title": given["title"],
        "lead": given["lead"],
        "version": rarlib.__version__,
        "instances": dict(instances),
        "apart": recorded_remarks(results),
        "left_out": _left_out(results),
        "claims": _claims(ledger, notebooks_of(shown)),
        "counts": _counts(ledger),
        "answered": _answered(ledger),
        "answers": [(answer, anchor(answer)) for answer in ANSWERS],
        "readings": readings,
        "says": {(row["paper"], row["reading"]): row["says"] for row in readings},
        "labels": {section.anchor: _labels(section, tables, readings) for section in shown},
        "verdicts": [(verdict, anchor(verdict)) for verdict in VERDICTS],
        "sections": shown,
        "tables": tables,
        "tutorials": tutorials(explaining),
        "at": _places(shown),
        "looks": _looks(tables),
        "sources": _sources(shown),
        "costs": _costs(results),
        "software": {"Python": platform.python_version(), **{name: version(name) for name in _SOFTWARE}},
        "limits": given["limits"],
        "artifact": artifact,
        "papers": papers,
    }


def render(template: str, facts: Mapping[str, Any]) -> str:
    """Fill a template of workflow/report; a name that it uses and `facts` lacks is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(facts)


def _left_out(results: Path) -> dict[str, list[str]]:
    """Schedulers that failed, by the table that lacks them."""
    facts = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("tables/*.json"))}
    return {table: each["left_out"] for table, each in facts.items() if each.get("left_out")}


def _labels(section: Section, tables: Mapping[str, Summary], readings: Sequence[Mapping[Any, str]]) -> ExplainedLabels:
    used = [tables[name] for name in section.tables]
    says = {row["reading"]: row["says"] for row in readings if row["paper"] in section.cite}
    return explained(
        [label for table in used for label in table.setups],
        [label for table in used for label in table.readings],
        section.labels,
        says,
    )


def _claims(ledger: pd.DataFrame, notebooks: Mapping[str, str]) -> list[dict[str, Any]]:
    given = first_given(list(ledger[["published", "reason"]].itertuples(index=False, name=None)))
    rows = [_claim(row) | {"told": parts} for row, parts in zip(ledger.to_dict("records"), given, strict=True)]
    return [
        row | {"notebooks": list(dict.fromkeys(notebooks[name] for name in row["tables"] if name in notebooks))}
        for row in rows
    ]


def first_given(reasons: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Reasons split into parts, so that a printed page need not repeat long ones.

    Args:
        reasons: id and reason of each claim.

    Returns:
        For each claim its parts: text, and the id of an earlier claim that already gives it, or an empty string.
    """
    seen: dict[str, str] = {}
    found = []
    for name, reason in reasons:
        parts: list[tuple[str, str]] = []
        for position, sentence in enumerate(_SENTENCES.split(reason)):
            # The first sentence gives measured numbers; two claims share these only by chance.
            fixed = len(sentence) > _LONG and (position > 0 or not _NUMBER.search(sentence))
            first = seen.setdefault(sentence, name) if fixed else name
            first = "" if first == name else first
            if parts and parts[-1][1] == first:
                parts[-1] = (f"{parts[-1][0]} {sentence}", first)
            else:
                parts.append((sentence, first))
        found.append(parts)
    return found


def _claim(row: Mapping[Any, str]) -> dict[str, Any]:
    return {
        **row,
        "id": row["published"],
        "kind": anchor(row["verdict"]),
        "rank": VERDICTS.index(row["verdict"]),
        "ours": " ± ".join(f"{float(row[name]):.4g}" for name in ("ours", "spread") if row[name]),
        "number": row["ours"],
        "answer_kind": anchor(row["answer"]) if row["answer"] else "",
        "shows_reading": row["answer"] == IN_READING,
        "in_reading": f"{float(row['ours_in_it']):.4g}" if row["ours_in_it"] else "holds",
        "arena": next((word for word in WORDS if row["robustness"].startswith(word)), ""),
        "standin": row["standin"] == "True",
        "apart": row["not_headline"],
        "tables": [Path(file).stem for file in row["evidence"].split()],
    }


def _counts(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    table = ledgers.counts(ledger)
    rows = []
    for paper, row in table.iterrows():
        own = ledger if paper == "all" else ledger[ledger["paper"] == paper]
        cells = [(verdict, anchor(verdict), int(row[verdict])) for verdict in VERDICTS]
        once = own[(own["same_as"] == "") & (own["standin"] == "True")]
        made_up = once["verdict"].value_counts().to_dict()
        facts = {"standin": int((own["standin"] == "True").sum()), "own": int((own["trust"] == OWN).sum())}
        rows.append({"paper": str(paper), "cells": cells, "sum": int(row.sum()), "made_up": made_up, **facts})
    return rows


def _answered(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    table = ledgers.answer_counts(ledger)
    return [
        {
            "paper": str(paper),
            "cells": [(answer, anchor(answer), int(row[answer])) for answer in ANSWERS],
            "sum": int(row.sum()),
        }
        for paper, row in table.iterrows()
    ]


def _places(shown: Sequence[Section]) -> dict[str, str]:
    """Anchor of the section that shows each table: the first section that uses it."""
    places: dict[str, str] = {}
    for section in shown:
        for table in section.tables:
            places.setdefault(table, section.anchor)
    return places


def _looks(tables: Mapping[str, Summary]) -> list[Look]:
    seen = {member.label for table in tables.values() for member in table.members if member.colour}
    return [entry for entry in known_looks().values() if entry.label in seen]


def _sources(shown: Sequence[Section]) -> list[dict[str, Any]]:
    used: dict[Any, list[str]] = {}
    for figure in (figure for section in shown for figure in section.figures):
        for source in figure.sources:
            used.setdefault(source, []).append(figure.name)
    return [{"source": source, "figures": figures} for source, figures in used.items()]


def _costs(results: Path) -> list[dict[str, Any]]:
    """Jobs, seconds and memory by rule, most expensive first; without the report, whose record is of an earlier run."""
    jobs = measured(results)
    jobs = jobs[jobs["rule"] != "report"]
    rows = []
    for rule, own in jobs.groupby("rule"):
        longest = own.iloc[int(own["s"].to_numpy().argmax())]
        rows.append(
            {
                "rule": str(rule),
                "jobs": len(own),
                "s": float(own["s"].sum()),
                "longest_s": float(longest["s"]),
                "longest": str(longest["job"]),
                "mb": float(own["MB"].max()),
            }
        )
    return sorted(rows, key=lambda row: -row["s"])
