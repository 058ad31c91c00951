"""Options that several commands share. Nothing heavy is imported here, so that `--help` is there at once."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rarlib.model.errors import InputError


def _schedulers_like(incomplete: str) -> list[str]:
    """Names that the shell offers; files are parsed for them, nothing is imported."""
    from rarlib.declared import scheduler_names

    return [name for name in scheduler_names() if name.startswith(incomplete)]


SchedulerName = Annotated[
    str, typer.Option(help="Name of a scheduler (see `rarlib schedulers`).", autocompletion=_schedulers_like)
]
TraceName = Annotated[str, typer.Option(help="A file, or the name of a source (see `rarlib sources list`).")]
ClusterSpec = Annotated[str, typer.Option(help="20x8, t4:16x4,rtx:3x8 or a YAML file.")]
Format = Annotated[
    str | None,
    typer.Option(
        help="rarlib (your own CSV: submit_s, gpus, duration_s), acme, aiturbo, helios, hydra, pai (its folder), "
        "philly (its log or its table), philly-table, pollux, sia, swf (Standard Workload Format) or tiresias. "
        "Default: recognised by the first line.",
        show_default=False,
    ),
]
Cost = Annotated[
    str | None,
    typer.Option(
        help="trace (recorded durations), ring (all-reduce with contention) or goodput (measured on several GPU types, "
        "with batches that adapt; clusters such as t4:6x4,rtx:3x8,a100:2x8). Default: trace, or ring with "
        "--contention.",
        show_default=False,
    ),
]
Contention = Annotated[
    str | None,
    typer.Option(
        help="Constants of contention, name=value,...; those not named keep their defaults. ring: "
        "alpha=0.3,xi=1.0,share=0.05,overhead=0.005,gbps=10.0 (always on). goodput: "
        "alpha=0.3,xi=1.0,overhead_s=0.001,gbps=10.0 (without this option, no contention). trace: none.",
        show_default=False,
    ),
]
FabricSpec = Annotated[
    str | None,
    typer.Option(
        "--fabric",
        help="Jobs share the links of a fabric, by the law of docs/fabric.md instead of by the number of jobs on a "
        "server: cluster (its racks and uplinks) or one-switch, tree, leaf-spine, fat-tree with its keys, such as "
        "leaf-spine,racks=4,servers_per_rack=4,spines=2,oversubscription=4. Implies --cost ring.",
        show_default=False,
    ),
]
NetworkFile = Annotated[
    Path | None,
    typer.Option(
        "--network",
        help="The same from a YAML or JSON file: shape, its keys, alpha, ecmp_seed.",
    ),
]
Applications = Annotated[
    str | None,
    typer.Option(
        help="sia: give every job that names no measured application one by its recorded GPU time, as Sia's authors do "
        "(seeded by --seed); it takes its recorded duration when it runs alone as requested. Implies --cost goodput.",
        show_default=False,
    ),
]
Quantum = Annotated[float, typer.Option(help="Schedule at multiples of this many seconds only; 0: at any time.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Keep the first N jobs. Default: all.", show_default=False)]
PresetName = Annotated[
    str | None,
    typer.Option(
        help="All conventions of a paper's own simulator: sia. Sets cost, quantum, origin, tick, moves and the "
        "scheduler's parameters as in its evaluation, and writes the metrics of its tables. Other options take "
        "precedence."
    ),
]
Origin = Annotated[
    str | None,
    typer.Option(
        help="Where rounds are counted from: first (the first submission, the default), trace (zero of the trace's own "
        "clock), or the seconds on that clock at the first submission."
    ),
]
Tick = Annotated[
    float | None, typer.Option(help="Jobs end at the nearest multiple of this many seconds; 0, the default: exactly.")
]
FreeMoves = Annotated[
    bool | None,
    typer.Option(
        "--free-moves/--paid-moves",
        help="Moving a gang to other nodes of the same types and shape costs nothing (default: it is a restart).",
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace files even in a folder that holds no run of ours; an input is never replaced."
    ),
]


def read_params(given: list[str]) -> dict[str, Any]:
    """Values by name of `--param name=value`, as text.

    Raises:
        InputError: for text without a name or value, or a name that is given twice.
    """
    params: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise InputError(f"must be name=value, found {text!r}", file="--param")
        if key in params:
            raise InputError(f"{key} is given twice", file="--param")
        params[key] = value
    return params
