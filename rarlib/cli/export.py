"""`rarlib export`: a run in the formats of other tools."""

from enum import StrEnum
from pathlib import Path

import typer


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
) -> None:
    """Write a run for another tool."""
    from rarlib.model.files import write_text
    from rarlib.records.batsim import to_batsim
    from rarlib.records.perfetto import to_perfetto
    from rarlib.records.read import Record
    from rarlib.records.swf import to_swf

    writers = {ExportFormat.perfetto: to_perfetto, ExportFormat.swf: to_swf, ExportFormat.batsim: to_batsim}
    write_text(out, writers[to](Record.read(run_folder)))
    print(f"written to {out}")
