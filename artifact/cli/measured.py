"""`rarlib measured`: models scored against what others measured on real machines."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.cli.options import Force
from rarlib.model.errors import InputError


def measured(
    goal: Annotated[str | None, typer.Option(help="Only this goal, such as G1.")] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Also print the error of every row.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the scores and verdicts as CSV files.")] = None,
    force: Force = False,
) -> None:
    """Score predictors and rivals against measured rows: error, interval, verdict for each goal."""
    from artifact.ledger.measured.ledger import ACCEPTED_FILES, measured_ledger, tables_here
    from artifact.ledger.measured.lines import goal_lines, row_lines
    from artifact.ledger.measured.scores import write_scores
    from rarlib.cli.text import say, width
    from rarlib.cli.working import compiling_note
    from rarlib.model.project import ROOT
    from rarlib.records.outputs import check_outputs

    files = [out / name for name in ACCEPTED_FILES] if out is not None else []
    check_outputs(files, [], force=force)
    with compiling_note(quiet=False):
        ledger = measured_ledger(ROOT, tables_here())
    if goal is not None and goal not in ledger.declared:
        raise InputError(f"no such goal; known: {', '.join(ledger.declared)}", file="--goal", field=goal)
    for name in ledger.declared if goal is None else [goal]:
        say(*goal_lines(ledger, name, width()), *(row_lines(ledger, name) if rows else ()), "")
    if ledger.accepted:
        say("Not scored here: the measured files are not at hand (data/measured.tsv); these are the accepted scores.")
    if files and ledger.accepted:
        raise InputError("nothing was scored here; name a folder with the measured files in RARLIB_MIRROR", file=out)
    for path, table in zip(files, (ledger.scores, ledger.goals), strict=False):
        write_scores(table, path)
        say(f"written: {path}")
