"""`rarlib simulate`: one scheduler, one trace, one cluster."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import typer
from tqdm import tqdm

from rarlib.cli.instance import (
    ClusterSpec,
    Contention,
    Cost,
    Format,
    Limit,
    Quantum,
    TraceName,
    cost_model,
    read_instance,
)
from rarlib.discovery import make_scheduler, settings_with_defaults
from rarlib.model.errors import InputError
from rarlib.records.write import write_run
from rarlib.simulator.engine import TrainingModel
from rarlib.simulator.engine import simulate as run_simulation
from rarlib.simulator.run import Run


def simulate(
    trace: TraceName,
    cluster: ClusterSpec,
    scheduler: str = typer.Option(..., help="Name of a scheduler."),
    out: Path = typer.Option(..., help="Folder for jobs.csv, allocations.csv, details.csv and run.json."),
    format: Format = None,
    param: list[str] = typer.Option([], help="Parameter of the scheduler, name=value; may be repeated."),
    cost: Cost = None,
    contention: Contention = None,
    quantum: Quantum = 0.0,
    restart: float | None = typer.Option(
        None, help="Seconds that a stopped job loses when it starts again; by default that of the cost model."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of stand-in traces and of randomised schedulers."),
    limit: Limit = None,
    quiet: bool = typer.Option(False, "--quiet", help="Print no progress and no summary."),
) -> None:
    """Run a scheduler over a trace and write what happened."""
    model = cost_model(cost, contention)
    policy = make_scheduler(scheduler, _params(param))
    given = read_instance(trace, format, cluster, model, seed, limit)
    jobs = given.jobs
    with tqdm(total=len(jobs), unit=" jobs", desc=scheduler, disable=quiet or not sys.stderr.isatty()) as bar:
        run = run_simulation(
            jobs,
            given.cluster,
            policy,
            model,
            quantum=quantum,
            restart_s=restart,
            seed=seed,
            progress=lambda finished: _advance(bar, finished),
        )
    facts: dict[str, Any] = {
        **given.facts,
        "scheduler": scheduler,
        "parameters": settings_with_defaults(policy),
        "quantum_s": quantum,
        "restart_s": restart if restart is not None or isinstance(model, TrainingModel) else 0.0,
    }
    write_run(run, out, facts)
    if not quiet:
        _summarise(run, given.standin, out)


def _advance(bar: "tqdm[Any]", finished: int) -> None:
    bar.update(finished - bar.n)


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


def _summarise(run: Run, standin: str, out: Path) -> None:
    jct = run.turnaround_s
    if standin:
        print(standin)
    print(f"jobs {len(run.jobs)}, makespan {run.makespan_s:,.0f} s")
    print(f"JCT mean {jct.mean():,.1f} s, median {np.median(jct):,.1f} s, p99 {np.quantile(jct, 0.99):,.1f} s")
    print(f"queued {(run.queue_s > 0).mean():.1%} of the jobs, {run.queue_s.mean():,.1f} s on average")
    print(f"written to {out}")
