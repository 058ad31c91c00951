"""SJF-BCO's evaluation (MobiHoc 2022, section 7): every run behind Figures 4 to 7 and their calibration.

A cell is one scheduler in one figure, over all set-ups and seeds. All runs use the simulator with slots of
one unit, whole slots and the slotted prices of the instance. Schedulers are compared on the same instances.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.discovery import make_scheduler
from rarlib.model.errors import InfeasibleError, InputError
from rarlib.model.jobs import Jobs
from rarlib.papers.sjf_bco.inference import drawn_rows
from rarlib.papers.sjf_bco.instance import SETUPS, Instance, Setup, instance, named
from rarlib.papers.sjf_bco.physical import eq8_rows
from rarlib.papers.sjf_bco.readings import BUSY_LIMIT, alternatives, compared_readings, sjf_bco
from rarlib.papers.sjf_bco.theory import check_guarantees, growth_of_operations, proven, small_checks
from rarlib.records.tidy import tidy
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace

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


FIGURES = ("fig4", "fig5", "fig6", "fig7", "calibration")


def points(figure: str, scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    """All points of a scheduler in a figure.

    Raises:
        InputError: for an unknown figure, or a scheduler that is not part of it.
    """
    if figure not in FIGURES:
        raise InputError(
            f"unknown figure {figure!r}; known: {', '.join([*FIGURES, 'theory', 'inference', 'eq8'])}", field="figure"
        )
    if figure in ("fig5", "fig7") and scheduler != "sjf-bco":
        raise InputError(f"{figure} varies a parameter of sjf-bco; {scheduler} does not have it", field="scheduler")
    yield from _POINTS[figure](scheduler, settings)


def _fig4(scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    readings = compared_readings(scheduler, settings)
    if scheduler == "first-fit":
        readings["busy-limit"] = BUSY_LIMIT
    servers = int(settings["servers"])
    for reading, params in readings.items():
        yield _Point(reading, "servers", servers, servers, params)


def _fig5(scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    for reading, params in compared_readings(scheduler, settings).items():
        for kappa in settings["kappas"]:
            yield _Point(reading, "kappa", kappa, int(settings["servers"]), {**params, "kappa": kappa})


def _fig6(scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    for reading, params in compared_readings(scheduler, settings).items():
        for servers in settings["servers"]:
            yield _Point(reading, "servers", servers, servers, params)


def _fig7(scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    servers, own = int(settings["servers"]), {**sjf_bco(settings), "kappa": settings["kappa"]}
    for widening in settings["lambdas"]:
        yield _Point("headline", "lambda", widening, servers, {**own, "lambda": widening})


def _calibration(scheduler: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    servers = int(settings["servers"])
    for reading, params in alternatives(scheduler, settings).items():
        yield _Point(reading, "servers", servers, servers, params)
    headline = compared_readings(scheduler, settings)["headline"]
    yield _Point("trace-iterations", "servers", servers, servers, headline, from_trace=True)


_POINTS = {"fig4": _fig4, "fig5": _fig5, "fig6": _fig6, "fig7": _fig7, "calibration": _calibration}


def run_cell(figure: str, scheduler: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one figure.

    Args:
        figure: fig4 to fig7, calibration, theory, inference or eq8.
        scheduler: its name; anything in `inference`, which runs all four, and in `eq8`, which runs none.
        settings: `seeds` (number of instances), optionally `setups` (names in `SETUPS`, the headline's first) and `few`
            (instances of the other set-ups in fig5 and fig6); `jobs`, `T` (horizon, slots), `servers`, `alpha` and `xi`
            (contention, None: that of the set-up), those of `readings.py`; fig5: `kappas`; fig7: `lambdas`, `kappa`;
            theory: `limit` (of exact programs, deterministic time, about seconds); inference: `draws`; eq8: see
            `physical.Ring`.
        data: table of jobs whose durations are scaled down to iterations in one reading of the calibration.

    Returns:
        Tidy rows, one per metric and run. A run without a feasible schedule has `feasible` 0 and no values.
    """
    if figure == "inference":
        return drawn_rows(int(settings["draws"])).assign(scheduler=scheduler)
    if figure == "eq8":
        return eq8_rows(scheduler, settings)
    trace = load_trace(data, "rarlib").jobs if data else None
    setups, seeds = list(settings.get("setups", SETUPS)), int(settings["seeds"])
    if figure == "theory":
        rows = [row for seed in range(seeds) for row in _theory_rows(seed, setups[0], settings)]
    else:
        fewer = int(settings.get("few", seeds)) if figure in ("fig5", "fig6") else seeds
        drawn = {setup: fewer if i else seeds for i, setup in enumerate(setups)}
        how = {setup: _setup(setup, settings) for setup in setups}
        rows = [
            (setup, point.reading, point.x_name, point.x, seed, metric, value, unit)
            for point in points(figure, scheduler, settings)
            for setup in (setups[:1] if figure == "calibration" else setups)
            for seed in range(drawn[setup])
            for case, bounds in [_case(seed, how[setup], point, int(settings["jobs"]), trace)]
            for metric, value, unit in measure(case, scheduler, point.params, settings["T"], seed, bounds)
        ]
    return tidy(rows, f"sjf-bco-{figure}", scheduler)


