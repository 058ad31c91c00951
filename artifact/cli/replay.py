"""`rarlib replay`: a real Slurm lives through jobs of a trace, and is compared with the simulator."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarlib.cli.options import Force
from rarlib.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


_TABLES, _PICTURES = ("summary.csv", "starts.csv"), ("starts.svg", "starts.png")


def replay(
    source: str = typer.Argument(help="A trace file, or the name of a source (`rarlib sources list`)."),
    out: Path = typer.Option(help="Folder for summary.csv, starts.csv and its picture."),
    slurm: bool = typer.Option(False, "--slurm", help="On a Slurm that is brought up on this machine for it."),
    cluster: str = typer.Option(help="NODESxGPUS."),
    first: int = typer.Option(0, min=0, help="Leave out the first N jobs."),
    count: int = typer.Option(200, min=1, help="Keep so many jobs after them."),
    scale: float = typer.Option(600.0, help="Seconds of the trace in a second of Slurm."),
    interval: int = typer.Option(5, min=1, help="Seconds of Slurm between two looks of its backfill scheduler."),
    force: Force = False,
) -> None:
    """Let a real Slurm run jobs that sleep, and compare its schedule with ours (docs/slurm.md)."""
    import tempfile

    import pandas as pd

    from artifact.slurm.compare import share_agreed, starts, summarize
    from artifact.slurm.excerpt import read_excerpt
    from artifact.slurm.replay import REGIMES, live_through
    from rarlib.cli.text import say
    from rarlib.model.files import write_text
    from rarlib.records.outputs import check_outputs, is_run_folder

    if is_run_folder(out):
        raise InputError("is the folder of a run, to which nothing is added; name another folder", file=out)
    paths = [out / name for name in (*_TABLES, *_PICTURES)]
    check_outputs(paths, [source], force=force)
    excerpt = read_excerpt(source, cluster, first=first, count=count, scale=scale)
    if not slurm:
        raise InputError("jobs are replayed on a Slurm only; say so", file="--slurm")
    summaries: list[pd.DataFrame] = []
    histories: list[pd.DataFrame] = []
    for each in REGIMES:
        # MUNGE's socket lies in the folder, and a socket's path must be short.
        with tempfile.TemporaryDirectory(prefix="rarlib-", dir="/tmp") as folder:
            history = live_through(excerpt, each, interval, Path(folder))
        summaries.append(summarize(excerpt, each, history, interval))
        histories.append(starts(excerpt, each, history, interval))
    for name, frames in zip(_TABLES, (summaries, histories), strict=True):
        write_text(out / name, pd.concat(frames).to_csv(index=False, lineterminator="\n"))
    _draw(pd.concat(histories), out, excerpt.source)
    say(f"{excerpt.source}; looks every {interval} s")
    _print(pd.concat(summaries), share_agreed(histories))


def _draw(starts: "pd.DataFrame", out: Path, source: str) -> None:
    from artifact.plot.slurm import draw_starts
    from rarlib.plot.style import save, use_style

    use_style()
    facts = {"title": "Starts of jobs in Slurm and in the simulator", "jobs": source}
    save(draw_starts(starts), out / _PICTURES[0], out / _PICTURES[1], facts)


def _print(summary: "pd.DataFrame", agreed: "pd.DataFrame") -> None:
    from rarlib.cli.text import say

    for table in (summary.drop(columns=["slurm", "jobs", "scheduler", "parameters"]), agreed):
        say(*table.to_string(index=False).splitlines())
