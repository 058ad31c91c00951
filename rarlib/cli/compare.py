"""`rarlib compare`: several schedulers on the same jobs, as a table and run folders."""

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarlib.cli.options import Applications, ClusterSpec, Contention, Cost, Force, Format, Limit, Quantum, TraceName
from rarlib.model.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from rarlib.cli.instance import Instance
    from rarlib.simulator.run import Run

EVERY_ONE = "all"
"""Stands for every scheduler that can run the jobs."""

_SHOWN = {"jct_mean_s": "mean JCT", "jct_p99_s": "p99 JCT", "queue_mean_s": "mean queue", "makespan_s": "makespan"}


def compare(
    trace: TraceName,
    cluster: ClusterSpec,
    scheduler: Annotated[
        list[str],
        typer.Option(
            help="Name of a scheduler; repeat it for each one to compare. all: every one that can run these jobs."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for compare.csv and, for each scheduler, the folder of its run.")],
    format: Format = None,
    cost: Cost = None,
    applications: Applications = None,
    contention: Contention = None,
    quantum: Quantum = 0.0,
    restart: Annotated[
        float | None, typer.Option(help="Seconds that a stopped job loses when it starts again.", show_default=False)
    ] = None,
    seed: int = typer.Option(0, min=0, help="Seed of stand-in traces and of randomised schedulers."),
    limit: Limit = None,
    force: Force = False,
) -> None:
    """Run several schedulers on the same jobs and print completion times side by side."""
    import pandas as pd

    from rarlib.cli.instance import cost_model, read_instance, standin_line
    from rarlib.cli.summary import assigned_line
    from rarlib.cli.text import say
    from rarlib.declared import scheduler_names
    from rarlib.discovery import make_scheduler, settings_with_defaults
    from rarlib.records.outputs import check_outputs
    from rarlib.records.tidy import write_table
    from rarlib.records.write import write_run

    everyone = scheduler == [EVERY_ONE]
    scheduler = scheduler_names() if everyone else _once(scheduler)
    made = {name: make_scheduler(name) for name in scheduler}
    table = out / "compare.csv"
    check_outputs([table], [trace, cluster], [out / name for name in scheduler], force=force)
    model = cost_model(cost, contention, applications=applications)
    given = read_instance(trace, format, cluster, model, seed, limit, applications=applications)
    if warning := standin_line(given):
        say(warning)
    if applications is not None:
        say(*wrap(assigned_line(given.facts["applications"]), 100))

    def keep(name: str, run: "Run") -> None:
        own = {"scheduler": name, "parameters": settings_with_defaults(made[name])}
        write_run(run, out / name, given.facts | own | {"quantum_s": quantum, "restart_s": restart})

    options = {"quantum": quantum, "restart_s": restart, "seed": seed}
    frames = [frame for name in scheduler if (frame := _tried(name, given, options, keep, everyone)) is not None]
    if not frames:
        raise InputError("no scheduler can run these jobs", file="--scheduler")
    frame = pd.concat(frames, ignore_index=True)
    write_table(frame, table)
    print(_table(frame))
    say(f"written to {out}")


def _tried(
    name: str, given: "Instance", options: dict[str, Any], keep: "Callable[[str, Run], None]", may_fail: bool
) -> "pd.DataFrame | None":
    """The rows of a scheduler; None where it may fail and cannot run these jobs, which is said."""
    from rarlib.cli.text import say
    from rarlib.records.compare import compare as compare_schedulers

    try:
        return compare_schedulers([name], given.jobs, given.cluster, given.cost, seen=keep, **options)
    except InputError as error:
        if not may_fail:
            raise
        say(f"left out: {name}: {error}")
        return None


def _once(names: list[str]) -> list[str]:
    """The names, none of which may be there twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{twice[0]} is given twice", file="--scheduler")
    return names


def _table(frame: "pd.DataFrame") -> str:
    """Schedulers from the shortest mean JCT to the longest, with how many times the shortest it is."""
    wide = frame.pivot_table(index="scheduler", columns="metric", values="value", sort=False)
    wide = wide.sort_values("jct_mean_s", kind="stable")
    first = max(map(len, wide.index)) + 2
    lines = [f"{'':{first}}" + "".join(f"{name:>15}" for name in _SHOWN.values()) + f"{'of the best':>15}"]
    for name, row in wide.iterrows():
        ratio = row["jct_mean_s"] / wide["jct_mean_s"].iloc[0] if wide["jct_mean_s"].iloc[0] else 1.0
        lines.append(f"{name:{first}}" + "".join(f"{row[each]:>13,.1f} s" for each in _SHOWN) + f"{ratio:>15.2f}")
    return "\n".join(lines)
