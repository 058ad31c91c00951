"""A small instance, solved exactly and by a scheduler, as two Gantt charts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from rarlib.discovery import make_scheduler
from rarlib.ilp.rar_ddls.exact import least_makespan
from rarlib.ilp.rar_ddls.slotted import intervals, slotted
from rarlib.papers.sjf_bco.figures.live import two_schedules
from rarlib.papers.sjf_bco.instance import Instance, named, small_instance
from rarlib.papers.sjf_bco.readings import compared_readings
from rarlib.plot.style import look
from rarlib.simulator.engine import simulate


def beside_optimum(settings: Mapping[str, Any], jobs: int, seed: int, scheduler: str) -> Figure:
    """Gantt charts of an optimal schedule and of a scheduler's; gangs that span servers are hatched.

    Args:
        settings: `setups`, `alpha`, `xi`, `effort`, `limit`, and those of `readings.py`.
        jobs: of the small instance.
        seed: of the small instance.
        scheduler: one of those in the table `small`.
    """
    plain = {str(name).rstrip("_"): value for name, value in settings.items()}
    case = _case(plain, jobs, seed)
    best, status = small_optimum(plain["setups"][0], plain["alpha"], plain["xi"], jobs, seed, float(plain["limit"]))
    run = simulate(case.jobs, case.cluster, _scheduler(scheduler, plain), case.cost, quantum=1, whole_slots=True,
                   seed=seed)  # fmt: skip
    over = 100 * (run.makespan_s / best["end_s"].max() - 1)
    titles = f"{'optimum' if status == 'optimal' else 'best found'}", f"{look(scheduler).label}: {over:.0f} % above it"
    return two_schedules(dict(zip(titles, (best, run.allocations_frame()), strict=True)), case.cluster.gpus.tolist())


@lru_cache(128)
def small_optimum(
    setup: str, alpha: float | None, xi: float | None, jobs: int, seed: int, limit: float
) -> tuple[pd.DataFrame, str]:
    """When each job holds GPUs in the best schedule found (columns as in `two_schedules`), and the solver's status."""
    case = small_instance(seed, named(setup, alpha, xi), jobs)
    problem = slotted(case.jobs, case.cluster, case.cost.price(case.jobs, case.cluster))
    found = least_makespan(problem, limit)
    return intervals(problem, found.schedule, case.jobs.job_id.tolist()), found.status


def _case(settings: Mapping[str, Any], jobs: int, seed: int) -> Instance:
    return small_instance(seed, named(settings["setups"][0], settings["alpha"], settings["xi"]), jobs)


def _scheduler(name: str, settings: Mapping[str, Any]) -> Any:
    known = (
        {"effort": int(settings["effort"])} if name == "best-known" else compared_readings(name, settings)["headline"]
    )
    return make_scheduler(name, known)
