"""`rarlib simulate`: one scheduler, one cluster, one trace or several, each in a run of its own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarlib.cli.options import (
    Applications,
    ClusterSpec,
    Contention,
    Cost,
    FabricSpec,
    Force,
    Format,
    FreeMoves,
    Limit,
    NetworkFile,
    Origin,
    PresetName,
    SchedulerName,
    Tick,
    read_params,
)
from rarlib.model.errors import InputError

if TYPE_CHECKING:
    from rarlib.cli.instance import Instance
    from rarlib.cli.presets import Preset
    from rarlib.model.scheduler import Scheduler
    from rarlib.simulator.engine import Conventions
    from rarlib.simulator.run import Run

Traces = Annotated[
    list[str],
    typer.Option(
        "--trace",
        help="A file, or the name of a source (see `rarlib sources list`). If repeated, each trace is a run of its "
        "own, in a folder of its name below --out.",
    ),
]


def simulate(
    trace: Traces,
    cluster: ClusterSpec,
    scheduler: SchedulerName,
    out: Path = typer.Option(..., help="Folder for jobs.csv, allocations.csv, details.csv and run.json."),
    format: Format = None,
    param: list[str] = typer.Option([], help="name=value, see `rarlib schedulers NAME`; may be repeated."),
    cost: Cost = None,
    applications: Applications = None,
    contention: Contention = None,
    fabric: FabricSpec = None,
    network: NetworkFile = None,
    quantum: float | None = typer.Option(None, help="Schedule at multiples of this many seconds only; 0: at any time."),
    restart: float | None = typer.Option(
        None, help="Seconds that a stopped job loses when it starts again; by default that of the cost model."
    ),
    preset: PresetName = None,
    origin: Origin = None,
    tick: Tick = None,
    free_moves: FreeMoves = None,
    seed: int = typer.Option(0, min=0, help="Seed of stand-in traces and of randomised schedulers."),
    limit: Limit = None,
    quiet: bool = typer.Option(False, "--quiet", help="Print no progress and no summary."),
    force: Force = False,
) -> None:
    """Run a scheduler over a trace and write what happened."""
    from rarlib.cli.instance import cost_model, read_instance, standin_line
    from rarlib.cli.network import network_files
    from rarlib.cli.presets import Chosen, find_preset, metrics
    from rarlib.cli.summary import print_summary, write_metrics
    from rarlib.discovery import make_scheduler
    from rarlib.records.outputs import check_outputs
    from rarlib.records.write import write_run

    base, names = find_preset(preset), _names(trace)
    folders = [out] if len(trace) == 1 else [out / name for name in names]
    read: list[str | Path] = [*trace, cluster, *network_files(network if fabric is None else None)]
    check_outputs([out / "metrics.csv"] if base is not None else [], read, folders, force=force)
    linked = fabric is not None or network is not None
    model = cost_model(
        cost or (base.cost if base is not None else None), contention, linked=linked, applications=applications
    )
    quantum_s = quantum if quantum is not None else (0.0 if base is None else base.quantum_s(scheduler))
    if base is not None and quantum_s <= 0.0:
        raise InputError("the metrics of a preset count rounds, which need a quantum above 0", file="--quantum")
    settings = _with_preset(read_params(param), base, scheduler, cluster, quantum_s)
    chosen, done = Chosen(origin, tick, free_moves), []
    for source, name, folder in zip(trace, names, folders, strict=True):
        policy = make_scheduler(scheduler, settings)
        arrange = None if base is None else base.arrange
        given = read_instance(source, format, cluster, model, seed, limit, (fabric, network), applications, arrange)
        conventions = chosen.conventions(base, given.jobs)
        run, facts = _simulated(given, policy, quantum_s, restart, conventions, quiet=quiet)
        write_run(run, folder, facts)
        done.append((name, run))
        if not quiet:
            print_summary(run, facts, standin_line(given), folder)
    if base is not None:
        write_metrics(metrics(base, done, quantum_s), out / "metrics.csv", quiet=quiet)


def _simulated(
    given: "Instance",
    policy: "Scheduler",
    quantum_s: float,
    restart_s: float | None,
    conventions: "Conventions",
    *,
    quiet: bool,
) -> "tuple[Run, dict[str, Any]]":
    """A run, and the facts that its record keeps."""
    from rarlib.cli.working import work_bar
    from rarlib.discovery import settings_with_defaults
    from rarlib.simulator.cost_models import TrainingModel
    from rarlib.simulator.engine import simulate as run_simulation

    with work_bar(policy.name, quiet=quiet) as progress:
        run = run_simulation(
            given.jobs,
            given.cluster,
            policy,
            given.cost,
            quantum=quantum_s,
            restart_s=restart_s,
            conventions=conventions,
            seed=given.facts["seed"],
            progress=progress,
        )
    facts = given.facts | conventions._asdict() | {"scheduler": policy.name, "quantum_s": quantum_s}
    facts["parameters"] = settings_with_defaults(policy)
    facts["restart_s"] = restart_s if restart_s is not None or isinstance(given.cost, TrainingModel) else 0.0
    return run, facts


def _names(traces: list[str]) -> list[str]:
    """A folder name for each trace."""
    names = [Path(trace).stem for trace in traces]
    for trace, name in zip(traces, names, strict=True):
        if len(traces) > 1 and name in ("", ".", ".."):
            raise InputError(f"{trace!r} gives no name to a folder", file="--trace")
        if names.count(name) > 1:
            raise InputError(f"{name} is given twice", file="--trace")
    return names


def _with_preset(
    given: dict[str, Any], base: "Preset | None", scheduler: str, cluster: str, quantum_s: float
) -> dict[str, Any]:
    """Parameters as given, then those of the preset."""
    if base is None:
        return given
    from rarlib.discovery import parameters, scheduler_class
    from rarlib.model.cluster import Cluster

    params = base.params(scheduler, len(set(Cluster.parse(cluster).gpu_type)))
    if "round_s" in parameters(scheduler_class(scheduler)):
        params["round_s"] = quantum_s
    return params | given
