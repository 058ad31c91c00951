"""A small deposit: two tables that are really run, an arena with made-up rows, one figure."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from artifact.archive.contents import PROGRAMS, Deposit, collect
from artifact.archive.source import Commit
from artifact.archive.swhid import SourceFile
from artifact.ledger import ledger
from artifact.notebook.figure import FIGURE_FILES, OpenFigure, open_figure
from artifact.papers.sjf_bco.cells import run_cell
from artifact.papers.sjf_bco.figures import evaluation
from artifact.run.closure import files_digest, import_closure
from artifact.run.manifest import write_manifest
from artifact.run.settings import configuration, recorded_remarks, section_of, settings_of
from rarlib.declared import scheduler_module
from rarlib.records.tidy import tidy, write_table

ROOT = Path(__file__).parents[3]
_FIGURE = "sjf-bco-fig5"
_KINDS = {"svg": "svg", "png": "png", "marks": "json"}


def _cells(results: Path) -> Iterator[tuple[str, str, str, dict, pd.DataFrame]]:
    """Experiment, part, member, settings and rows of each cell."""
    section = section_of(configuration("smoke"), "sjf-bco")
    for part, members in {"fig5": ["sjf-bco"], "fig4": ["sjf-bco", "list-scheduling"]}.items():
        settings = settings_of(section, part) | {"seeds": 2, "jobs": 20}
        for member in members:
            yield "sjf-bco", part, member, settings, run_cell(part, member, settings, None)
    settings = settings_of(section_of(configuration("smoke"), "arena"), "runs")
    for member, base in {"concert": 90.0, "fifo": 100.0, "gavel": 110.0}.items():
        rng = np.random.default_rng(len(member))
        reading = "homogeneous/{}/0/none/known"
        rows = [
            (trace, reading.format(contention), "load", load, seed, "mean_jct", base * rng.lognormal(0, 0.1), "s")
            for trace in ("sia-philly", "aiturbo", "pai")
            for contention in ("off", "links")
            for load in ("1", "2")
            for seed in (1, 2)
        ]
        yield "arena", "runs", member, settings, tidy(rows, "arena-runs", member)


def _tables(results: Path) -> None:
    made: dict[str, dict] = {}
    frames: dict[str, list[pd.DataFrame]] = {}
    members: dict[str, list[str]] = {}
    for experiment, part, member, settings, frame in _cells(results):
        write_table(frame, results / f"cells/{experiment}/{part}/{member}.csv")
        module = section_of(configuration(), experiment)["module"]
        own = scheduler_module(member)
        code = files_digest(import_closure(module, *([own] if own else [])))
        record = made.setdefault(f"{experiment}-{part}", {"module": module, "settings": settings, "code": {}})
        record["code"][f"{experiment}/{part}/{member}.csv"] = code
        frames.setdefault(f"{experiment}-{part}", []).append(frame)
        members.setdefault(f"{experiment}-{part}", []).append(member)
    for table, record in made.items():
        facts = {"cells": members[table], "left_out": [], "standin": False, "traces": []}
        write_table(pd.concat(frames[table], ignore_index=True), results / f"tables/{table}.csv")
        _json(results / f"tables/{table}.json", facts)
        _json(results / f"provenance/{table}.json", record)


def _json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def draw_figure(results: Path, name: str, table: str, show: Callable[[OpenFigure], object], published: Path) -> None:
    """Draw a figure of a table as the pipeline does; its notebook is made up."""
    (results / "figures").mkdir()
    job = {key: str(results / f"figures/{name}.{kind}") for key, kind in _KINDS.items()}
    job |= {"tables": [str(results / f"tables/{table}.csv")], "made": [str(results / f"provenance/{table}.json")]}
    os.environ[FIGURE_FILES] = json.dumps({**job, "published": str(published), "standin": False})
    try:
        show(open_figure(name))
    finally:
        del os.environ[FIGURE_FILES]
    times = {"start_time": "2026-01-31T10:00:00", "end_time": "2026-01-31T10:00:09", "parameters": {"lambda_": 1}}
    _json(results / f"notebooks/{name}.ipynb", {"cells": [], "metadata": {"papermill": times}})


def source_of_checkout() -> Commit:
    """The checkout as if it were committed: rarlib, configuration, data and what a deposit copies."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    wanted = ("rarlib/", "artifact/", "config/", "data/", "workflow/archive/", "notebooks/figures/", "LICENSES/")
    also = ("CITATION.cff", "LICENSE", "REUSE.toml", ".zenodo.json", "requirements.lock", "Snakefile")
    files = {
        name: SourceFile((ROOT / name).read_bytes(), os.access(ROOT / name, os.X_OK))
        for name in listed
        if name.startswith((*wanted, *also)) and (ROOT / name).is_file()
    }
    return Commit("0" * 40, 1769853600, "2026-01-31", files)


@pytest.fixture(scope="session")
def source() -> Commit:
    return source_of_checkout()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder as the pipeline leaves it, but small."""
    folder = tmp_path_factory.mktemp("archive") / "results"
    _tables(folder)

    def show(run: OpenFigure) -> None:
        run.show(evaluation.over_parameter, run.frame, run.published, "Fig. 5")

    draw_figure(folder, _FIGURE, _FIGURE, show, ROOT / "data/published.csv")
    table = ledger.build(ROOT / "data", ROOT / "config/claims", folder / "tables", recorded_remarks(folder))
    ledger.write_ledger(table, folder / "claims.csv")
    write_manifest(folder, folder / "manifest.json")
    (folder / "report.html").write_text("<!doctype html><title>Report</title>\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def deposit(results: Path, source: Commit) -> Deposit:
    """The deposit in memory, without its RO-Crate."""
    made = collect(source, "smoke", results)
    made.finish()
    return made


@pytest.fixture(scope="session")
def unpacked(deposit: Deposit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The deposit's folder; tests copy what they change."""
    return write(deposit, tmp_path_factory.mktemp("deposit") / "rarlib-test")


def write(deposit: Deposit, folder: Path) -> Path:
    for name, file in deposit.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


@pytest.fixture
def copied(unpacked: Path, tmp_path: Path) -> Path:
    """A copy of the deposit that a test may damage. Files are linked; whoever changes one replaces it."""
    return Path(shutil.copytree(unpacked, tmp_path / "copy", copy_function=os.link))


@pytest.fixture(scope="session")
def verifier() -> Callable[[Path], tuple[int, str]]:
    """Runs the verifier in this process: exit code and what it prints. A crash of it is one of the test."""
    modules = {}
    sys.path.insert(0, str(ROOT / "workflow/archive"))
    for name in reversed(PROGRAMS):
        spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), ROOT / "workflow/archive" / name)
        modules[name] = importlib.util.module_from_spec(spec)
        sys.modules[name.removesuffix(".py")] = modules[name]
        spec.loader.exec_module(modules[name])
    sys.path.remove(str(ROOT / "workflow/archive"))

    def run(folder: Path, *arguments: str) -> tuple[int, list[str]]:
        return modules["verify.py"].examine(str(folder), *arguments)

    return run
