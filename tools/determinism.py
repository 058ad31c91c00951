"""Whether the pipeline gives the same bytes in other surroundings: `python -m tools.determinism`.

The part of the pipeline that is run: a stand-in of Philly, three cells (two schedulers and one figure of SJF-BCO),
their tables, figures and ledger, the manifest and the report. Every CSV, JSON and SVG file that the manifest lists is
compared with that of a plain run. Rows go to build/determinism.csv.
"""

import argparse
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tools.cases import run_cases
from tools.trials import NOT_RUN, Bench, Case, Outcome, Project, judge

_ORDER = """import os
_list, _scan = os.listdir, os.scandir


class _Entries:
    def __init__(self, entries):
        self._left = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._left)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def close(self):
        pass


os.listdir = lambda *path: sorted(_list(*path), reverse={reverse})


def scandir(*path):
    with _scan(*path) as entries:
        return _Entries(sorted(entries, key=lambda entry: entry.name, reverse={reverse}))


os.scandir = scandir
"""
"""Folders that list their files forwards or backwards, for every Python that finds this as sitecustomize.py."""

NOBODY = 65534
"""User without rights."""


class Surroundings(NamedTuple):
    """What is different from a plain run.

    Attributes:
        variables: of the environment.
        cores: of the run.
        folder: in which the copy lies, below the temporary one.
        umask: of the run; -1: as it is.
        python: path of the interpreter.
        before: words before the interpreter.
        order: how folders list their files; empty: as they do.
    """

    variables: Mapping[str, str] = {}
    cores: int = 2
    folder: str = ""
    umask: int = -1
    python: str = sys.executable
    before: tuple[str, ...] = ()
    order: str = ""


def run_in(bench: Bench, given: Surroundings) -> Outcome:
    """Run the part in a new copy, and compare its files with those of the undisturbed run."""
    with bench.copy(below=given.folder) as plain:
        project = Project(plain.root, given.python, given.before)
        variables = dict(given.variables)
        if given.order:
            write_text(project.root / "sitecustomize.py", _ORDER.format(reverse=given.order == "backwards"))
        if given.before:  # another user has neither this one's home nor folders
            variables |= {"HOME": str(project.root), "XDG_CACHE_HOME": str(project.root / ".cache")}
            _give_away(project.root)
        done = project.make("--cores", str(given.cores), variables=variables, umask=given.umask)
        return judge(project, done, bench.reference)


def _give_away(folder: Path) -> None:
    folder.chmod(0o755)
    folder.parent.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def as_nobody() -> tuple[str, ...]:
    """Words that make a command run as a user without rights; none if this user may not.

    That user may still read everything, since the interpreter may lie in the home of another one.
    """
    if os.getuid() or not shutil.which("setpriv"):
        return ()
    reads = "-all,+dac_read_search"
    user = f"--reuid={NOBODY} --regid={NOBODY} --clear-groups".split()
    return ("setpriv", *user, f"--inh-caps={reads}", f"--ambient-caps={reads}", f"--bounding-set={reads}")


def other_python(version: str) -> str:
    """An interpreter of a version, in an environment built from the lock; empty if there is no such interpreter.

    The environment, build/venv-VERSION, is kept.
    """
    folder = ROOT / "build" / f"venv-{version}"
    found = os.environ.get("OTHER_PYTHON") or shutil.which(f"python{version}")
    if not found:
        return ""
    python, built = folder / "bin/python", folder / ".built-from-lock"
    if not built.exists():
        subprocess.run([found, "-m", "venv", "--clear", folder], check=True)
        install = "-m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock"
        subprocess.run([python, *install.split()], cwd=ROOT, check=True)
        built.touch()
    return str(python)


def locale(name: str, folder: Path) -> dict[str, str]:
    """Variables that set a locale, which is compiled into a folder; empty if this system cannot compile it."""
    language = name.partition(".")[0]
    with suppress(OSError):
        done = subprocess.run(
            ["localedef", "-i", language, "-f", "UTF-8", folder / name], capture_output=True, check=False
        )
        if not done.returncode:
            return {"LC_ALL": name, "LANG": name, "LOCPATH": str(folder)}
    return {}


def cases(bench: Bench, folder: Path) -> list[Case]:
    """All surroundings, one case for each."""

    def within(kind: str, name: str, **given: Any) -> Case:
        return Case(kind, name, functools.partial(run_in, bench, Surroundings(**given)))

    def absent(kind: str, name: str, why: str) -> Case:
        return Case(kind, name, lambda: Outcome(NOT_RUN, why))

    def speaking(name: str) -> Case:
        variables = locale(name, folder)
        if not variables:
            return absent("locale", name, "the locale cannot be compiled here")
        return within("locale", name, variables=variables)

    nobody, ours = as_nobody(), ".".join(map(str, sys.version_info[:2]))
    theirs = "3.13" if ours == "3.11" else "3.11"
    python = other_python(theirs)
    return [
        *(within("hash seed", seed, variables={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "4242")),
        within("cores", "1", cores=1),
        within("folder", "a long path with spaces and signs", folder=f"{'deep/' * 12}two words/größer & süß"),
        within("user", "nobody", before=nobody) if nobody else absent("user", "nobody", "needs root and setpriv"),
        within("locale", "C", variables={"LC_ALL": "C"}),
        *map(speaking, ("tr_TR.UTF-8", "de_DE.UTF-8")),
        *(within("time zone", zone, variables={"TZ": zone}) for zone in ("XST-13:45", "XST+11:30")),
        *(within("umask", f"{mask:03o}", umask=mask) for mask in (0o077, 0o000)),
        *(within("file order", order, order=order) for order in ("forwards", "backwards")),
        within("Python", theirs, python=python)
        if python
        else absent("Python", theirs, "no interpreter (name one in OTHER_PYTHON)"),
    ]


def main() -> int:
    """Carry out the cases that have no row yet, and print the summary."""
    parser = argparse.ArgumentParser(description="Whether the pipeline gives the same bytes in other surroundings.")
    return run_cases("determinism", parser, lambda bench, folder, _: cases(bench, folder))


if __name__ == "__main__":
    sys.exit(main())
