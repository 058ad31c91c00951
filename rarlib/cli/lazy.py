"""Commands that are imported when they are run, so that `--help` is there at once.

Each command is a file here with a function of its own name. The list of commands shows the first line of that
function's docstring, which is read from the file's text: nothing is imported for it.
"""

import ast
import importlib
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

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
    "replay",
    "drive",
    "sources",
    "trace",
    "fit",
    "claims",
    "measured",
    "cite",
    "doctor",
    "verify",
    "diff",
    "new",
)
"""The commands in the order of the help. A file may define its own `app`; otherwise its function is the command."""


class LazyGroup(TyperGroup):
    """The commands of `COMMAND_NAMES`, and those that are registered in the usual way."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the help."""
        return [*COMMAND_NAMES, *(name for name in super().list_commands(ctx) if name not in COMMAND_NAMES)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; while commands are only listed, its name and first line."""
        if cmd_name in self.commands or cmd_name not in COMMAND_NAMES:
            return super().get_command(ctx, cmd_name)
        return TyperCommand(cmd_name, help=first_line(cmd_name)) if self._listing else _imported(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help without importing a command."""
        self._listing = True
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command's name without importing a command."""
        self._listing = True
        return super().shell_complete(ctx, incomplete)


def first_line(name: str) -> str:
    """What a command does, in one line."""
    tree = ast.parse(Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    return (ast.get_docstring(found) or "").partition("\n")[0]


def _imported(name: str) -> Any:
    module = importlib.import_module(f"rarlib.cli.{name}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False)
        app.command(name)(getattr(module, name))
    command: Any = get_command(app)
    command.name = name
    return command
