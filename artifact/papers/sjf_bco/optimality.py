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

from artifact.papers.sjf_bco.cells import BATCH_SETUP
from artifact.papers.sjf_bco.choices import options, read_as, setup_of
from artifact.papers.sjf_bco.instance import Instance, instance, small_instance
from artifact.unknowns import FITTED_READING
from rarlib.bounds.lower_bounds import lower_bounds
from rarlib.discovery import make_scheduler
from rarlib.ilp.rar_ddls import exact
from rarlib.ilp.rar_ddls.feasibility import smallest_theta
from rarlib.ilp.rar_ddls.slotted import slotted
from rarlib.model.errors import InputError
from rarlib.records.tidy import tidy
from rarlib.simulator.engine import simulate

_Row = tuple[str, float, str]
"""Metric, value, unit."""


def run_cell(table: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler, or one method that bounds or solves, on all instances of a table.

    Args:
        table: scale, small or theta.
        member: a scheduler, `bounds` or `exact`.
        settings: `seeds`, `jobs`, `servers`, `effort` (of best-known: orders per job), `limit` (of exact programs:
            deterministic time, about seconds), `T` (horizon, slots), those of `choices.read_as`; small: `sizes`
            (numbers of jobs).
        data: not read.

    Returns:
        Tidy rows in the fitted reading; of a bound, the reading is its method.

    Raises:
        InputError: for an unknown table.
    """
    if table not in _TABLES:
        raise InputError(f"unknown table {table!r}; known: {', '.join(_TABLES)}", field="part")
    rows = list(_TABLES[table](member, settings))
    return tidy(rows, f"optimality-{table}", member)


def _scale(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for seed in range(int(settings["seeds"])):
        for reading, row in _answers(member, _at_scale(seed, settings), seed, settings):
            yield BATCH_SETUP, reading, "servers", settings["servers"], seed, *row


def _small(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for jobs, seed in product(settings["sizes"], range(int(settings["seeds"]))):
        case = small_instance(seed, setup_of(read_as(FITTED_READING, settings)), jobs)
        answers = _optimum(case, settings) if member == "exact" else _answers(member, case, seed, settings)
        for reading, row in answers:
            yield BATCH_SETUP, reading, "jobs", jobs, seed, *row


def _theta(member: str, settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for seed in range(int(settings["seeds"])):
        for row in _limits(member, _at_scale(seed, settings), settings):
            yield BATCH_SETUP, FITTED_READING, "servers", settings["servers"], seed, *row


def _at_scale(seed: int, settings: Mapping[str, Any]) -> Instance:
    """An instance that every gang fits, so that all methods have an answer.

    Raises:
        InputError: the servers are too few for the largest gang.
    """
    how = setup_of(read_as(FITTED_READING, settings))
    case = instance(seed, int(settings["servers"]), how, int(settings["jobs"]))
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
    scheduler = scheduler_of(member, settings)
    run = simulate(case.jobs, case.cluster, scheduler, case.cost, quantum=1.0, whole_slots=True, seed=seed)
    yield FITTED_READING, ("makespan", run.makespan_s, "slot")
    yield FITTED_READING, ("mean_jct", float(run.turnaround_s.mean()), "slot")


def _optimum(case: Instance, settings: Mapping[str, Any]) -> Iterator[tuple[str, _Row]]:
    """The optimum with contention and overhead; `optimal` is 0 where the limit was hit; only `bound` is proven."""
    prices = case.cost.price(case.jobs, case.cluster)
    found = exact.least_makespan(slotted(case.jobs, case.cluster, prices), float(settings["limit"]))
    yield FITTED_READING, ("makespan", float(found.schedule.makespan), "slot")
    yield FITTED_READING, ("bound", float(found.bound), "slot")
    yield FITTED_READING, ("optimal", float(found.status == "optimal"), "1")
    spanning = sum(sum(count > 0 for count in counts) > 1 for counts in found.schedule.placements)
    yield FITTED_READING, ("spanning", float(spanning), "jobs")


def scheduler_of(name: str, settings: Mapping[str, Any]) -> Any:
    """A scheduler of the tables in the fitted reading, without a horizon."""
    if name == "best-known":
        return make_scheduler(name, {"effort": int(settings["effort"])})
    own = options(name, read_as(FITTED_READING, settings), settings["T"])
    return make_scheduler(name, {key: value for key, value in own.items() if key != "horizon"})


def _limits(member: str, case: Instance, settings: Mapping[str, Any]) -> Iterator[_Row]:
    """The smallest feasible theta of eq. 14-16, or the theta that Algorithm 1 ends with."""
    own = options("sjf-bco", read_as(FITTED_READING, settings), settings["T"])
    if member == "exact":
        gangs, iterations = np.asarray(case.jobs.gpus), case.cost.iterations.astype(np.int64)
        effort = float(settings["limit"])
        found = smallest_theta(gangs, iterations, case.cluster.total_gpus, own["tau_hat"], effort=effort)
        yield "theta", float(found.theta), "slot"
        yield "bound", float(found.bound), "slot"
        yield "optimal", float(found.status == "optimal"), "1"
        return
    planner: Any = make_scheduler(member, own)
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True)
    yield "theta", float(planner.last_plan.theta), "slot"
    yield "busiest", planner.last_plan.busiest, "slot"
    yield "makespan", run.makespan_s, "slot"
