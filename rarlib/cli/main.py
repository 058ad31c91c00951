"""`rarlib`: the commands and their exit codes."""

import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from rarlib import __version__
from rarlib.cli.lazy import LazyGroup
from rarlib.model.errors import DecisionError, InputError, SchedulerError

app = typer.Typer(
    cls=LazyGroup,
    help="Reproduce and compare schedulers for distributed deep-learning jobs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


DEBUG = "--debug"


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
    """Run a command; exit with 0 (fine), 1 (a check failed), 2 (bad input) or 130 (interrupted)."""
    try:
        code = app(args=arguments, prog_name="rarlib", standalone_mode=False) or 0
    except (InputError, DecisionError, SchedulerError, TyperException) as error:
        if DEBUG in (arguments if arguments is not None else sys.argv):
            raise
        message = error.format_message() if isinstance(error, TyperException) else str(error)
        if message:  # empty when help has been printed instead of running a command
            print(f"error: {' '.join(message.split())}", file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    if code == 130:
        print("interrupted", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
