"""`rarlib export`: a run as a trace for ui.perfetto.dev."""

from pathlib import Path

import typer

from rarlib.cli.options import Force
from rarlib.cli.text import say


def export(
    run_folder: Path = typer.Argument(help="Folder of a run: jobs.csv, allocations.csv, details.csv, run.json."),
    out: Path = typer.Option(..., help="File to write."),
    force: Force = False,
) -> None:
    """Write a run for ui.perfetto.dev."""
    from rarlib.model.files import write_text
    from rarlib.records.outputs import check_outputs
    from rarlib.records.perfetto import to_perfetto
    from rarlib.records.read import Record
    from rarlib.records.write import RUN_FILES

    check_outputs([out], [run_folder / name for name in RUN_FILES], force=force)
    write_text(out, to_perfetto(Record.read(run_folder)))
    say(f"written to {out}")
