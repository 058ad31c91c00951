"""Which files of rarlib a module stands on: the inputs of a pipeline job besides its data.

The workflow manager sees files and parameters, not imports. Giving each job the files its modules import, directly
or not, re-runs after an edit exactly the jobs whose code changed.
"""

import ast
from functools import cache
from pathlib import Path

from rarlib.model.errors import InputError

ROOT = Path(__file__).parents[2]


def import_closure(*modules: str) -> list[str]:
    """Files of rarlib that the modules import, directly or not, themselves included.

    Only `import` statements count: what is found by name at run time (schedulers) is named by the caller.

    Args:
        modules: dotted names such as `rarlib.experiments.philly`.

    Returns:
        Sorted paths relative to the project's folder.

    Raises:
        InputError: for a module that does not exist.
    """
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _imported(_file(name), name)
    return sorted({_file(name).relative_to(ROOT).as_posix() for name in seen})


def _file(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    raise InputError(f"no module {module!r}", file="import closure")


@cache
def _imported(path: Path, module: str) -> tuple[str, ...]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(_from(node, path, module))
    ours = {name for name in found if name.split(".")[0] == "rarlib"}
    # Importing a.b.c runs the __init__ of a and a.b as well.
    parents = {name.rsplit(".", depth)[0] for name in ours for depth in range(1, name.count(".") + 1)}
    return tuple(sorted(ours | parents))


def _from(node: ast.ImportFrom, path: Path, module: str) -> list[str]:
    base = node.module or ""
    if node.level:
        package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
    if base.split(".")[0] != "rarlib":
        return []
    names = [f"{base}.{alias.name}" for alias in node.names]
    return [base, *(name for name in names if _is_module(name))]


def _is_module(name: str) -> bool:
    base = ROOT.joinpath(*name.split("."))
    return base.with_suffix(".py").is_file() or (base / "__init__.py").is_file()
