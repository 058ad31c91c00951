"""What `make faults` and `make determinism` share: a copy of the project to run in, a row for each case, the summary.

A case ends with one of four results. Rows are written as cases end, and cases that have a row are skipped, so a run
that was stopped goes on where it was. Rows hold the digest of the code that was run; rows of other code are not
counted. To begin anew, remove the file.
"""

import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from rarlib.declared import ROOT
from rarlib.model.files import write_text
from rarlib.workflow.manifest import byte_differences

SAME, SAID, FAILED, NOT_RUN = "same bytes", "said so", "failed", "not run"
RESULTS_OF_A_CASE = (SAME, SAID, FAILED, NOT_RUN)
COLUMNS = ("code", "kind", "case", "result", "seconds", "note")
SUMMARY = ("kind", "cases", *(result.replace(" ", "_") for result in RESULTS_OF_A_CASE), "note")
LONGEST_S = 1800.0
"""A run that takes longer counts as failed."""

PART = """
only: [philly, sjf_bco]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, las]}}
  sjf_bco: {seeds: 2, setups: [P200], parts: {inference: {draws: 20}}}
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
)
_RAISED = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)
_SENTENCE = re.compile(r"^.*(?:\berror: |failed after [0-9:]+: [^:\n]+: |\[Errno [0-9]+\] ).*$", re.MULTILINE)


class Outcome(NamedTuple):
    """How a case ended: one of the four results, and what was said or went wrong, in one line."""

    result: str
    note: str = ""


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
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            **options,
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
    """An undisturbed run, and copies of the project before and after it.

    All copies lie at one path, one after the other, since compiled kernels are kept by path.
    """

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
    return Outcome(FAILED, f"exit code {done.returncode}: {done.stdout[-300:]}")


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


def carry_out(cases: Iterable[Case], path: Path, code: str, only: Sequence[str] = ()) -> None:
    """Carry out cases that have no row yet, and write the row of each as it ends; `only` names kinds (none: all)."""
    done = _done(path, code)
    path.parent.mkdir(parents=True, exist_ok=True)
    for case in _by_turns(cases):
        if (case.kind, case.name) in done or (only and case.kind not in only):
            continue
        began = time.monotonic()
        try:
            outcome = case.act()
        except Exception as error:  # a fault of a case must not end the others
            outcome = Outcome(FAILED, f"{type(error).__name__}: {error}")
        note = " ".join(outcome.note.split())[:300]
        row = (code, case.kind, case.name, outcome.result, f"{time.monotonic() - began:.0f}", note)
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, row] if new else [row])
        print(f"{case.kind} {case.name}: {outcome.result}{f' ({note})' if note else ''}", flush=True)


def rows(path: Path, code: str) -> list[dict[str, str]]:
    """Rows of cases that were carried out with this code."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["code"] == code]


def _done(path: Path, code: str) -> set[tuple[str, str]]:
    return {(row["kind"], row["case"]) for row in rows(path, code)}


def _by_turns(cases: Iterable[Case]) -> list[Case]:
    """The first case of each kind, then the second of each, and so on: a run that is stopped has tried most kinds."""
    seen: Counter[str] = Counter()
    turns = []
    for case in cases:
        turns.append((seen[case.kind], case))
        seen[case.kind] += 1
    return [case for _, case in sorted(turns, key=lambda turn: turn[0])]


def summary(cases: Iterable[Case], found: Sequence[dict[str, str]]) -> pd.DataFrame:
    """Cases of each kind by result; the note says what was not run and why. A case without a row was not run."""
    ended = {(row["kind"], row["case"]): (row["result"], row["note"]) for row in found}
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for case in cases:
        result = ended.get((case.kind, case.name), (NOT_RUN, ""))
        kinds.setdefault(case.kind, []).append((case.name, *result))
    table = []
    for kind, mine in kinds.items():
        counts = [sum(result == each for _, result, _ in mine) for each in RESULTS_OF_A_CASE]
        why = [f"{name}: {note}" for name, result, note in mine if result == NOT_RUN and note]
        if left := counts[-1] - len(why):
            why.append(f"{left} not carried out")
        table.append((kind, len(mine), *counts, "; ".join(why)))
    return pd.DataFrame(table, columns=list(SUMMARY))


def conclude(cases: Iterable[Case], path: Path, code: str, accepted: Path | None) -> int:
    """Print the summary and, if asked to, write the accepted one; the exit code is 1 if a case failed."""
    table = summary(cases, rows(path, code))
    print(table.to_string(index=False))
    if failed := int(table["failed"].sum()):
        print(f"error: {failed} cases failed, see {path}", file=sys.stderr)
        return 1
    if accepted is not None:
        write_text(accepted, table.to_csv(index=False, lineterminator="\n"))
        print(f"written: {accepted}")
    return 0
