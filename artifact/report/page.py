"""The report of a results folder as offline HTML: a front page, and a page of details for each paper beside it.

The same results give the same bytes, except for the section on costs, which shows measured times.
"""

import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup, escape

import rarlib
from artifact.ledger import ledger as ledgers
from artifact.ledger.findings import findings
from artifact.ledger.published import OWN
from artifact.report.agreement import agreement_svg
from artifact.report.claim_rows import claim_rows, claims_of
from artifact.report.figures import Section, check_figures, embedded, homes_of, sections
from artifact.report.labels import ExplainedLabels, explained
from artifact.report.measured_rows import measured_content
from artifact.report.references import read_citation
from artifact.report.slurm_rows import slurm_content
from artifact.report.summaries import Summary, summarise
from artifact.report.tutorials import tutorials
from artifact.report.verdict_counts import verdicts_by_paper
from artifact.run.costs import measured_costs
from artifact.run.settings import recorded_remarks
from rarlib.discovery import scheduler_labels
from rarlib.model.files import write_text
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT, STUDY, placed_file
from rarlib.plot.style import Look, introduce, known_looks

TEMPLATES = ROOT / "workflow" / "report"
_MEASURED = "Measured on real machines"
"""Category whose page has the measured ledger."""
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SOFTWARE = ("numpy", "pandas", "scipy", "numba", "ortools", "matplotlib", "snakemake")


def write_report(
    results: Path, names: Sequence[str], explaining: Sequence[str], instances: Mapping[str, int], commit: str
) -> None:
    """Write the report of a results folder: `report.html`, and the pages of details in `report/`.

    `names`: figures that belong to the run; others in the folder are left out. `explaining`: tutorial notebooks, which
    become pages beside the report. `instances`: random instances per point, by experiment. `commit`: what the results
    are made from, in words.

    Raises:
        InputError: for a missing file or an entry of `figures.yaml` that is not complete.
    """
    content = page_content(results, names, explaining, commit)
    write_text(results / "report.html", render("report.html.j2", content))
    for section in content["sections"]:
        facts = {**content, **_details(section, content, instances)}
        write_text(results / "report" / f"{section.anchor}.html", render("details.html.j2", facts))
    if content["slurm"]:
        write_text(results / "report" / "slurm.html", render("slurm.html.j2", content))


def page_content(results: Path, names: Sequence[str], explaining: Sequence[str], commit: str) -> dict[str, Any]:
    """Everything that the front page shows, and the pages of details have in common."""
    introduce(scheduler_labels())
    given = yaml_file(placed_file("workflow/report/report.yaml"))
    figures = placed_file("workflow/report/figures.yaml")
    listed = yaml_file(figures)
    check_figures(listed, figures)
    project = project_content(results)
    shown = sections(results, listed, names, given["sections"], [_MEASURED] if project["measured"] else [])
    tables = {table: summarise(results / "tables" / f"{table}.csv") for part in shown for table in part.tables}
    artifact, papers = read_citation(ROOT / "CITATION.cff")
    ledger = ledgers.read_ledger(results / "claims.csv")
    claims = claim_rows(ledger, shown, tables, placed_file("config/claims"))
    homes = homes_of(ledger["paper"].unique(), shown)
    shown += [home for home in homes.values() if home not in shown]
    return {
        "title": given["title"],
        "lead": given["lead"],
        "version": rarlib.__version__,
        "apart": recorded_remarks(results),
        "left_out": _left_out(results),
        "commit": commit,
        "sections": shown,
        "homes": homes,
        "claims": {part.anchor: [row for row in claims if homes[row["paper"]] == part] for part in shown},
        "claims_of": {figure.name: claims_of(figure, claims) for part in shown for figure in part.figures},
        "counts": verdicts_by_paper(ledger, homes),
        "found": {homes[one.paper].anchor: _bold(one.text) for one in findings(ledger)},
        "agreements": _agreements(ledger, homes),
        "of_papers": bool((ledger["trust"] != OWN).any()),
        **project,
        "labels": {part.anchor: _labels(part, tables) for part in shown},
        "tables": tables,
        "tutorials": tutorials(explaining),
        "at": _places(shown),
        "drawn": {figure.name: part.anchor for part in shown for figure in part.figures},
        "looks": _looks(tables),
        "sources": _sources(shown),
        "costs": _costs(results),
        "software": {"Python": platform.python_version(), **{name: version(name) for name in _SOFTWARE}},
        "limits": given["limits"],
        "artifact": artifact,
        "papers": papers,
    }


def _details(section: Section, content: Mapping[str, Any], instances: Mapping[str, int]) -> dict[str, Any]:
    """What a page of details shows of its own."""
    claims = content["claims"][section.anchor]
    figures = [figure for part in content["sections"] for figure in part.figures]
    ranked = sorted((row["rank"], row["kind"], row["verdict"]) for row in claims if row["verdict"])
    return {
        "section": section,
        "claims": claims,
        "own": all(row["trust"] == OWN for row in claims),
        "verdicts": {kind: word for _, kind, word in ranked},
        "answering": [figure for figure in figures if claims_of(figure, claims)],
        "instances": {
            name: seeds
            for name, seeds in instances.items()
            if any(table.startswith(f"{name}-") for table in section.tables)
        },
        "measured": content["measured"] if section.title == _MEASURED else None,
        "page": lambda anchor: "" if anchor == section.anchor else f"{anchor}.html",
    }


def _bold(text: str) -> Markup:
    return Markup(_BOLD.sub(r"<b>\1</b>", str(escape(text))))


def _agreements(ledger: pd.DataFrame, homes: Mapping[str, Section]) -> dict[str, str]:
    """Address of the picture of published numbers against ours, by the anchor of the paper's section."""
    papers = ledger[ledger["trust"] != OWN].groupby("paper", sort=False)
    drawn = {homes[str(paper)].anchor: agreement_svg(rows) for paper, rows in papers}
    return {anchor: embedded(svg) for anchor, svg in drawn.items() if svg}


def project_content(results: Path) -> dict[str, Any]:
    """What the report shows beside the claims of papers; the report of a study does not."""
    if STUDY in os.environ:
        return {"measured": None, "slurm": None}
    return {"measured": measured_content(ROOT, results), "slurm": slurm_content(ROOT)}


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


def _labels(section: Section, tables: Mapping[str, Summary]) -> ExplainedLabels:
    used = [tables[name] for name in section.tables]
    setups = [label for table in used for label in table.setups]
    return explained(setups, [label for table in used for label in table.readings], section.labels)


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
    jobs = measured_costs(results)
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
