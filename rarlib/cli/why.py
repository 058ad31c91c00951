"""`rarlib why`: where the time of a run's jobs went, and why one job waited."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarlib.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from rarlib.records.read import Record


def why(
    run_folder: Path = typer.Argument(help="Folder of a run: jobs.csv, allocations.csv, details.csv, run.json."),
    job: str = typer.Option(None, help="Explain the waits of one job instead."),
    picture: Path = typer.Option(None, help="Draw the history of that job to this file, as SVG and as PNG."),
    out: Path = typer.Option(None, help="Write the split of every job as CSV (waiting.csv of the data dictionary)."),
) -> None:
    """Split every job's turnaround into waiting (and for what), restarts, overhead, contention and running."""
    from rarlib.model.files import write_text
    from rarlib.records.job_history import lines
    from rarlib.records.read import Record
    from rarlib.records.waiting import decompose

    record = Record.read(run_folder)
    if job is not None:
        print("\n".join(lines(record, record.position(job))))
        if picture is not None:
            _draw(record, job, picture)
        return
    if picture is not None:
        raise InputError("needs --job", file="--picture")
    table = decompose(record)
    if out is not None:
        write_text(out, table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    _summarise(record, table)


def _draw(record: "Record", job: str, path: Path) -> None:
    from rarlib.plot.style import save, use_style
    from rarlib.records.pictures import job_card

    use_style()
    source = {"title": f"Job {job}", "jobs.csv": record.facts["digests"]["jobs.csv"]}
    try:
        save(job_card(record, job), path.with_suffix(".svg"), path.with_suffix(".png"), source)
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror}", file=path) from None


def _summarise(record: "Record", table: "pd.DataFrame") -> None:
    import numpy as np

    from rarlib.records.waiting import TURNAROUND_PARTS, WAITS

    mean = table["turnaround_s"].mean()
    print(f"{record.facts.get('scheduler', 'run')}: {len(table):,} jobs, mean turnaround {mean:,.1f} s, of it")
    for name, label in TURNAROUND_PARTS.items():
        part, jobs = table[name].mean(), (table[name] > 5e-7).mean()
        if abs(part) > 5e-7:
            print(f"  {label:<20} {part:>14,.1f} s  {part / mean:>6.1%}   in {jobs:.1%} of the jobs")
    waited = table[list(WAITS)].sum(axis=1).to_numpy()
    longest = np.argsort(-waited, kind="stable")[:3]
    named = [f"{table['job_id'][row]} ({waited[row]:,.0f} s)" for row in longest if waited[row] > 0.0]
    if named:
        print(f"longest waits: {', '.join(named)}; ask with --job")
