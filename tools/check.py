"""Runs the tests that a change concerns, nearest first: `python -m tools.check` (make check).

A test file is concerned if it imports a changed file, directly or through others, or names it or its top folder in a
text. The nearest ones run, as far as `BUDGET_S` of recorded seconds go (benchmarks/tests.csv); the core always runs.
What is left out is said: `make test` runs everything.
"""

import ast
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import grimp

from artifact.machines.predictor import FINDER, predictor_modules
from rarlib.declared import declared
from rarlib.model.project import ROOT
from tools.times import USUAL_S, recorded_seconds

BUDGET_S = 150.0
"""Seconds that the chosen tests have taken before, one after the other; two cores share them."""

CORE = (
    "tests/test_house.py",
    "tests/artifact/docs",
    "tests/rarlib/golden",
    "tests/rarlib/simulator/test_identities.py",
)
"""Rules of the house, the manual, runs that can be checked by hand, and what every run must satisfy."""

_FINDERS = {"rarlib.discovery": lambda: [entry.module for entry in declared().values()], FINDER: predictor_modules}
"""Modules that import others by name at run time, and these."""


def changed_files() -> list[str]:
    """Files that differ from the last commit that this branch shares with main; on a clean main, from its parent."""

    def git(*arguments: str) -> list[str]:
        """Lines that git prints; none where it has nothing of that name."""
        done = subprocess.run(["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
        return done.stdout.splitlines()

    changed = git("ls-files", "--others", "--exclude-standard") + git("diff", "--name-only", "HEAD")
    shared = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    on_main = shared == git("rev-parse", "HEAD")
    if shared and not (on_main and changed):
        changed += git("diff", "--name-only", "HEAD~1" if on_main else shared[0])
    return sorted(set(changed))


class Graph:
    """Which files import or name which others: rarlib, the tools and the tests."""

    def __init__(self) -> None:
        self._modules = grimp.build_graph("rarlib", "artifact", "tools", cache_dir=None)
        self.tests = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
        paths = [
            p.relative_to(ROOT).as_posix()
            for folder in ("rarlib", "artifact", "tools", "tests")
            for p in sorted((ROOT / folder).rglob("*.py"))
        ]
        self._known = set(paths)
        self._imports = {path: self._imported(path) for path in paths}
        self._texts = {path: _texts(ROOT / path) for path in paths}

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Test file -> steps to the nearest changed file, 0 if it is one itself; without those that none concerns."""
        importers: dict[str, set[str]] = {}
        for path, others in self._imports.items():
            for other in others:
                importers.setdefault(other, set()).add(path)
        steps = dict.fromkeys(changed, 0)
        queue = deque(steps)
        while queue:
            path = queue.popleft()
            near = set(importers.get(path, ()))
            if path not in self._known:
                near = {other for other, texts in self._texts.items() if _names(path) & texts}
            for other in near - steps.keys():
                steps[other] = steps[path] + 1
                queue.append(other)
        return {path: steps[path] for path in self.tests if path in steps}

    def _imported(self, path: str) -> set[str]:
        name = path.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        if name in self._modules.modules:
            found = set(self._modules.find_modules_directly_imported_by(name))
            return {_file(each) for each in found | set(_FINDERS.get(name, list)())}
        above = Path(path).parents
        beside = {f"{folder.as_posix()}/conftest.py" for folder in above} | {path.rsplit("/", 1)[0] + "/__init__.py"}
        names = _imported_names(ROOT / path)
        files = {_file(each) for each in names if each in self._modules.modules}
        places = (ROOT, *(ROOT / f"tests/rarlib/{room}" for room in ("pipeline", "simulator", "traces")))
        own = {_file(each, place) for each in names for place in places}
        return (files | own | beside - {path}) & self._known


def _file(module: str, place: Path = ROOT) -> str:
    base = place.joinpath(*module.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return path.relative_to(ROOT).as_posix()


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported_names(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _texts(path: Path) -> set[str]:
    """Paths, and their first and last parts, that the texts of a file may be."""
    texts = {
        node.value for node in ast.walk(_tree(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {part for text in texts if len(text) < 100 for part in (text, text.split("/")[0], text.rsplit("/", 1)[-1])}


def _names(path: str) -> set[str]:
    return {path, path.split("/", maxsplit=1)[0], path.rsplit("/", 1)[-1]}


def chosen(distances: Mapping[str, int], seconds: Mapping[str, float], budget_s: float = BUDGET_S) -> list[str]:
    """The nearest test files, quick ones first among equals, as far as the budget goes; changed ones always."""
    spent, found = 0.0, []
    for path in sorted(distances, key=lambda path: (distances[path], seconds.get(path, USUAL_S), path)):
        spent += seconds.get(path, USUAL_S)
        if spent <= budget_s or distances[path] == 0:
            found.append(path)
    return found


def main() -> int:
    """Choose tests, say which are left out, and run them."""
    changed = changed_files()
    distances = Graph().distances(changed)
    seconds = recorded_seconds()
    near = chosen(distances, seconds)
    taken = sum(seconds.get(path, USUAL_S) for path in near)
    print(
        f"{len(changed)} changed files concern {len(distances)} test files; the nearest {len(near)} run, "
        f"{taken:.0f} s of work, and the core. Left out: {len(distances) - len(near)}; make test runs all.",
        flush=True,
    )
    options = ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder", "--ff"]
    command = [sys.executable, "-m", "pytest", *options, *sys.argv[1:], *CORE, *near]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
