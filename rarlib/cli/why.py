"""`rarlib why`: where the time of a run's jobs went, and why one job waited."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarlib.cli.options import Force
from rarlib.cli.text import say
from rarlib.model.errors import InputError
from rarlib.model.foreign import printable

if TYPE_CHECKING:
    import pandas as pd

    from rarlib.records.read import Record


def why(
    run_folder: Path = typer.Argument(help="Folder of a run: jobs.csv, allocations.csv, details.csv, run.json."),
    job: str = typer.Option(None, help="Explain the waits of one job instead."),
    picture: Path = typer.Option(None, help="Draw the history of that job to this file, as SVG and as PNG."),
    out: Path = typer.Option(None, help="Write the split of every job as CSV (waiting.csv of the data dictionary)."),
    force: Force = False,
) -> None:
    """Split every job's turnaround into waiting (and for what), restarts, overhead, contention and running."""
    from rarlib.model.files import write_text
    from rarlib.model.foreign import as_fields
    from rarlib.records.job_history import lines
    from rarlib.records.outputs import check_outputs
    from rarlib.records.read import Record
    from rarlib.records.waiting import decompose
    from rarlib.records.write import RUN_FILES

    if picture is not None and job is None:
        raise InputError("needs --job", file="--picture")
    if out is not None and job is not None:
        raise InputError("is for all jobs, --job for one", file="--out")
    pictures = _pictures(picture) if picture is not None else []
    outputs = [*pictures, *([out] if out is not None else [])]
    check_outputs(outputs, [run_folder / name for name in RUN_FILES], force=force)
    record = Record.read(run_folder)
    if job is not None:
        say(*lines(record, record.position(job)))
        if pictures:
            _draw(record, job, *pictures)
        return
    table = decompose(record)
    if out is not None:
        table = table.assign(job_id=as_fields(table["job_id"]))
        write_text(out, table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    _summarise(record, table)


def _pictures(path: Path) -> list[Path]:
    """The files of a picture; the path itself if it names none."""
    try:
        return [path.with_suffix(".svg"), path.with_suffix(".png")]
    except ValueError:
        return [path]


def _draw(record: "Record", job: str, svg: Path, png: Path) -> None:
    import matplotlib.pyplot as plt

    from rarlib.plot.style import save, use_style
    from rarlib.records.pictures import job_card

    use_style()
    source = {"title": f"Job {printable(job)}", "jobs.csv": record.facts["digests"]["jobs.csv"]}
    figure = job_card(record, job)
    try:
        save(figure, svg, png, source)
    finally:
        plt.close(figure)


def _summarise(record: "Record", table: "pd.DataFrame") -> None:
    import numpy as np

    from rarlib.records.waiting import TURNAROUND_PARTS, WAITS

    mean = table["turnaround_s"].mean()
    say(f"{record.facts.get('scheduler', 'run')}: {len(table):,} jobs, mean turnaround {mean:,.1f} s, of it")
    for name, label in TURNAROUND_PARTS.items():
        part, jobs = table[name].mean(), (table[name] > 5e-7).mean()
        if abs(part) > 5e-7:
            say(f"  {label:<20} {part:>14,.1f} s  {part / mean:>6.1%}   in {jobs:.1%} of the jobs")
    waited = table[list(WAITS)].sum(axis=1).to_numpy()
    longest = np.argsort(-waited, kind="stable")[:3]
    named = [f"{table['job_id'][row]} ({waited[row]:,.0f} s)" for row in longest if waited[row] > 0.0]
    if named:
        say(f"longest waits: {', '.join(named)}; ask with --job")
    _say_links(record)


def _say_links(record: "Record", most: int = 5) -> None:
    """Print the links that most of the contention is put down to."""
    from rarlib.records.link_use import link_use

    links = link_use(record)
    if links is None:
        return
    total = links["contention_s"].sum()
    slow = links[links["contention_s"] > 5e-7] if total > 0.0 else links[:0]
    many = f"{len(slow):,} of {len(links):,} links in use held jobs back"
    say(f"contention by link: {many}{', most:' if len(slow) else ''}")
    for name, delay_s, share in slow[["link", "contention_s", "share"]].to_numpy()[:most]:
        part = f"{delay_s:>14,.1f} s  {delay_s / total:>6.1%}"
        say(f"  {printable(name):<20} {part}   in use {share:.1%} of the time")
