"""A small results folder with everything a report is made of: two figures, one of them on a stand-in."""

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from nbformat import write as write_notebook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from artifact.ledger import ledger
from artifact.report.page import page_content, write_report
from artifact.run import manifest
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.plot.style import look, save, use_style
from rarlib.records.tidy import TIDY_COLUMNS, write_table

FIGURES = {"philly-jct": "philly-jct", "sjf-bco-fig4": "sjf-bco-fig4"}
"""Figure -> its table."""

TUTORIALS = ["01-one-job", "02-two-jobs-one-link"]
"""Notebooks that explain."""

INSTANCES = {"sjf-bco": 3}
COMMIT = f"commit 0123456789ab of 2026-01-31 (swh:1:dir:{'89ab' * 10})"
_SCHEDULERS = ("sjf-bco", "list-scheduling", "first-fit", "random")


def sample_results(folder, seconds=1.5):
    """Fill a folder as the pipeline would; the jobs took so many seconds each."""
    shutil.copytree(_made_once(), folder, dirs_exist_ok=True)
    for name in FIGURES:
        write_text(folder / f"logs/figure/{name}.log", f"ended well: {seconds} s, 1 CPU s, 200.5 MB\n")
    write_text(folder / "logs/claims.log", f"ended well: {2 * seconds} s, 1 CPU s, 50 MB\n")
    return folder


@cache
def _made_once():
    folder = Path(tempfile.mkdtemp(prefix="rarlib-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    use_style()
    _tables(folder)
    for name in FIGURES:
        figure = Figure(figsize=(7, 3))
        axes = figure.add_subplot()
        for position, scheduler in enumerate(_SCHEDULERS):
            axes.bar(position, position + 1, color=look(scheduler).colour)
        save(figure, folder / f"figures/{name}.svg", folder / f"figures/{name}.png", {"title": name})
        _notebook(folder / f"notebooks/{name}.ipynb")
    there = "`02-two-jobs-one-link.ipynb`, `no-such-notebook.ipynb` and [how it is done](../../docs/there.md)"
    for name in TUTORIALS:
        _notebook(folder / f"notebooks/learn/{name}.ipynb", there)
    claims = ledger.build(ROOT / "data", ROOT / "config/claims", folder / "tables")
    ledger.write_ledger(claims, folder / "claims.csv")
    manifest.write_manifest(folder, folder / "manifest.json")
    return folder


def content(folder):
    """What the folder's report shows."""
    return page_content(folder, list(FIGURES), TUTORIALS, COMMIT)


def report(folder):
    """Text of the front page and of the pages of details, by path in the folder."""
    write_report(folder, list(FIGURES), TUTORIALS, INSTANCES, COMMIT)
    pages = [folder / "report.html", *sorted((folder / "report").glob("*.html"))]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in pages}


def spoilt(folder, claims):
    """A fresh sample with other rows in its ledger."""
    sample_results(folder)
    write_text(folder / "claims.csv", claims.to_csv(index=False, lineterminator="\n"))
    return folder


def _tables(folder):
    # Published ones of SJF-BCO; the others are twice as late.
    values = {"shortest": 14, "average": 178, "makespan": 535}
    rows = [
        ("sjf-bco", "batch", "fitted", scheduler, "servers", "20", seed, metric, (1 + (i > 0)) * value + seed, "slot")
        for i, scheduler in enumerate(_SCHEDULERS)
        for metric, value in values.items()
        for seed in range(INSTANCES["sjf-bco"])
    ]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), folder / "tables/sjf-bco-fig4.csv")
    rows = [
        ("philly", "", "", scheduler, "quantile", f"{share:.4f}", 0, "completion time", 3600 * share, "s")
        for scheduler in ("fifo", "srtf")
        for share in np.linspace(0, 1, 200)
    ]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), folder / "tables/philly-jct.csv")
    trace = {"name": "philly-pollux", "sha256": "ab" * 32, "standin": True, "read": 9, "kept": 8, "dropped": {"odd": 1}}
    for table, traces, cells in (("sjf-bco-fig4", [], _SCHEDULERS), ("philly-jct", [trace], ("fifo", "srtf"))):
        facts = {"cells": list(cells), "standin": bool(traces), "traces": traces}
        write_text(folder / f"tables/{table}.json", json.dumps(facts))


def _notebook(path, text=""):
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    output = new_output("display_data", data={"image/png": pixel})
    code = new_code_cell(f"draw('{ROOT}/data')", execution_count=1, outputs=[output])
    cells = [new_markdown_cell(f"# A picture\n\n{text}"), code]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_notebook(new_notebook(cells=cells), path)
