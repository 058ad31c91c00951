"""`rarlib diff`: what differs between two results folders or deposits, and why."""

from pathlib import Path
from typing import Annotated

import typer


def diff(
    first: Annotated[Path, typer.Argument(help="Results folder or deposit.")],
    second: Annotated[Path, typer.Argument(help="Results folder or deposit to compare it with.")],
) -> None:
    """Say which tables, figures and claims differ, by how much and why; exit with 1 if any does, 2 on bad input."""
    from artifact.archive.compare import compare_results
    from rarlib.cli.text import say

    lines = compare_results(first, second)
    say(*lines, f"{len(lines)} differences" if lines else "all tables, figures and claims are the same")
    if lines:
        raise typer.Exit(1)
