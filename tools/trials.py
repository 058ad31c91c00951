"""What trials of the pipeline share: a copy of the project to run in, and the judgement of a run.

A case ends with one of four results; `tools.cases` keeps them. The output of a failed run is kept, too.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.workflow.manifest import byte_differences
from rarlib.workflow.report.slurm_rows import FILES as SLURM_FILES

SAME, SAID, FAILED, NOT_RUN = "same bytes", "said so", "failed", "not run"
RESULTS_OF_A_CASE = (SAME, SAID, FAILED, NOT_RUN)
LONGEST_S = 1800.0
"""A run that takes longer counts as failed."""

PART = """
only: [philly, sjf_bco, 01-one-job]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, las]}}
  sjf_bco: {seeds: 2, readings: [fitted], parts: {inference: {draws: 20}}}
"""
"""A part of the pipeline: a stand-in of Philly, three cells, two tables and figures, the ledger, the report."""

_FOLDERS = ("rarlib", "workflow", "config", "profiles", "notebooks", "data/standin")
_FILES = (
    "Snakefile",
    "CITATION.cff",
    "environment.yml",
    "data/published.csv",
    "data/statements.csv",
    "data/sources.tsv",
    "data/measured.tsv",
    "results/expected/arena-laws.csv",
    "results/expected/measured.csv",
    "results/expected/measured-goals.csv",
    "results/expected/measured-slow.csv",
    *SLURM_FILES,
)
_RAISED = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)
_SENTENCE = re.compile(r"^.*(?:\berror: |failed after [0-9:]+: [^:\n]+: |\[Errno [0-9]+\] ).*$", re.MULTILINE)


class Outcome(NamedTuple):
    """How a case ended: one of the four results, what was said or went wrong in one line, and a failed run's output."""

    result: str
    note: str = ""
    output: str = ""


class Case(NamedTuple):
    """One case: its kind, its name within the kind, and the function that carries it out."""

    kind: str
    name: str
    act: Callable[[], Outcome]


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

    def make(self, *extra: str, **given: Any) -> subprocess.CompletedProcess[str]:
        """Run the part of the pipeline that a tool states, through the runner that `make` starts."""
        return self.run(*pipeline(*extra), **given)


class Bench:
    """An undisturbed run, and copies of the project before and after it, one at a time."""

    def __init__(self, folder: Path, configuration: str) -> None:
        self._folder, self._configuration = folder, configuration
        self._place = folder / "copy"

    @cached_property
    def fresh(self) -> Path:
        """The project before the run."""
        copy_project(self._folder / "fresh", self._configuration)
        return self._folder / "fresh"

    @cached_property
    def finished(self) -> Path:
        """The project after the undisturbed run."""
        return self._run().rename(self._folder / "finished")

    @property
    def reference(self) -> Path:
        """Results of the undisturbed run."""
        return Project(self.finished).results

    @cached_property
    def took_s(self) -> float:
        """Seconds that an undisturbed run takes when all kernels are compiled."""
        began = time.monotonic()
        shutil.rmtree(self._run())
        return time.monotonic() - began

    def _run(self) -> Path:
        shutil.copytree(self.fresh, self._place)
        done = Project(self._place).make()
        if done.returncode:
            raise RuntimeError(f"the undisturbed run failed: {done.stdout[-2000:]}")
        return self._place

    @contextmanager
    def copy(self, *, after: bool = False, below: str = "") -> Iterator[Project]:
        """A copy of the project before the undisturbed run, or after it; removed at the end.

        Args:
            after: whether the run has taken place.
            below: folder of the copy below the usual one.
        """
        finished = self.finished  # made before the place is taken
        shutil.copytree(finished if after else self.fresh, self._place / below)
        try:
            yield Project(self._place / below)
        finally:
            shutil.rmtree(self._place)


def pipeline(*extra: str) -> list[str]:
    """Arguments of Python that make the report of a copy and all that it rests on."""
    return ["workflow/scripts/run.py", "--configfile", "config/tiny.yaml", *extra, "--", "results/tiny/report.html"]


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


def judge(project: Project, done: subprocess.CompletedProcess[str], reference: Path) -> Outcome:
    """The outcome of a run: the bytes of the reference, or a failure that is told in a sentence."""
    if done.returncode == 0:
        differing = byte_differences(project.results, reference)
        return Outcome(FAILED, "; ".join(differing[:3])) if differing else Outcome(SAME)
    if told := sentence(done.stdout):
        return Outcome(SAID, told)
    return Outcome(FAILED, f"exit code {done.returncode}, and no sentence or a traceback", done.stdout)


def sentence(output: str) -> str:
    """The first error that an output states in a line; empty if there is none, or a traceback."""
    found = _SENTENCE.search(output)
    return "" if found is None or _RAISED.search(output) else found[0].strip()


def code_digest() -> str:
    """Digest of all files that a copy has: rows made with others are not counted."""
    named = [path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted([*named, *(ROOT / name for name in _FILES)]):
        if "__pycache__" not in path.parts and ".ipynb_checkpoints" not in path.parts:
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
