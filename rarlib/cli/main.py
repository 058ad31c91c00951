"""`rarlib`: the commands and their exit codes."""

import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import typer
from typer.exceptions import TyperException

from rarlib import __version__
from rarlib.cli.lazy import LazyGroup
from rarlib.model.digits import pin_kernels
from rarlib.model.errors import BAD_INPUT, FAULT, ending
from rarlib.model.foreign import printable

pin_kernels()
app = typer.Typer(
    cls=LazyGroup,
    help="Reproduce and compare schedulers for distributed deep-learning jobs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


DEBUG = "--debug"
_REPORT = "; please report it with the command and this line (--debug shows where it was raised)"
_INTERRUPTED = 130  # 128 + SIGINT
_LONG_WORD, _MOST_SAID = re.compile(r"\S{200,}"), 2_000
_UNREAD = 141  # 128 + SIGPIPE, as a shell says it


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"rarlib {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
    debug: bool = typer.Option(False, DEBUG, help="Show where in the code an error was raised."),
) -> None:
    """Reproduce and compare schedulers for distributed deep-learning jobs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command.

    Exits with 0 (fine), 1 (a check failed), 2 (bad input), 70 (a fault of ours), 130 (interrupted) or 141 (nobody reads
    what is printed).
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
    out = sys.stdout
    for stream in (out, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal need not know all characters
            stream.reconfigure(errors="backslashreplace")
    code = _run(arguments)
    if code == _INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(_flushed(out, code))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        return int(app(args=arguments, prog_name="rarlib", standalone_mode=False) or 0)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except SystemExit as end:
        # How the command line library ends when nobody reads the output.
        return _UNREAD if isinstance(end.__context__, BrokenPipeError) else int(end.code or 0)
    except BrokenPipeError:
        return _UNREAD
    except Exception as error:
        if DEBUG in (arguments if arguments is not None else sys.argv):
            raise
        return _ended(error)


def _flushed(out: TextIO, code: int) -> int:
    """Print what is still buffered, and give the exit code; what cannot be printed is dropped."""
    try:
        out.flush()
    except OSError as error:
        unread = isinstance(error, BrokenPipeError)
        code = code or (_UNREAD if unread else _ended(error))
        if isinstance(out, io.TextIOWrapper):  # or Python would try again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    return code


def _ended(error: Exception) -> int:
    """Print the line of an error and give the exit code."""
    if isinstance(error, TyperException):
        # Typer quotes what it was given, however long.
        code, line = BAD_INPUT, _LONG_WORD.sub(lambda word: f"{word[0][:80]}...", error.format_message())[:_MOST_SAID]
    else:
        code, line = ending(error)
    if line:  # empty when help has been printed instead of running a command
        report = _REPORT if code == FAULT else ""
        print(f"error: {printable(' '.join(line.split()))}{report}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
