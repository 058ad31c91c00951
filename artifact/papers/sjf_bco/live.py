"""A small instance, solved exactly and by a scheduler, as two Gantt charts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.papers.sjf_bco.choices import read_as, setup_of
from artifact.papers.sjf_bco.figures.live import two_schedules
from artifact.papers.sjf_bco.instance import Setup, small_instance
from artifact.papers.sjf_bco.optimality import scheduler_of
from artifact.unknowns import FITTED_READING
from rarlib.ilp.rar_ddls.exact import least_makespan
from rarlib.ilp.rar_ddls.slotted import intervals, slotted
from rarlib.plot.style import look
from rarlib.simulator.engine import simulate


def beside_optimum(settings: Mapping[str, Any], jobs: int, seed: int, scheduler: str) -> Figure:
    """Gantt charts of an optimal schedule and of a scheduler's; gangs that span servers are hatched.

    `settings`: `T`, `effort`, `limit`, and those of `choices.read_as`; `scheduler`: one of those in the table `small`.
    """
    plain = {str(name).rstrip("_"): value for name, value in settings.items()}
    how = setup_of(read_as(FITTED_READING, plain))
    case = small_instance(seed, how, jobs)
    best, status = small_optimum(how, jobs, seed, float(plain["limit"]))
    run = simulate(case.jobs, case.cluster, scheduler_of(scheduler, plain), case.cost, quantum=1, whole_slots=True,
                   seed=seed)  # fmt: skip
    over = 100 * (run.makespan_s / best["end_s"].max() - 1)
    titles = f"{'optimum' if status == 'optimal' else 'best found'}", f"{look(scheduler).label}: {over:.0f} % above it"
    return two_schedules(dict(zip(titles, (best, run.allocations_frame()), strict=True)), case.cluster.gpus.tolist())


@lru_cache(128)
def small_optimum(how: Setup, jobs: int, seed: int, limit: float) -> tuple[pd.DataFrame, str]:
    """When each job holds GPUs in the best schedule found (columns as in `two_schedules`), and the solver's status."""
    case = small_instance(seed, how, jobs)
    problem = slotted(case.jobs, case.cluster, case.cost.price(case.jobs, case.cluster))
    found = least_makespan(problem, limit)
    return intervals(problem, found.schedule, case.jobs.job_id.tolist()), found.status
