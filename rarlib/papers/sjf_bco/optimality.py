"""How far from optimal SJF-BCO and its rivals are: proven bounds, best-known schedules, true optima.

Three tables. `scale`: the instances of the figures, where the optimum lies between the best bound and the best schedule
found by any means. `small`: parts of them, solved exactly with contention and overhead. `theta`: the smallest limit
that admits an assignment (eq. 14-16), against the one Algorithm 1 ends with.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.bounds.lower_bounds import lower_bounds
from rarlib.discovery import make_scheduler
from rarlib.ilp.rar_ddls import exact
from rarlib.ilp.rar_ddls.feasibility import smallest_theta
from rarlib.ilp.rar_ddls.slotted import slotted
from rarlib.model.errors import InputError
from rarlib.papers.sjf_bco.instance import Instance, instance, named, small_instance
from rarlib.papers.sjf_bco.readings import alternatives, compared_readings
from rarlib.records.tidy import tidy
from rarlib.simulator.engine import simulate

_READINGS = ("headline", "per-kappa", "fa-ffp-literal", "lambda-8")
"""Readings of Algorithm 1 whose theta is compared with the smallest one."""

_Row = tuple[str, float, str]
"""Metric, value, unit."""


def run_cell(table: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler, or one method that bounds or solves, on all instances of a table.

    Args:
        table: scale, small or theta.
        member: a scheduler, `bounds` or `exact`.
        settings: `seeds`, `setups` (theta and the small instances take the first), `jobs`, `servers`, `alpha`, `xi`
            (contention, None: that of the set-up), `effort` (of best-known: orders per job), `limit` (of exact
            programs: deterministic time, about seconds), `T` (horizon of Algorithm 1, slots), those of `readings.py`;
            small: `sizes` (numbers of jobs).
        data: not read.

    Returns:
        Tidy rows; the reading is `headline`, or the method of a bound.

    Raises:
        InputError: for an unknown table.
    """
    if table not in _TABLES:
        raise InputError(f"unknown table {table!r}; known: {', '.join(_TABLES)}", field="part")
    rows = list(_TABLES[table](member, settings))
    return tidy(rows, f"optimality-{table}", member)


def _scale(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for setup, seed in product(settings["setups"], range(int(settings["seeds"]))):
        case = _at_scale(seed, setup, settings)
        for reading, (metric, value, unit) in _answers(member, case, seed, settings):
            yield setup, reading, "servers", settings["servers"], seed, metric, value, unit


def _small(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    setup = settings["setups"][0]
    for jobs, seed in product(settings["sizes"], range(int(settings["seeds"]))):
        case = small_instance(seed, named(setup, settings["alpha"], settings["xi"]), jobs)
        answers = _optimum(case, settings) if member == "exact" else _answers(member, case, seed, settings)
        for reading, (metric, value, unit) in answers:
            yield setup, reading, "jobs", jobs, seed, metric, value, unit


def _theta(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    setup = settings["setups"][0]
    for seed in range(int(settings["seeds"])):
        case = _at_scale(seed, setup, settings)
        for reading, (metric, value, unit) in _limits(member, case, settings):
            yield setup, reading, "servers", settings["servers"], seed, metric, value, unit


def _at_scale(seed: int, setup: str, settings: Mapping[str, Any]) -> Instance:
    """An instance that every gang fits, so that all methods have an answer.

    Raises:
        InputError: the servers are too few for the largest gang.
    """
    how = named(setup, settings["alpha"], settings["xi"])
    case = instance(seed, int(settings["servers"]), how, jobs=int(settings["jobs"]))
    if case.jobs.gpus.max() > case.cluster.total_gpus:
        raise InputError("too few: a gang needs more GPUs than they have", field="servers")
    return case


_TABLES: dict[str, Callable[[str, Mapping[str, Any]], Iterator[tuple[Any, ...]]]] = {
    "scale": _scale,
    "small": _small,
    "theta": _theta,
}


def _answers(member: str, case: Instance, seed: int, settings: Mapping[str, Any]) -> Iterator[tuple[str, _Row]]:
    """Pairs of a reading and a row."""
    if member == "bounds":
        prices = case.cost.price(case.jobs, case.cluster)
        for bound in lower_bounds(case.jobs, case.cluster, prices, quantum=1.0, whole_slots=True, never_stopped=True):
            yield bound.method.replace(" ", "-"), (bound.objective, bound.value_s, "slot")
        return
    params = compared_readings(member, settings)["headline"]
    scheduler = make_scheduler(member, {"effort": int(settings["effort"])} if member == "best-known" else params)
    run = simulate(case.jobs, case.cluster, scheduler, case.cost, quantum=1.0, whole_slots=True, seed=seed)
    yield "headline", ("makespan", run.makespan_s, "slot")
    yield "headline", ("mean_jct", float(run.turnaround_s.mean()), "slot")


def _optimum(case: Instance, settings: Mapping[str, Any]) -> Iterator[tuple[str, _Row]]:
    """The optimum with contention and overhead; `optimal` is 0 where the limit was hit; only `bound` is proven."""
    prices = case.cost.price(case.jobs, case.cluster)
    found = exact.least_makespan(slotted(case.jobs, case.cluster, prices), float(settings["limit"]))
    yield "headline", ("makespan", float(found.schedule.makespan), "slot")
    yield "headline", ("bound", float(found.bound), "slot")
    yield "headline", ("optimal", float(found.status == "optimal"), "1")
    spanning = sum(sum(count > 0 for count in counts) > 1 for counts in found.schedule.placements)
    yield "headline", ("spanning", float(spanning), "jobs")


def _limits(member: str, case: Instance, settings: Mapping[str, Any]) -> Iterator[tuple[str, _Row]]:
    """The smallest feasible theta of eq. 14-16, or the theta that Algorithm 1 ends with under some readings."""
    if member == "exact":
        gangs, iterations = np.asarray(case.jobs.gpus), case.cost.iterations.astype(np.int64)
        unit, effort = float(settings["tau_hat"]), float(settings["limit"])
        found = smallest_theta(gangs, iterations, case.cluster.total_gpus, unit, effort=effort)
        yield "headline", ("theta", float(found.theta), "slot")
        yield "headline", ("bound", float(found.bound), "slot")
        yield "headline", ("optimal", float(found.status == "optimal"), "1")
        return
    known = compared_readings(member, settings) | alternatives(member, settings)
    for reading in _READINGS:
        planner: Any = make_scheduler(member, {**known[reading], "horizon": settings["T"]})
        run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True)
        yield reading, ("theta", float(planner.last_plan.theta), "slot")
        yield reading, ("busiest", planner.last_plan.busiest, "slot")
        yield reading, ("makespan", run.makespan_s, "slot")
