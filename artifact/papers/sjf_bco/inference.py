"""What the paper of SJF-BCO does not state, and what each choice would bring out in Figures 4 to 7.

All draws see the same random numbers: one instance, as in the paper. Every number of Figures 4 to 7 is run. One batch
serves all values of kappa and lambda, whose plans on idle GPUs are the runs themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from artifact.papers.sjf_bco.choices import estimated_time, options, setup_of
from artifact.papers.sjf_bco.instance import Instance, instance
from rarlib.discovery import make_scheduler
from rarlib.model.errors import InfeasibleError
from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.search import BatchSchedule, kappas, search_shared
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate

_KAPPAS = {1: "013", 2: "014", 4: "015", 8: "016", 16: "018", 32: "019"}
_SAME = {"017": "016"}
"""No gang has 9 or 10 GPUs, so kappa = 10 gives the schedule of kappa = 8."""
_LAMBDAS = {1: "032", 2: "033", 4: "034", 8: "035"}
_FEWER = {10: 20, 15: 24}
"""Servers -> first of its four rows in Figure 6: SJF-BCO, then the baselines."""
_BASELINES = {"list-scheduling": 4, "first-fit": 7, "random": 10}
"""Scheduler -> first of its three rows in Figure 4."""
_T, _LONGER_T = 1200.0, 1500.0
"""T of Figures 4 and 5, and of 6 and 7; the last is not stated."""

_Point = tuple[float, int | None, float]
"""Lambda, kappa (None: the best of all) and T."""


@dataclass
class _Sweep(SjfBco):
    """SJF-BCO that plans one batch under several (lambda, kappa, T) and keeps what comes of each."""

    points: tuple[_Point, ...] = ()
    made: list[Batch | None] = field(default_factory=list)

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Plans of all points; returns the last one that exists."""
        last = None
        for widening, kappa, until in self.points:
            search = self.search(view, batch, until, LEVELS[self.limit], BUSY, self.fa_ffp, widening)
            choices = kappas(batch.gang) if kappa is None else [kappa]
            found = search_shared(search, choices, until)
            self.made.append(found and found.batch)
            last = found or last
        return last


def outcomes(parameters: Mapping[str, Any], seed: int = 0, only_fitted: bool = False) -> dict[str, float]:
    """What the run of a parameter set gives for each published number, by id; NaN without a feasible schedule.

    `parameters`: a value for each of `UNKNOWNS`; `GPUs` may be None, a free draw. `only_fitted`: the numbers of Figure
    4 only.

    Returns:
        RunValues by id, and under `alive` the share of contention and overhead in the GPU time of SJF-BCO's schedule.
    """
    how = setup_of(parameters)
    case, lam = instance(seed, 20, how), float(parameters["lambda"])
    points: list[_Point] = [(lam, None, _T)]
    if not only_fitted:
        points += [*((lam, k, _T) for k in _KAPPAS), *((float(w), 1, _LONGER_T) for w in _LAMBDAS)]
    whole, *others = _swept(case, points, parameters, seed)
    values = dict(zip(("001", "002", "003"), _three(whole and whole.finish), strict=True))
    for scheduler, first in _BASELINES.items():
        found = played(case, make_scheduler(scheduler, options(scheduler, parameters, _T)), seed)
        values |= {f"{first + k:03d}": value for k, value in enumerate(_three(found and found[1]))}
    if not only_fitted:
        longest = (_three(one and one.finish)[2] for one in others)
        values |= dict(zip((*_KAPPAS.values(), *_LAMBDAS.values()), longest, strict=True))
        values |= {name: values[other] for name, other in _SAME.items()}
        for servers, first in _FEWER.items():
            fewer = instance(seed, servers, how)
            (own,) = _swept(fewer, [(lam, None, _LONGER_T)], parameters, seed)
            values[f"{first:03d}"] = _three(own and own.finish)[2]
            for k, scheduler in enumerate(_BASELINES):
                found = played(fewer, make_scheduler(scheduler, options(scheduler, parameters, _LONGER_T)), seed)
                values[f"{first + 1 + k:03d}"] = _three(found and found[1])[2]
    alone, held = np.full(2, np.nan)
    if whole is not None:
        alone, held = (float((whole.gang * each).sum()) for each in (whole.plain, whole.finish - whole.start))
    return {f"sjf-bco-{name}": values[name] for name in sorted(values)} | {"alive": 1.0 - alone / held}


def _swept(case: Instance, points: list[_Point], parameters: Mapping[str, Any], seed: int) -> list[Batch | None]:
    """SJF-BCO's schedules at several points, None without a schedule; the run is cut once all are made."""
    own = {"tau_hat": estimated_time(parameters), "fa_ffp": parameters["FA-FFP"]}
    planner = _Sweep(availability="idle", points=tuple(points), **own)
    if int(case.jobs.gpus.max()) <= case.cluster.total_gpus:
        _run(case, planner, 0.5, seed)
    return planner.made or [None] * len(points)


def played(case: Instance, planner: Any, seed: int) -> tuple[Any, Any] | None:
    """Start and finish of every job, in slots; None if there is no schedule within the horizon.

    A plan on idle GPUs is itself a simulation (`planning/idling.py`), so the run is cut after its first pass, in which
    the plan is made; every other scheduler runs to the end.
    """
    if case.jobs.gpus.max() > case.cluster.total_gpus:
        return None
    simulated = getattr(planner, "keeps_order", False)
    run = _run(case, planner, 0.5 if simulated else np.inf, seed)
    if run is None or not simulated:
        return run and (run.start_s, run.finish_s)
    batch = planner.last_plan.batch
    order = np.argsort(batch.row)
    return batch.start[order], batch.finish[order]


def _run(case: Instance, planner: Any, until: float, seed: int) -> Any:
    try:
        slots: dict[str, Any] = {"quantum": 1.0, "whole_slots": True, "until_s": until, "seed": seed}
        return simulate(case.jobs, case.cluster, planner, case.cost, **slots)
    except InfeasibleError:
        return None


def _three(finish: Any) -> tuple[float, float, float]:
    """Shortest, average and longest completion."""
    if finish is None:
        return np.nan, np.nan, np.nan
    return float(finish.min()), float(finish.mean()), float(finish.max())
