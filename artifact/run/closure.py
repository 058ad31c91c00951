"""The files of ours that a module imports, and one digest of them: a pipeline job depends on it besides its data.

Snakemake sees files and parameters, not imports. The digest of the files that a job's modules import, directly or not,
is a parameter of the job, so an edit re-runs exactly the jobs whose code changed. Listing the files as inputs would
have the same effect, but with a hundred inputs per job Snakemake would be busy throughout a run.
"""

import ast
import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

import grimp

from artifact.machines.predictor import FINDER, predictor_modules
from rarlib.declared import declared, scheduler_module
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT


def import_closure(*modules: str) -> list[str]:
    """Files of rarlib and artifact that the modules import, directly or not, including the modules themselves.

    Only `import` statements count: modules found by name at run time (schedulers) must be passed by the caller.

    Returns:
        Sorted paths relative to the project's folder.
    """
    graph = _graph()
    names: set[str] = set()
    for module in modules:
        if module not in graph.modules:
            raise InputError(f"no module {module!r}", file="import closure")
        names |= {module, *graph.find_upstream_modules(module)}
    # Importing a.b.c runs the __init__ of a and of a.b as well. That of rarlib imports only what is looked up in it.
    packages = {name.rsplit(".", depth)[0] for name in names for depth in range(1, name.count(".") + 1)}
    names |= packages.union(*(graph.find_upstream_modules(package) for package in packages - {"rarlib"}))
    return sorted({_file(name) for name in names})


def files_digest(paths: Iterable[str | Path]) -> str:
    """Digest of the names and contents of files; each file is read once per process."""
    lines = (f"{path} {_content(str(path))}" for path in sorted(map(str, paths)))
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def cell_modules(module: str, member: str) -> list[str]:
    """Modules that make a cell: the experiment's, and those that it finds by name (a scheduler, or all predictors)."""
    own = scheduler_module(member)
    found = predictor_modules() if FINDER in _graph().find_upstream_modules(module) else []
    return [module, *([own] if own else []), *found]


def notebook_modules(notebook: Path) -> list[str]:
    """Modules of rarlib and artifact that a notebook's code cells import."""
    names: set[str] = set()
    for node in ast.walk(_code(notebook)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return sorted(names & _graph().modules)


def notebook_schedulers(notebook: Path) -> list[str]:
    """Modules of the schedulers whose names stand in quotes in a notebook's code cells."""
    words = {node.value for node in ast.walk(_code(notebook)) if isinstance(node, ast.Constant)}
    return sorted(entry.module for name, entry in declared().items() if name in words)


@cache
def _code(notebook: Path) -> ast.Module:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ast.parse("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))


@cache
def _content(path: str) -> str:
    return sha256((ROOT / path).read_bytes()).hexdigest()


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("rarlib", "artifact", cache_dir=None)


@cache
def _file(module: str) -> str:
    base = ROOT.joinpath(*module.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return path.relative_to(ROOT).as_posix()
