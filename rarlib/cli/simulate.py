"""`rarlib simulate`: one scheduler, one trace, one cluster."""

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import typer
from tqdm import tqdm

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.experiments.discovery import make_scheduler, settings_of
from rarlib.experiments.records import write_run
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.simulator.engine import check_fits
from rarlib.simulator.engine import simulate as run_simulation
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace

_COSTS = ("trace", "ring")


def simulate(
    trace: str = typer.Option(..., help="A file, or the name of a source (see `rarlib sources list`)."),
    cluster: str = typer.Option(..., help="20x8, t4:16x4,rtx:3x8 or a YAML file."),
    scheduler: str = typer.Option(..., help="Name of a scheduler."),
    out: Path = typer.Option(..., help="Folder for jobs.csv, allocations.csv and run.json."),
    format: str = typer.Option(None, help="philly, helios, pai, acme, pollux, sia, aiturbo, rarlib; else recognised."),
    param: list[str] = typer.Option([], help="Parameter of the scheduler, name=value; may be repeated."),
    cost: str = typer.Option(None, help="trace (recorded durations) or ring (all-reduce with contention)."),
    contention: str = typer.Option(None, help="Constants of the ring model, e.g. alpha=0.3,xi=1.0."),
    quantum: float = typer.Option(0.0, help="Schedule at multiples of this many seconds only."),
    restart: float = typer.Option(0.0, help="Seconds a stopped job loses when it starts again."),
    seed: int = typer.Option(0, min=0, help="Seed of stand-in traces and of schedulers that draw."),
    limit: int = typer.Option(None, min=1, help="Keep the first N jobs."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress, no summary."),
) -> None:
    """Run a scheduler over a trace and write what happened."""
    model = _cost(cost, contention)
    machines = Cluster.parse(cluster)
    policy = make_scheduler(scheduler, _params(param))
    loaded = load_trace(trace, format, seed=seed, limit=limit)
    jobs = loaded.jobs
    check_fits(jobs, machines, file=loaded.provenance["file"])
    with tqdm(total=len(jobs), unit=" jobs", desc=scheduler, disable=quiet or not sys.stderr.isatty()) as bar:
        run = run_simulation(
            jobs,
            machines,
            policy,
            model,
            quantum=quantum,
            restart_s=restart,
            seed=seed,
            progress=lambda finished: _advance(bar, finished),
        )
    facts: dict[str, Any] = {
        "scheduler": scheduler,
        "parameters": settings_of(policy),
        "seed": seed,
        "cluster": cluster if not cluster.endswith((".yaml", ".yml")) else Path(cluster).name,
        "nodes": machines.nodes,
        "gpus": machines.total_gpus,
        "cost": {"name": model.name, **_constants(model)},
        "quantum_s": quantum,
        "restart_s": restart,
        "trace": loaded.provenance,
    }
    write_run(run, out, facts)
    if not quiet:
        _summarise(run, loaded.provenance, out)


def _advance(bar: "tqdm[Any]", finished: int) -> None:
    bar.update(finished - bar.n)


def _cost(name: str | None, contention: str | None) -> TraceCost | RingCost:
    if name is None:
        name = "trace" if contention is None else "ring"
    if name not in _COSTS:
        raise InputError(f"unknown cost model {name!r}; known: {', '.join(_COSTS)}", file="--cost")
    if name == "ring":
        return RingCost.parse(contention or "")
    if contention is not None:
        raise InputError("recorded durations know no contention; use --cost ring", file="--contention")
    return TraceCost()


def _constants(model: TraceCost | RingCost) -> dict[str, Any]:
    """All constants of a cost model, defaults included; a function by its name."""
    values = {field.name: getattr(model, field.name) for field in fields(model)}
    return {name: getattr(value, "__name__", value) for name, value in values.items()}


def _params(given: list[str]) -> dict[str, str]:
    params: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise InputError(f"must be name=value, found {text!r}", file="--param")
        if key in params:
            raise InputError(f"{key} is given twice", file="--param")
        params[key] = value
    return params


def _summarise(run: Run, provenance: dict[str, Any], out: Path) -> None:
    jct = run.turnaround_s
    if provenance.get("standin"):
        print("STAND-IN: the trace was drawn from our own statistics, not from the recorded log.")
    print(f"jobs {len(run.jobs)}, makespan {run.makespan_s:,.0f} s")
    print(f"JCT mean {jct.mean():,.1f} s, median {np.median(jct):,.1f} s, p99 {np.quantile(jct, 0.99):,.1f} s")
    print(f"queued {(run.queue_s > 0).mean():.1%} of the jobs, {run.queue_s.mean():,.1f} s on average")
    print(f"written to {out}")
