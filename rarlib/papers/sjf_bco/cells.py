"""SJF-BCO's evaluation (MobiHoc 2022, section 7): every run behind Figures 4 to 7 and their calibration.

A cell is one scheduler in one figure, over all set-ups and seeds. All runs use the simulator with slots of
one unit, whole slots and the slotted prices of the instance. Schedulers are compared on the same instances.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.discovery import make_scheduler
from rarlib.model.errors import InfeasibleError, InputError
from rarlib.model.jobs import Jobs
from rarlib.papers.sjf_bco.instance import SETUPS, Instance, instance
from rarlib.papers.sjf_bco.theory import check_guarantees, growth_of_operations, proven, small_checks
from rarlib.records.tidy import tidy
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace

ESTIMATE = {"tau_hat": 0.05}
"""rho-hat = F tau_max: the stated range 50..300 of rho-hat is 0.05 times that of F, an upper estimate."""

SJF_BCO = {**ESTIMATE, "lambda": 8, "bisection": "per-kappa"}
"""lambda = 8: Figures 5 and 7 contradict each other at kappa = 1 unless Figures 4 and 5 used a large lambda."""

KAPPAS, LAMBDAS, _SERVERS = (1, 2, 4, 8, 10, 16, 32), (1, 2, 4, 8), (10, 15, 20)
HORIZON = {"fig4": 1200, "fig5": 1200, "fig6": 1500, "fig7": 1500, "calibration": 1200}
"""T of each figure in slots; the paper does not state that of Fig. 7."""

COMPARED: dict[str, dict[str, dict[str, Any]]] = {
    "sjf-bco": {"headline": SJF_BCO},
    "list-scheduling": {"headline": ESTIMATE, "rank-finish": {**ESTIMATE, "rank": "finish"}},
    "first-fit": {"headline": ESTIMATE, "random-order": {**ESTIMATE, "order": "submission"}},
}
"""Readings of each scheduler in Figures 4 and 6; any other scheduler runs with its defaults."""

ALTERNATIVES: dict[str, dict[str, dict[str, Any]]] = {
    "sjf-bco": {
        "shared-bisection": {**SJF_BCO, "bisection": "shared"},
        "fa-ffp-literal": {**SJF_BCO, "fa_ffp": "literal"},
        "fa-ffp-first": {**SJF_BCO, "fa_ffp": "first"},
        "lambda-1": {**SJF_BCO, "lambda": 1},
        "limit-finish": {**SJF_BCO, "limit": "finish"},
        "queue": {**SJF_BCO, "availability": "queue"},
    },
    "list-scheduling": {"idle": {**ESTIMATE, "availability": "idle"}},
    "first-fit": {"idle": {**ESTIMATE, "availability": "idle"}, "limit-busy": {**ESTIMATE, "limit": "busy"}},
}
"""Other readings of the paper, run for the calibration."""

HORIZON_BINDS = ("sjf-bco", "random")
"""Schedulers whose limit is T itself; FF and LS have a limit of their own, which may lie above T."""


class _Point(NamedTuple):
    """One point of a figure: a reading with its parameters."""

    reading: str
    x_name: str
    x: float
    servers: int
    params: dict[str, Any]
    from_trace: bool = False
    """Whether iterations are scaled down from a trace; else they are uniform, as the paper draws them."""


def points(figure: str, scheduler: str) -> Iterator[_Point]:
    """All points of a scheduler in a figure.

    Raises:
        InputError: for an unknown figure, or a scheduler that is not part of it.
    """
    if figure not in HORIZON:
        raise InputError(f"unknown figure {figure!r}; known: {', '.join([*HORIZON, 'theory'])}", field="figure")
    if figure in ("fig5", "fig7") and scheduler != "sjf-bco":
        raise InputError(f"{figure} varies a parameter of sjf-bco; {scheduler} does not have it", field="scheduler")
    if figure in ("fig4", "fig6"):
        for reading, params in COMPARED.get(scheduler, {"headline": {}}).items():
            for servers in (20,) if figure == "fig4" else _SERVERS:
                yield _Point(reading, "servers", servers, servers, params)
    elif figure == "fig5":
        for reading, widening in (("headline", 8), ("lambda-1", 1)):
            for kappa in KAPPAS:
                yield _Point(reading, "kappa", kappa, 20, {**SJF_BCO, "lambda": widening, "kappa": kappa})
    elif figure == "fig7":
        for widening in LAMBDAS:
            yield _Point("headline", "lambda", widening, 20, {**SJF_BCO, "lambda": widening, "kappa": 1})
    else:
        for reading, params in ALTERNATIVES.get(scheduler, {}).items():
            yield _Point(reading, "servers", 20, 20, params)
        headline = COMPARED.get(scheduler, {}).get("headline", {})
        yield _Point("trace-iterations", "servers", 20, 20, headline, from_trace=True)


def run_cell(figure: str, scheduler: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one figure.

    Args:
        figure: fig4 to fig7, calibration or theory.
        scheduler: its name.
        settings: `seeds` (number of instances), optionally `setups` (names in `SETUPS`); theory: `limit` (of exact
            programs, deterministic time, about seconds).
        data: table of jobs whose durations are scaled down to iterations in one reading of the calibration.

    Returns:
        Tidy rows, one per metric and run. A run without a feasible schedule has `feasible` 0 and no values.
    """
    trace = load_trace(data, "rarlib").jobs if data else None
    setups, seeds = settings.get("setups", list(SETUPS)), range(int(settings["seeds"]))
    if figure == "theory":
        rows = [row for seed in seeds for row in _theory_rows(seed, setups[0], settings["limit"])]
    else:
        rows = [
            (setup, point.reading, point.x_name, point.x, seed, metric, value, unit)
            for point in points(figure, scheduler)
            for setup in setups
            for seed in seeds
            for metric, value, unit in measure(
                instance(seed, point.servers, setup, _durations(trace) if point.from_trace else None),
                scheduler,
                point.params,
                HORIZON[figure],
                seed,
            )
        ]
    return tidy(rows, f"sjf-bco-{figure}", scheduler)


