"""The report: one offline HTML page made from a results folder: counts by paper, figures, the ledger.

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
import yaml
from markupsafe import Markup, escape

import rarlib
from artifact.ledger import ledger as ledgers
from artifact.ledger.findings import findings
from artifact.ledger.laws import ACCEPTED_LAWS, read_laws
from artifact.ledger.published import OWN
from artifact.report.agreement import agreement_svg
from artifact.report.claim_rows import claim_rows, claims_of
from artifact.report.figures import Section, check_figures, embedded, sections
from artifact.report.labels import ExplainedLabels, explained
from artifact.report.measured_rows import measured_content
from artifact.report.references import read_citation
from artifact.report.slurm_rows import slurm_content
from artifact.report.summaries import Summary, summarise
from artifact.report.tutorials import tutorials
from artifact.report.verdict_counts import section_for, verdicts_by_paper
from artifact.run.costs import measured_costs
from artifact.run.settings import recorded_remarks
from rarlib.discovery import scheduler_labels
from rarlib.model.files import write_text
from rarlib.model.project import ROOT, STUDY, placed_file
from rarlib.plot.style import Look, introduce, known_looks

TEMPLATES = ROOT / "workflow" / "report"
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SOFTWARE = ("numpy", "pandas", "scipy", "numba", "ortools", "matplotlib", "snakemake")


def write_report(
    results: Path,
    names: Sequence[str],
    explaining: Sequence[str],
    instances: Mapping[str, int],
    commit: str,
    path: Path,
) -> None:
    """Write the report of a results folder.

    Args:
        results: holds `claims.csv`, `manifest.json`, `figures/`, `tables/` and `benchmarks/`.
        names: figures that belong to the run; others in the folder are left out.
        explaining: names of the tutorial notebooks, which become pages beside the report.
        instances: number of random instances per point, by experiment.
        commit: what the results are made from, in words.
        path: file of the page.

    Raises:
        InputError: for a missing file or an entry of `figures.yaml` that is not complete.
    """
    write_text(path, render("report.html.j2", page_content(results, names, explaining, instances, commit)))


def page_content(
    results: Path, names: Sequence[str], explaining: Sequence[str], instances: Mapping[str, int], commit: str
) -> dict[str, Any]:
    """Everything that the template of the report shows."""
    introduce(scheduler_labels())
    given = yaml.safe_load(placed_file("workflow/report/report.yaml").read_text(encoding="utf-8"))
    figures = placed_file("workflow/report/figures.yaml")
    listed = yaml.safe_load(figures.read_text(encoding="utf-8"))
    check_figures(listed, figures)
    shown = sections(results, listed, names, given["sections"])
    tables = {table: summarise(results / "tables" / f"{table}.csv") for part in shown for table in part.tables}
    artifact, papers = read_citation(ROOT / "CITATION.cff")
    ledger = ledgers.read_ledger(results / "claims.csv")
    claims = claim_rows(ledger, shown, tables, placed_file("config/claims"), read_laws(ROOT / ACCEPTED_LAWS))
    return {
        "title": given["title"],
        "lead": given["lead"],
        "version": rarlib.__version__,
        "instances": dict(instances),
        "apart": recorded_remarks(results),
        "left_out": _left_out(results),
        "commit": commit,
        "claims": claims,
        "claims_of": {figure.name: claims_of(figure, claims) for section in shown for figure in section.figures},
        "counts": verdicts_by_paper(ledger, shown),
        "found": _found(ledger, shown),
        "agreements": _agreements(ledger, shown),
        "of_papers": bool((ledger["trust"] != OWN).any()),
        "roles": list(dict.fromkeys(ledger["role"])),
        **project_content(results),
        "labels": {section.anchor: _labels(section, tables) for section in shown},
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


def _found(ledger: pd.DataFrame, shown: Sequence[Section]) -> dict[str, Markup]:
    """What came out of a paper, by the anchor of its section."""
    placed = {one.text: section_for(one.paper, shown) for one in findings(ledger)}
    return {part.anchor: Markup(_BOLD.sub(r"<b>\1</b>", str(escape(text)))) for text, part in placed.items() if part}


def _agreements(ledger: pd.DataFrame, shown: Sequence[Section]) -> dict[str, str]:
    """Address of the picture of published numbers against ours, by the anchor of the paper's section."""
    papers = ledger[ledger["trust"] != OWN].groupby("paper", sort=False)
    placed = ((section_for(str(paper), shown), agreement_svg(rows)) for paper, rows in papers)
    return {part.anchor: embedded(svg) for part, svg in placed if part and svg}


def project_content(results: Path) -> dict[str, Any]:
    """What the report shows beside the claims; the report of a study does not."""
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
