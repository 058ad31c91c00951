"""Which schedulers the files of `rarlib/schedulers/` declare, read from their syntax trees: nothing is imported.

Both the pipeline (which file belongs to a cell) and a run (which class has this name) use this module, so both find the
same files.

Rule: a class at the top level of a file is a scheduler if it has a non-empty `name` and a method `decide`, each defined
in the class or inherited. A class that inherits the name of a scheduler in the same file is a variant of it and does
not count.
"""

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import rarlib.schedulers
from rarlib.model import plugins
from rarlib.model.errors import InputError
from rarlib.model.plugins import EntryGroup
from rarlib.model.project import ROOT

_NEUTRAL = {*vars(builtins), "ABC", "Protocol", "Generic", "NamedTuple", "Enum", "Scheduler"}
"""Base classes that give a class neither a name nor a method `decide`."""


class Declared(NamedTuple):
    """A scheduler as its file declares it: dotted module, class, line where the class begins, and its label."""

    module: str
    cls: str
    path: Path
    line: int
    label: str


class _File:
    """The syntax tree of one file and the names that its top level binds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            raise InputError(f"is not valid Python: {error.msg}", file=path, row=error.lineno) from None
        self.classes = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}
        self.imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        self.modules = {
            alias.asname or alias.name: alias.name
            for node in self.tree.body
            if isinstance(node, ast.Import)
            for alias in node.names
        }

    def unclear(self, node: ast.AST, what: str) -> InputError:
        """The error for what cannot be determined without running the file."""
        rule = f"{what} cannot be determined without running the file; write it as a plain string"
        return InputError(rule, file=self.path, row=getattr(node, "lineno", None), field="name")


class _Class(NamedTuple):
    """A class and the file that contains it."""

    file: _File
    node: ast.ClassDef


def declared(*folders: Path) -> dict[str, Declared]:
    """Schedulers by name, in alphabetical order.

    Args:
        folders: folders whose files are read; by default, those of `rarlib.schedulers`. Sub-packages hold parts of
            schedulers and are not read. As with imports, a file hides a file of the same name in a later folder.

    Raises:
        InputError: if a name cannot be determined without running its file, or is defined twice.
    """
    return _declared(folders or tuple(map(Path, rarlib.schedulers.__path__)))


@cache
def _declared(folders: tuple[Path, ...]) -> dict[str, Declared]:
    found: dict[str, Declared] = {}
    files = {path.stem: path for folder in reversed(folders) for path in folder.glob("*.py")}
    for stem, path in sorted(files.items()):
        file = _file(path)
        for node in _classes(file):
            name = _scheduler_name(_Class(file, node))
            if not name:
                continue
            label = _label(_Class(file, node)) or name
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


def _classes(file: _File) -> Iterator[ast.ClassDef]:
    """Top-level classes; a class with a name inside a condition is refused, since it may not exist when run."""
    for statement in file.tree.body:
        if isinstance(statement, ast.ClassDef):
            yield statement
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(statement):
                if isinstance(node, ast.ClassDef) and _scheduler_name(_Class(file, node)):
                    raise file.unclear(node, f"whether the scheduler {node.name} exists")


def _scheduler_name(cls: _Class) -> str:
    """Name of the scheduler that a class declares; empty if it declares none."""
    try:
        return _counts_as(cls)
    except RecursionError:
        raise cls.file.unclear(cls.node, f"the name of {cls.node.name}, which refers to itself,") from None


def _counts_as(cls: _Class) -> str:
    line = list(_line(cls))
    reached = [entry for entry in line if entry is not None]
    decides = any(_binds(entry.node, "decide") for entry in reached) or None in line
    if not decides:
        return ""
    owner = next((entry for entry in reached if _binds(entry.node, "name")), None)
    if owner is None:
        if _binds(cls.node, "decide") and None in line:
            raise cls.file.unclear(cls.node, f"the name that {cls.node.name} may inherit from elsewhere")
        return ""
    if owner.node is not cls.node and owner.file is cls.file and _scheduler_name(owner):
        return ""
    return _text(owner.file, "name", owner.node.body, owner.node)


def _label(cls: _Class) -> str:
    """Label of the scheduler that a class declares; empty if it has none, or if only running the file tells."""
    owner = next((entry for entry in _line(cls) if entry is not None and _binds(entry.node, "label")), None)
    try:
        return _text(owner.file, "label", owner.node.body, owner.node) if owner else ""
    except InputError:
        return ""


def _line(cls: _Class) -> Iterator[_Class | None]:
    """The class and its bases, depth first; None for a base outside rarlib or one that cannot be determined."""
    yield cls
    for base in cls.node.bases:
        plain = base.value if isinstance(base, ast.Subscript) else base
        if ast.unparse(plain).rpartition(".")[2] in _NEUTRAL:
            continue
        found = _resolve(cls.file, plain)
        if found is None:
            yield None
        else:
            yield from _line(found)


def _resolve(file: _File, base: ast.expr) -> _Class | None:
    """The class that a base expression refers to, in the same file or in another file of rarlib."""
    if isinstance(base, ast.Name):
        if base.id in file.classes:
            return _Class(file, file.classes[base.id])
        module, name = file.imported.get(base.id, ("", ""))
    elif isinstance(base, ast.Attribute):
        module, name = _module_of(file, base.value), base.attr
    else:
        return None
    other = _module(module)
    if other is None:
        return None
    return _resolve(other, ast.Name(name)) if name in other.classes or name in other.imported else None


def _module_of(file: _File, prefix: ast.expr) -> str:
    """Dotted module that precedes a class name: `import a.b`, `import a.b as c` or `from a import b`."""
    text = ast.unparse(prefix)
    module, name = file.imported.get(text, ("", ""))
    return f"{module}.{name}" if module else file.modules.get(text, "")


def _module(name: str) -> _File | None:
    """A module of rarlib; None for any other."""
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    return _file(path) if name.startswith("rarlib.") and path.is_file() else None


@cache
def _file(path: Path) -> _File:
    return _File(path)


def _binds(node: ast.ClassDef, name: str) -> bool:
    """Whether the body of a class gives a name a value."""
    return any(_binding(statement, name) for statement in node.body)


def _binding(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name a value: by assignment (in a block too), `def`, `class` or import."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name == name
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return False
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return any((alias.asname or alias.name) == name for alias in statement.names)
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    return any(node.id == name for node in stored)


def _text(file: _File, name: str, body: list[ast.stmt], where: ast.AST) -> str:
    """The string that the statements assign to a name; as in Python, the last assignment counts."""
    binding = [statement for statement in body if _binding(statement, name)]
    if not binding:
        raise file.unclear(where, name)
    value = _assigned(binding[-1], name)
    if value is None:
        raise file.unclear(binding[-1], f"`{name}`")
    return _value(file, value, body)


def _assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    """The value that a plain assignment gives to a name; None for any other statement."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value
    if not isinstance(statement, ast.Assign):
        return None
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return statement.value
        if isinstance(target, ast.Tuple | ast.List) and isinstance(statement.value, ast.Tuple | ast.List):
            names = [item.id if isinstance(item, ast.Name) else "" for item in target.elts]
            if name in names and len(names) == len(statement.value.elts):
                return statement.value.elts[names.index(name)]
    return None


def _value(file: _File, value: ast.expr, body: list[ast.stmt]) -> str:
    """The string value of an expression: a literal, a sum of strings, or a constant of any file of rarlib."""
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts) if all(isinstance(part, ast.Constant) for part in parts):
            return "".join(_value(file, part, body) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(file, left, body) + _value(file, right, body)
        case ast.Name(id=name) if name in file.imported and not any(_binding(s, name) for s in body):
            module, original = file.imported[name]
            other = _module(module)
            if other is not None:
                return _text(other, original, other.tree.body, value)
        case ast.Name(id=name):
            scope = body if body is not file.tree.body and any(_binding(s, name) for s in body) else file.tree.body
            if sum(_binding(s, name) for s in scope) == 1:
                return _text(file, name, scope, value)
    raise file.unclear(value, f"`{ast.unparse(value)}`")