def measure(
    case: Instance, scheduler: str, params: Mapping[str, Any], horizon: float, seed: int
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    limit = {"horizon": horizon} if scheduler in HORIZON_BINDS else {}
    planner = make_scheduler(scheduler, {**params, **limit})
    largest = int(case.jobs.gpus.max())
    run: Run | None = None
    if largest <= case.cluster.total_gpus:
        try:
            run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=seed)
        except InfeasibleError:
            run = None
    plan = getattr(planner, "last_plan", None)
    nan = float("nan")
    alone = float((case.jobs.gpus * case.jobs.duration_s).sum())
    makespan, average = proven(case)
    rows = [
        ("feasible", float(run is not None), "1"),
        ("makespan", run.makespan_s if run else nan, "slot"),
        ("average", float(run.turnaround_s.mean()) if run else nan, "slot"),
        ("shortest", float(run.turnaround_s.min()) if run else nan, "slot"),
        ("within_horizon", float(run.makespan_s <= horizon) if run else 0.0, "1"),
        ("extra", float(run.gpu_seconds.sum()) / alone - 1.0 if run else nan, "1"),
        ("bound", makespan, "slot"),
        ("bound_average", average, "slot"),
        ("cluster_gpus", float(case.cluster.total_gpus), "GPU"),
    ]
    if plan is not None and run is not None:
        rows += _lemmas(plan, run, largest)
    return rows


def _lemmas(plan: Any, run: Run, largest: int) -> list[tuple[str, float, str]]:
    """Lemmas 2 and 3 on one run; limits are whole slots, so Lemma 2 may miss by less than one."""
    return [
        ("busiest", plan.busiest, "slot"),
        ("lemma2", float(-1e-9 <= plan.theta - plan.busiest < 1.0), "1"),
        ("lemma3", float(run.makespan_s <= largest * plan.busiest), "1"),
    ]


def _theory_rows(seed: int, setup: str, limit: float) -> list[tuple[Any, ...]]:
    case = instance(seed, 20, setup)
    planner: Any = make_scheduler("sjf-bco", {**SJF_BCO, "horizon": HORIZON["fig4"]})
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=seed)
    at_scale = [
        *check_guarantees(case, ESTIMATE["tau_hat"], planner.last_plan.theta, run.makespan_s),
        *growth_of_operations(seed, setup),
    ]
    found = [("paper", "headline", metric, value) for metric, value in at_scale]
    found += small_checks(seed, setup, {"headline": SJF_BCO, **ALTERNATIVES["sjf-bco"]}, limit)
    return [(setup, reading, "instances", kind, seed, metric, value, "1") for kind, reading, metric, value in found]


def _durations(trace: Jobs | None) -> dict[int, np.ndarray]:
    if trace is None:
        raise InputError("iterations scaled down from a trace need a trace", field="trace")
    return {int(g): trace.duration_s[trace.gpus == g] for g in np.unique(trace.gpus)}