def _setup(name: str, settings: Mapping[str, Any]) -> Setup:
    return named(name, settings["alpha"], settings["xi"])


def _case(
    seed: int, setup: Setup, point: _Point, jobs: int, trace: Jobs | None
) -> tuple[Instance, tuple[float, float]]:
    if not point.from_trace:
        return _synthetic(seed, point.servers, setup, jobs)
    case = instance(seed, point.servers, setup, _durations(trace), jobs)
    return case, proven(case)


@lru_cache(1024)
def _synthetic(seed: int, servers: int, setup: Setup, jobs: int) -> tuple[Instance, tuple[float, float]]:
    """An instance and its proven bounds, made once for all points and readings of a cell."""
    case = instance(seed, servers, setup, jobs=jobs)
    return case, proven(case)


def measure(
    case: Instance,
    scheduler: str,
    params: Mapping[str, Any],
    horizon: float,
    seed: int,
    bounds: tuple[float, float] | None = None,
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run; `bounds` are the instance's proven bounds, if they are known already."""
    planner = planner_of(scheduler, params, horizon)
    outcome = played(case, planner, seed)
    start, finish = outcome if outcome else (np.full(1, np.nan), np.full(1, np.nan))
    gpus = case.jobs.gpus
    alone = float((gpus * case.jobs.duration_s).sum())
    makespan, average = bounds if bounds else proven(case)
    rows = [
        ("feasible", float(outcome is not None), "1"),
        ("makespan", float(finish.max()), "slot"),
        ("average", float(finish.mean()), "slot"),
        ("shortest", float(finish.min()), "slot"),
        ("within_horizon", float(finish.max() <= horizon), "1"),
        ("extra", float((gpus * (finish - start)).sum()) / alone - 1.0, "1"),
        ("bound", makespan, "slot"),
        ("bound_average", average, "slot"),
        ("cluster_gpus", float(case.cluster.total_gpus), "GPU"),
    ]
    plan = getattr(planner, "last_plan", None)
    if plan is not None and outcome is not None:
        rows += _lemmas(plan, float(finish.max()), int(gpus.max()))
    return rows


def planner_of(scheduler: str, params: Mapping[str, Any], horizon: float) -> Any:
    """The scheduler, with the horizon if it binds."""
    return make_scheduler(scheduler, {**params, **({"horizon": horizon} if scheduler in HORIZON_BINDS else {})})


def played(case: Instance, planner: Any, seed: int) -> tuple[Any, Any] | None:
    """Start and finish of every job, in slots; None if there is no schedule within the horizon.

    A plan on idle GPUs is itself a simulation (`planning/idling.py`), so the run is cut after its first pass, in which
    the plan is made; every other scheduler runs to the end.
    """
    if case.jobs.gpus.max() > case.cluster.total_gpus:
        return None
    whole = not getattr(planner, "keeps_order", False)
    until = np.inf if whole else 0.5
    slots: dict[str, Any] = {"quantum": 1.0, "whole_slots": True, "until_s": until, "seed": seed}
    try:
        run = simulate(case.jobs, case.cluster, planner, case.cost, **slots)
    except InfeasibleError:
        return None
    if whole:
        return run.start_s, run.finish_s
    batch = planner.last_plan.batch
    order = np.argsort(batch.row)
    return batch.start[order], batch.finish[order]


def _lemmas(plan: Any, makespan: float, largest: int) -> list[tuple[str, float, str]]:
    """Lemmas 2 and 3 on one run; limits are whole slots, so Lemma 2 may miss by less than one."""
    return [
        ("busiest", plan.busiest, "slot"),
        ("lemma2", float(-1e-9 <= plan.theta - plan.busiest < 1.0), "1"),
        ("lemma3", float(makespan <= largest * plan.busiest), "1"),
    ]


def _theory_rows(seed: int, setup: str, settings: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Guarantees at scale, and on small instances under every reading of Algorithm 1 but `one-server`."""
    own, how = compared_readings("sjf-bco", settings), _setup(setup, settings)
    case = instance(seed, int(settings["servers"]), how, jobs=int(settings["jobs"]))
    planner: Any = make_scheduler("sjf-bco", {**own["headline"], "horizon": settings["T"]})
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, seed=seed)
    at_scale = [
        *check_guarantees(case, settings["tau_hat"], planner.last_plan.theta, run.makespan_s),
        *growth_of_operations(case, settings["tau_hat"], settings["T"]),
    ]
    found = [("paper", "headline", metric, value) for metric, value in at_scale]
    checked = {name: own[name] for name in ("headline", "lambda-8")} | alternatives("sjf-bco", settings)
    found += small_checks(seed, how, checked, settings["limit"])
    return [(setup, reading, "instances", kind, seed, metric, value, "1") for kind, reading, metric, value in found]


def _durations(trace: Jobs | None) -> dict[int, np.ndarray]:
    if trace is None:
        raise InputError("iterations scaled down from a trace need a trace", field="trace")
    return {int(g): trace.duration_s[trace.gpus == g] for g in np.unique(trace.gpus)}
