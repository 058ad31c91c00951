"""A copy of the project in which a small part of the pipeline runs, on stand-ins and without network."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from artifact.report.slurm_rows import FILES as SLURM_FILES
from rarlib.model.files import write_text
from rarlib.model.project import ROOT

LONGEST_S = 1800.0
"""A run that takes longer has failed."""

PART = """
only: [philly, sjf_bco, 01-one-job]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, las]}}
  sjf_bco: {seeds: 2, readings: [fitted], parts: {inference: {draws: 20}}}
"""
"""A part of the pipeline: a stand-in of Philly, three cells, two tables and figures, the ledger, the report."""

_FOLDERS = ("rarlib", "artifact", "workflow", "config", "profiles", "notebooks", "data/standin")
_FILES = (
    "Snakefile",
    "CITATION.cff",
    "environment.yml",
    "data/published.csv",
    "data/statements.csv",
    "data/sources.tsv",
    "data/measured.tsv",
    "results/expected/measured.csv",
    "results/expected/measured-goals.csv",
    "results/expected/measured-slow.csv",
    *SLURM_FILES,
)


class Project:
    """A copy of the project in which the pipeline can be run, on stand-ins and without network."""

    def __init__(self, root: Path, python: str = sys.executable, before: Sequence[str] = ()) -> None:
        self.root = root
        self._command = [*before, python]

    @property
    def results(self) -> Path:
        """Its results folder."""
        return self.root / "results" / "tiny"

    def start(self, *arguments: str, variables: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
        """Start Python in the copy, in a process group of its own; output and errors together in `stdout`."""
        # Anything of the outer environment that would change what the pipeline finds is taken out.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RARLIB_")}
        programs = f"{Path(self._command[-1]).parent}{os.pathsep}{kept.get('PATH', '')}"
        return subprocess.Popen(
            [*self._command, *arguments],
            cwd=self.root,
            env=kept | {"PYTHONPATH": str(self.root), "RARLIB_OFFLINE": "1", "PATH": programs} | (variables or {}),
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            **{"stdout": subprocess.PIPE, **options},
        )

    def run(self, *arguments: str, **given: Any) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy to its end."""
        process = self.start(*arguments, **given)
        output, _ = process.communicate(timeout=LONGEST_S)
        return subprocess.CompletedProcess(process.args, process.returncode, output)


def copy_project(target: Path, configuration: str) -> None:
    """Copy what the pipeline reads, with one tutorial, and one figure of SJF-BCO with its scheduler.

    Args:
        target: folder of the copy.
        configuration: YAML, written to config/tiny.yaml; the results go to results/tiny.
    """
    for folder in _FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT / folder, target / folder, ignore=ignored, dirs_exist_ok=True)
    for name in _FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    for tutorial in sorted((target / "notebooks/learn").glob("*.ipynb"))[1:]:
        tutorial.unlink()
    # A list in a second file replaces, a mapping merges.
    path = target / "config/config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["experiments"]["sjf_bco"] |= {"cells": {"fig7": ["sjf-bco"]}, "reads": {}}
    write_text(path, yaml.safe_dump(config))
    write_text(target / "config/tiny.yaml", f"results: results/tiny\n{configuration}")
