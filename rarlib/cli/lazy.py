"""Commands that are imported when they are run, so that `--help` is there at once.

Each command is a file here with a function of its own name, or one in the folder `cli` of the artifact, if that lies
beside this package. The list of commands shows the first line of that function's docstring, which is read from the
file's text: nothing is imported for it.
"""

import ast
import importlib
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from rarlib.model.project import ROOT

COMMAND_NAMES = (
    "simulate",
    "compare",
    "evaluate",
    "why",
    "export",
    "schedulers",
    "plan",
    "bound",
    "fabric",
    "sources",
    "trace",
)
"""The library's commands in the order of the help. A file may define its own `app`; otherwise its function is the
command."""

_ADDED = ROOT / "artifact" / "cli"


def command_modules() -> dict[str, str]:
    """The module of every command: the library's, then those of the artifact, which its `__init__` lists."""
    added = (_ADDED / "__init__.py").read_text(encoding="utf-8") if _ADDED.is_dir() else ""
    names = next((ast.literal_eval(node.value) for node in ast.parse(added).body if isinstance(node, ast.Assign)), ())
    own = {name: f"rarlib.cli.{name}" for name in COMMAND_NAMES}
    return own | {name: f"artifact.cli.{name}" for name in names}


class LazyGroup(TyperGroup):
    """The commands of `COMMAND_NAMES`, and those that are registered in the usual way."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the help."""
        own = command_modules()
        return [*own, *(name for name in super().list_commands(ctx) if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; while commands are only listed, its name and first line."""
        module = command_modules().get(cmd_name)
        if cmd_name in self.commands or module is None:
            return super().get_command(ctx, cmd_name)
        return TyperCommand(cmd_name, help=first_line(module)) if self._listing else _imported(module)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help without importing a command."""
        self._listing = True
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command's name without importing a command."""
        self._listing = True
        return super().shell_complete(ctx, incomplete)


def first_line(module: str) -> str:
    """What the command of a module does, in one line."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    functions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    found = next(node for node in functions if node.name == path.stem)
    return (ast.get_docstring(found) or "").partition("\n")[0]


def _imported(name: str) -> Any:
    module, command_name = importlib.import_module(name), name.rpartition(".")[2]
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False)
        app.command(command_name)(getattr(module, command_name))
    command: Any = get_command(app)
    command.name = command_name
    return command
