"""What the paper of SJF-BCO does not state, and what each choice would bring out in Figures 4 to 7.

All draws see the same random numbers: one instance, as in the paper. Every number of Figures 4, 5 and 7 is run, and of
Figure 6 those of SJF-BCO on 10 and 15 servers; the baselines there are left out, since they take most of the time. One
batch serves all values of kappa and lambda, whose plans on idle GPUs are the runs themselves. Of the readings only
those that cost little are among the choices: no scheduler but RAND may wait where it queues in the headline, or the
reverse.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from rarlib.discovery import make_scheduler
from rarlib.model.errors import InfeasibleError
from rarlib.model.scheduler import View
from rarlib.model.unknowns import Unknown, draw_parameters, draw_rows
from rarlib.papers.sjf_bco.instance import Instance, Setup, instance
from rarlib.records.tidy import tidy
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.search import BatchSchedule, kappas, search_shared
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate

UNKNOWNS = (
    Unknown(
        "law",
        scale="choice",
        choices=("uniform", "product", "rising", "top"),
        says="How iteration times depend on the gang; one range is stated for all jobs.",
    ),
    Unknown("highest", 0.035, 0.05, says="Largest time alone, slots; 0.05 is stated, whether with contention is not."),
    Unknown("alpha", 0.0, 1.0, says="Loss per further job on a link; only the law f = k + alpha (k - 1) is stated."),
    Unknown("xi", 0.1, 1.0, says="xi1, stated to be at most 1."),
    Unknown("extra", 0.002, 0.03, "log", says="Weight of contention; 0.01 keeps the stated 15 %, more may break it."),
    Unknown(
        "cap", scale="choice", choices=("none", "stated", "relative"), says="Whether the range cuts tau job by job."
    ),
    Unknown("GPUs", 200, 400, "integer", says="Of 20 servers: 95 % of the stated draws; which one is shown is open."),
    Unknown("lambda", scale="choice", choices=(1, 2, 4, 8), says="Of Figs. 4 to 6: 1 is stated; Figs. 5, 7 differ."),
    Unknown(
        "FA-FFP",
        scale="choice",
        choices=("pack", "literal", "first", "one-server"),
        says="Alg. 2 as printed contradicts its name, and does not say what a gang waits for.",
    ),
    Unknown("LS rank", scale="choice", choices=("busy", "finish"), says="Whether idle time of a gang counts."),
    Unknown("FF order", scale="choice", choices=("gang", "submission"), says="Sorting is a line of Alg. 1 only."),
    Unknown(
        "FF limit",
        scale="choice",
        choices=("finish", "busy", "worst case"),
        says="Clock, or accumulated time as described, estimated by 0.05 F or by each job's own worst case.",
    ),
    Unknown("FF search", scale="choice", choices=("scan", "bisect"), says="How FF finds its limit is not stated."),
    Unknown("RAND order", scale="choice", choices=("gang", "submission"), says="Sorting is a line of Alg. 1 only."),
    Unknown("RAND waits", scale="choice", choices=(True, False), says="For idle GPUs, or queues within T; not stated."),
)
"""The space: what the paper leaves open, with prior ranges."""

_KAPPAS = {1: "013", 2: "014", 4: "015", 8: "016", 16: "018", 32: "019"}
_SAME = {"017": "016"}
"""No gang has 9 or 10 GPUs, so kappa = 10 gives the schedule of kappa = 8."""
_LAMBDAS = {1: "032", 2: "033", 4: "034", 8: "035"}
_FEWER = {10: "020", 15: "024"}
_BASELINES = {"list-scheduling": 4, "first-fit": 7, "random": 10}
"""Scheduler -> first of its three rows in Figure 4."""
_T, _LONGER_T = 1200.0, 1500.0
"""T of Figures 4 and 5, and of 6 and 7; the last is not stated."""
_ESTIMATE = 0.05
_GPU_WINDOW = 10


@dataclass
class _Sweep(SjfBco):
    """SJF-BCO that plans one batch under several (lambda, kappa, T) and keeps each schedule's finishes."""

    points: tuple[tuple[float, int | None, float], ...] = ()
    finishes: list[Any] = field(default_factory=list)

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Plans of all points; returns the last one that exists."""
        last = None
        for widening, kappa, until in self.points:
            search = self.search(view, batch, until, LEVELS[self.limit], BUSY, self.fa_ffp, widening)
            choices = kappas(batch.gang) if kappa is None else [kappa]
            found = search_shared(search, choices, until)
            self.finishes.append(None if found is None else found.batch.finish)
            last = found or last
        return last


def outcomes(parameters: Mapping[str, Any], seed: int = 0) -> dict[str, float]:
    """What the run of a parameter set gives for each published number, by id; NaN without a feasible schedule.

    Args:
        parameters: a value for each of `UNKNOWNS`.
        seed: of the instance.
    """
    how = setup_of(parameters)
    case, lam = instance(seed, 20, how), float(parameters["lambda"])
    points = [(lam, None, _T), *((lam, k, _T) for k in _KAPPAS), *((float(w), 1, _LONGER_T) for w in _LAMBDAS)]
    whole, *others = _swept(case, points, parameters["FA-FFP"], seed)
    values = dict(zip(("001", "002", "003"), _three(whole), strict=True))
    values |= dict(zip((*_KAPPAS.values(), *_LAMBDAS.values()), (_three(one)[2] for one in others), strict=True))
    values |= {name: values[other] for name, other in _SAME.items()}
    for servers, name in _FEWER.items():
        fewer = instance(seed, servers, how)
        values[name] = _three(_swept(fewer, [(lam, None, _LONGER_T)], parameters["FA-FFP"], seed)[0])[2]
    for scheduler, first in _BASELINES.items():
        for k, value in enumerate(_three(_finished(case, scheduler, _choices(scheduler, parameters), seed))):
            values[f"{first + k:03d}"] = value
    return {f"sjf-bco-{name}": values[name] for name in sorted(values)}


def setup_of(parameters: Mapping[str, Any]) -> Setup:
    """The set-up of a parameter set; `GPUs` is met within 10, or as drawn where it is None."""
    gpus = parameters["GPUs"]
    return Setup(
        gpus=None if gpus is None else (gpus - _GPU_WINDOW, gpus + _GPU_WINDOW),
        law=parameters["law"],
        highest=parameters["highest"],
        extra=parameters["extra"],
        alpha=parameters["alpha"],
        cap=parameters["cap"],
        xi=parameters["xi"],
    )


def _choices(scheduler: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a baseline."""
    if scheduler == "list-scheduling":
        return {"tau_hat": _ESTIMATE, "rank": parameters["LS rank"]}
    if scheduler == "random":
        waits = "idle" if parameters["RAND waits"] else "queue"
        return {"availability": waits, "order": parameters["RAND order"], "horizon": _T}
    worst = parameters["FF limit"] == "worst case"
    return {
        "tau_hat": None if worst else _ESTIMATE,
        "limit": "busy" if worst else parameters["FF limit"],
        "order": parameters["FF order"],
        "search_by": parameters["FF search"],
    }


