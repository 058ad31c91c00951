"""`rarlib export`: a run in the formats of other tools."""

from enum import StrEnum
from pathlib import Path

import typer

from rarlib.cli.options import Force
from rarlib.cli.text import say


class ExportFormat(StrEnum):
    """Formats in which a run can be written."""

    perfetto = "perfetto"
    swf = "swf"
    batsim = "batsim"


def export(
    run_folder: Path = typer.Argument(help="Folder of a run: jobs.csv, allocations.csv, details.csv, run.json."),
    to: ExportFormat = typer.Option(
        ..., help="A trace for ui.perfetto.dev, the Standard Workload Format, or Batsim's jobs.csv."
    ),
    out: Path = typer.Option(..., help="File to write."),
    force: Force = False,
) -> None:
    """Write a run for another tool."""
    from rarlib.model.files import write_text
    from rarlib.records.batsim import to_batsim
    from rarlib.records.outputs import check_outputs
    from rarlib.records.perfetto import to_perfetto
    from rarlib.records.read import Record
    from rarlib.records.swf import to_swf
    from rarlib.records.write import RUN_FILES

    writers = {ExportFormat.perfetto: to_perfetto, ExportFormat.swf: to_swf, ExportFormat.batsim: to_batsim}
    check_outputs([out], [run_folder / name for name in RUN_FILES], force=force)
    write_text(out, writers[to](Record.read(run_folder)))
    say(f"written to {out}")
