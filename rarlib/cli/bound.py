"""`rarlib bound`: values that no schedule of an instance can beat."""

import json
from typing import TYPE_CHECKING, Any

import typer

from rarlib.cli.options import ClusterSpec, Contention, Cost, Format, Limit, Quantum, TraceName
from rarlib.cli.text import say
from rarlib.model import limits
from rarlib.model.errors import InputError

if TYPE_CHECKING:
    from rarlib.bounds.lower_bounds import Bound

_TITLES = {"makespan": "makespan", "mean_jct": "mean JCT"}


def bound(
    trace: TraceName,
    cluster: ClusterSpec,
    format: Format = None,
    cost: Cost = None,
    contention: Contention = None,
    quantum: Quantum = 0.0,
    whole_slots: bool = typer.Option(False, "--whole-slots", help="Jobs hold their GPUs to the end of a quantum."),
    never_stopped: bool = typer.Option(False, "--never-stopped", help="Bound schedules that never stop or move a job."),
    effort: int = typer.Option(200, min=0, help="Rounds allowed to each linear program; 0: closed forms only."),
    seed: int = typer.Option(0, min=0, help="Seed of stand-in traces."),
    limit: Limit = None,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Prove lower bounds on makespan and mean JCT that hold for every scheduler on this instance."""
    from rarlib.bounds.lower_bounds import lower_bounds
    from rarlib.cli.instance import cost_model, read_instance, standin_line
    from rarlib.cli.working import compiling_note
    from rarlib.simulator.cost_models import TrainingModel

    if not 0.0 <= quantum <= limits.SECONDS.most:
        rule = f"must be a number of seconds, 0 or more and at most {limits.SECONDS.most:,}, found {quantum}"
        raise InputError(rule, file="--quantum")
    if whole_slots and quantum == 0.0:
        raise InputError("whole slots need a quantum above 0", file="--whole-slots")
    model = cost_model(cost, contention)
    if isinstance(model, TrainingModel):
        raise InputError(f"no bound is known where prices change during a run, as under {model.name}", file="--cost")
    given = read_instance(trace, format, cluster, model, seed, limit)
    with compiling_note(quiet=False):
        found = lower_bounds(
            given.jobs,
            given.cluster,
            given.cost.price(given.jobs, given.cluster),
            quantum=quantum,
            whole_slots=whole_slots,
            never_stopped=never_stopped,
            effort=effort,
        )
    if as_json:
        options = {
            "quantum_s": quantum,
            "whole_slots": whole_slots,
            "never_stopped": never_stopped,
            "effort": effort,
            "jobs": len(given.jobs),
        }
        print(json.dumps(_record(found, {**given.facts, **options}), indent=2, sort_keys=True))
        return
    if warning := standin_line(given):
        say(warning)
    print(f"{len(given.jobs):,} jobs, {given.cluster.total_gpus:,} GPUs")
    for objective, title in _TITLES.items():
        _print_table(found, objective, title)


def _record(found: "list[Bound]", facts: dict[str, Any]) -> dict[str, Any]:
    from rarlib.bounds.lower_bounds import largest_bound

    top = {objective: largest_bound(found, objective)._asdict() for objective in _TITLES}
    return {**facts, "bounds": [one._asdict() for one in found], "best": top}


def _print_table(found: "list[Bound]", objective: str, title: str) -> None:
    from rarlib.bounds.lower_bounds import largest_bound

    top = largest_bound(found, objective)
    print(f"\n{title} is at least {top.value_s:,.1f} s ({top.method})")
    for one in found:
        if one.objective == objective:
            mark = "*" if one is top else " "
            print(f"{mark} {one.value_s:18,.1f} s  {one.method:20}{one.detail}".rstrip())