def _swept(case: Instance, points: list[tuple[float, int | None, float]], small_rule: str, seed: int) -> list[Any]:
    """Finishes of SJF-BCO's schedules at several points, None without a schedule; the run is cut once all are made."""
    planner = _Sweep(availability="idle", tau_hat=_ESTIMATE, fa_ffp=small_rule, points=tuple(points))
    if int(case.jobs.gpus.max()) <= case.cluster.total_gpus:
        _run(case, planner, 0.5, seed)
    return planner.finishes or [None] * len(points)


def _finished(case: Instance, scheduler: str, choices: Mapping[str, Any], seed: int) -> Any:
    run = _run(case, make_scheduler(scheduler, choices), np.inf, seed)
    return None if run is None else run.finish_s


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


def drawn_rows(draws: int) -> pd.DataFrame:
    """A table of draws, rows as `rarlib.model.unknowns.draw_rows` makes them.

    Args:
        draws: number of parameter sets.
    """
    found: list[tuple[Any, ...]] = []
    for number, parameters in enumerate(draw_parameters(UNKNOWNS, draws).to_dict("records")):
        named = {str(name): value for name, value in parameters.items()}
        found += draw_rows(UNKNOWNS, number, named, outcomes(named))
    return tidy(found, "sjf-bco-inference", "prior")
