"""Which schedulers the files of `rarlib/schedulers/` declare, read from their syntax trees: nothing is imported.

Both the pipeline (which file belongs to a cell) and a run (which class has this name) use this module, so both find the
same files.

Rule: a class at the top level of a file is a scheduler if its body gives `name` a string that is not empty. A class
that inherits the name of a scheduler is a variant of it and does not count.
"""

import ast
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import rarlib.schedulers
from rarlib.model import plugins
from rarlib.model.errors import InputError
from rarlib.model.plugins import EntryGroup


class Declared(NamedTuple):
    """A scheduler as its file declares it: dotted module, class, line where the class begins, and its label."""

    module: str
    cls: str
    path: Path
    line: int
    label: str


def declared(*folders: Path) -> dict[str, Declared]:
    """Schedulers by name, in alphabetical order.

    Args:
        folders: folders whose files are read; by default, those of `rarlib.schedulers`. Sub-packages hold parts of
            schedulers and are not read. As with imports, a file hides a file of the same name in a later folder.

    Raises:
        InputError: if a name is no plain string, or is defined twice.
    """
    return _declared(folders or tuple(map(Path, rarlib.schedulers.__path__)))


@cache
def _declared(folders: tuple[Path, ...]) -> dict[str, Declared]:
    found: dict[str, Declared] = {}
    files = {path.stem: path for folder in reversed(folders) for path in folder.glob("*.py")}
    for stem, path in sorted(files.items()):
        for node in _classes(path):
            name = _text(node, "name", path)
            if not name:
                continue
            label = _text(node, "label", path) or name
            entry = Declared(f"rarlib.schedulers.{stem}", node.name, path, node.lineno, label)
            other = found.setdefault(name, entry)
            if other is not entry:
                places = " and in ".join(f"{e.path}, row {e.line} ({e.cls})" for e in (other, entry))
                raise InputError(f"scheduler {name!r} is defined in {places}: each needs a name of its own")
    return dict(sorted(found.items()))


@cache
def offers() -> dict[str, EntryPoint]:
    """Schedulers of installed packages by name: entry points of the group `rarlib.schedulers`.

    Raises:
        InputError: if two packages offer the same name, or a package offers the name of a scheduler of rarlib.
    """
    own = {name: f"{entry.path}, row {entry.line}" for name, entry in declared().items()}
    return plugins.added(EntryGroup.SCHEDULERS, own)


def scheduler_names() -> list[str]:
    """Names of all schedulers, those of installed packages included, sorted.

    Raises:
        InputError: see `declared` and `offers`.
    """
    return sorted({*declared(), *offers()})


def scheduler_module(name: str) -> str | None:
    """Module of `rarlib.schedulers` that declares this scheduler; None if it comes from another package."""
    own = declared().get(name)
    return own.module if own else None


def _classes(path: Path) -> list[ast.ClassDef]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(f"is not valid Python: {error.msg}", file=path, row=error.lineno) from None
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _text(cls: ast.ClassDef, name: str, path: Path) -> str:
    """The string that the body of a class assigns to a name; empty if it assigns none."""
    for statement in cls.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value) if found == name:
                pass
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                pass
            case _:
                continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
        rule = f"`{ast.unparse(value)}` cannot be determined without running the file; write a plain string"
        raise InputError(rule, file=path, row=statement.lineno, field=name)
    return ""
