"""`rarlib arena`: schedulers of one's choice in the arena, and a ledger of one's own statements about it."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd


def arena(
    scheduler: Annotated[list[str], typer.Option(help="Name of a scheduler; repeat it for each one that takes part.")],
    out: Annotated[Path, typer.Option(help="Results folder; it must not exist yet.")],
    trace: Annotated[
        list[str] | None, typer.Option(help="Only the windows of this trace; may be repeated.", show_default=False)
    ] = None,
    windows: Annotated[
        int | None, typer.Option(help="Windows of each trace. Default: all.", show_default=False)
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="First jobs of each window. Default: all.", show_default=False)
    ] = None,
    grid: Annotated[bool, typer.Option("--grid", help="Also run the settings beyond the base setting.")] = False,
    statements: Annotated[
        Path | None,
        typer.Option(help="YAML file with statements of your own; `rarlib claims` prints their verdicts."),
    ] = None,
    figure: Annotated[bool, typer.Option("--figure", help="Also draw the standings.")] = False,
) -> None:
    """Run schedulers on the jobs, clusters and prices of the arena, and print how they stand."""
    from rarlib.arena.standings import standings
    from rarlib.cli.working import compiling_note
    from rarlib.discovery import scheduler_class
    from rarlib.model.errors import InputError
    from rarlib.workflow.own_arena import arena_settings, run_arena

    for name in scheduler:
        scheduler_class(name)
    if out.exists():
        raise InputError("is there already; name another folder", file=out)
    settings = arena_settings(trace or (), windows, jobs, grid=grid)
    with compiling_note(quiet=False):
        try:
            table = run_arena(scheduler, settings, out, statements, figure=figure, say=print)
        except InputError:
            if not (out / "cells").exists():  # nothing has been run: the same folder may be named again
                shutil.rmtree(out, ignore_errors=True)
            raise
    print("\n".join(_lines(standings(table))))
    print(f"written to {out}")


def _lines(ranked: "pd.DataFrame") -> list[str]:
    """Mean rank and mean ratio over the settings that a scheduler has run, best first."""
    from rarlib.arena.standings import by_rank

    means = ranked.groupby("scheduler")[["rank", "ratio"]].mean()
    order = by_rank(ranked)
    first = max(map(len, order)) + 2
    lines = [f"{'':{first}}{'mean rank':>11}{'of the best':>13}"]
    return lines + [f"{n:{first}}{means['rank'][n]:>11.1f}{means['ratio'][n]:>13.2f}" for n in order]
