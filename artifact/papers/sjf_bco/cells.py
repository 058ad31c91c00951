"""SJF-BCO's evaluation (MobiHoc 2022, section 7): every run behind Figures 4 to 7.

A cell is one scheduler in one figure, over all readings and seeds. All runs use the simulator with slots of one unit,
whole slots and the slotted prices of the instance. Schedulers are compared on the same instances.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from artifact.papers.sjf_bco.choices import UNKNOWNS, options, read_as, setup_of
from artifact.papers.sjf_bco.inference import outcomes, played
from artifact.papers.sjf_bco.instance import Instance, Setup, instance
from artifact.papers.sjf_bco.theory import check_guarantees, growth_of_operations, proven, small_checks
from artifact.unknowns import table_of_draws
from rarlib.discovery import make_scheduler
from rarlib.model.errors import InputError
from rarlib.records.tidy import tidy
from rarlib.simulator.engine import simulate

BATCH_SETUP = "batch"
"""Set-up of all rows: every job waits from the start."""


class _Point(NamedTuple):
    """One point of a figure: `more` are arguments of the scheduler that the figure varies."""

    x_name: str
    x: float
    servers: int
    more: dict[str, Any]


FIGURES = ("fig4", "fig5", "fig6", "fig7")


def points(figure: str, scheduler: str, settings: Mapping[str, Any]) -> list[_Point]:
    """All points of a scheduler in a figure.

    Raises:
        InputError: for an unknown figure, or a scheduler that is not part of it.
    """
    if figure not in FIGURES:
        raise InputError(
            f"unknown figure {figure!r}; known: {', '.join([*FIGURES, 'theory', 'inference'])}", field="figure"
        )
    if figure in ("fig5", "fig7") and scheduler != "sjf-bco":
        raise InputError(f"{figure} varies a parameter of sjf-bco; {scheduler} does not have it", field="scheduler")
    servers = settings["servers"]
    if figure == "fig4":
        return [_Point("servers", servers, int(servers), {})]
    if figure == "fig6":
        return [_Point("servers", each, each, {}) for each in servers]
    if figure == "fig5":
        return [_Point("kappa", kappa, int(servers), {"kappa": kappa}) for kappa in settings["kappas"]]
    kappa = settings["kappa"]
    return [_Point("lambda", x, int(servers), {"lambda": x, "kappa": kappa}) for x in settings["lambdas"]]


def run_cell(figure: str, scheduler: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one figure.

    Args:
        figure: fig4 to fig7, theory or inference.
        scheduler: its name; anything in `inference`, which runs all four.
        settings: `seeds` (number of instances), `readings` (names in `choices.RUN_READINGS`), `jobs`, `T` (horizon,
            slots), `servers`, those of `choices.read_as`; fig5: `kappas`; fig7: `lambdas`, `kappa`; theory: `limit` (of
            exact programs, deterministic time, about seconds); inference: `draws`.
        data: not read.

    Returns:
        Tidy rows, one per metric and run. A run without a feasible schedule has `feasible` 0 and no values.
    """
    if figure == "inference":
        draws = int(settings["draws"])
        return table_of_draws(UNKNOWNS, draws, outcomes, experiment="sjf-bco-inference", member=scheduler)
    rows: list[tuple[Any, ...]] = []
    for reading in settings["readings"]:
        parameters, seeds = read_as(reading, settings), range(int(settings["seeds"]))
        if figure == "theory":
            rows += [(BATCH_SETUP, reading, *row) for seed in seeds for row in _theory_rows(seed, parameters, settings)]
            continue
        how, own = setup_of(parameters), options(scheduler, parameters, settings["T"])
        rows += [
            (BATCH_SETUP, reading, point.x_name, point.x, seed, *row)
            for point, seed in product(points(figure, scheduler, settings), seeds)
            for case, bounds in [_case(seed, point.servers, how, int(settings["jobs"]))]
            for row in measure(case, make_scheduler(scheduler, {**own, **point.more}), settings["T"], seed, bounds)
        ]
    return tidy(rows, f"sjf-bco-{figure}", scheduler)


@lru_cache(1024)
def _case(seed: int, servers: int, setup: Setup, jobs: int) -> tuple[Instance, tuple[float, float]]:
    """An instance and its proven bounds, made once for all points of a cell."""
    case = instance(seed, servers, setup, jobs)
    return case, proven(case)


def measure(
    case: Instance, planner: Any, horizon: float, seed: int, bounds: tuple[float, float]
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run; `bounds` are the instance's proven bounds, see `theory.proven`."""
    outcome = played(case, planner, seed)
    start, finish = outcome if outcome else (np.full(1, np.nan), np.full(1, np.nan))
    gpus = case.jobs.gpus
    alone = float((gpus * case.jobs.duration_s).sum())
    rows: list[tuple[str, float, str]] = [
        ("feasible", float(outcome is not None), "1"),
        ("makespan", float(finish.max()), "slot"),
        ("average", float(finish.mean()), "slot"),
        ("shortest", float(finish.min()), "slot"),
        ("within_horizon", float(finish.max() <= horizon), "1"),
        ("extra", float((gpus * (finish - start)).sum()) / alone - 1.0, "1"),
        ("bound", bounds[0], "slot"),
        ("bound_average", bounds[1], "slot"),
        ("cluster_gpus", float(case.cluster.total_gpus), "GPU"),
    ]
    plan = getattr(planner, "last_plan", None)
    if plan is not None and outcome is not None:
        rows += _lemmas(plan, float(finish.max()), int(gpus.max()))
    return rows


def _lemmas(plan: Any, makespan: float, largest: int) -> list[tuple[str, float, str]]:
    """Lemmas 2 and 3 on one run; limits are whole slots, so Lemma 2 may miss by less than one."""
    return [
        ("busiest", plan.busiest, "slot"),
        ("lemma2", float(-1e-9 <= plan.theta - plan.busiest < 1.0), "1"),
        ("lemma3", float(makespan <= largest * plan.busiest), "1"),
    ]


def _theory_rows(seed: int, parameters: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Guarantees at scale, and on small instances."""
    own, how = options("sjf-bco", parameters, settings["T"]), setup_of(parameters)
    case = instance(seed, int(settings["servers"]), how, int(settings["jobs"]))
    planner: Any = make_scheduler("sjf-bco", own)
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=seed)
    found = [
        *check_guarantees(case, own["tau_hat"], planner.last_plan.theta, run.makespan_s),
        *growth_of_operations(case, own["tau_hat"], settings["T"]),
    ]
    small = {name: value for name, value in own.items() if name != "horizon"}
    kinds = [("paper", *row) for row in found] + list(small_checks(seed, how, small, settings["limit"]))
    for kind, metric, value in kinds:
        yield "instances", kind, seed, metric, value, "1"
