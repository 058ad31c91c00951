"""A Slurm's history beside schedules of the simulator: the same jobs, the same cluster, no network.

The simulator is given the jobs twice: as they were asked for, and as they were in Slurm, where each job is submitted
and ends some tenths of a second late. Limits are always those that were asked for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.slurm.decisions import judge_decisions
from artifact.slurm.excerpt import Excerpt
from artifact.slurm.history import History
from artifact.slurm.replay import FIRST_WINDOW_S, Regime
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

AS_ASKED, AS_MEASURED = "as asked", "as measured"
TICK_S = 2.0
"""The controller looks once a second at what has changed, and acts within two."""

RULE = "adjacent"
"""Slurm's placement rule."""


class Contender(NamedTuple):
    """A scheduler of ours and its parameters; the first one of a regime is meant to be what Slurm does."""

    reading: str
    scheduler: str
    parameters: dict[str, Any]


def contenders(regime: Regime, interval_s: float) -> list[Contender]:
    """Our schedulers that a regime is compared with, the counterpart first."""
    fifo = Contender("in order", "fifo", {"placement": RULE})
    greedy = Contender("without reservations", "fifo-backfill", {"placement": RULE})
    if not regime.backfill:
        return [fifo, greedy]
    limits = {"placement": RULE, "padding": regime.padding, "limit_step_s": 60.0}
    windows = {"window_s": FIRST_WINDOW_S, "window_wider_s": FIRST_WINDOW_S}
    slurm = {"reservations": "conservative", "whole_servers": True, "interval_s": float(interval_s), **windows}
    return [
        Contender("as Slurm", "backfill", limits | slurm),
        Contender("conservative", "backfill", limits | {"reservations": "conservative"}),
        Contender("EASY", "backfill", limits | {"reservations": "easy"}),
        greedy,
        fifo,
    ]


def summarize(excerpt: Excerpt, regime: Regime, history: History, interval_s: float) -> pd.DataFrame:
    """One row per scheduler of ours and lengths of jobs; see docs/slurm.md for the columns."""
    rows = []
    for each in contenders(regime, interval_s):
        for lengths in (AS_ASKED, AS_MEASURED):
            jobs, forecast = _jobs(excerpt, history, lengths)
            run = simulate(jobs, excerpt.cluster, _made(each), TraceCost(), forecast=forecast)
            rows.append(_row(regime, each, lengths, history, run))
    return pd.DataFrame(rows)


def starts(excerpt: Excerpt, regime: Regime, history: History, interval_s: float) -> pd.DataFrame:
    """One row per job: what Slurm did, what our counterpart does in a run of its own, and in Slurm's place."""
    counterpart = contenders(regime, interval_s)[0]
    jobs, forecast = _jobs(excerpt, history, AS_MEASURED)
    run = simulate(jobs, excerpt.cluster, _made(counterpart), TraceCost(), forecast=forecast)
    at_any_time = counterpart.parameters | ({"interval_s": 0.0} if regime.backfill else {})
    in_order = make_scheduler("fifo", {"placement": RULE})
    judged = judge_decisions(excerpt, history, in_order, make_scheduler(counterpart.scheduler, at_any_time))
    late_s = history.start_s - judged.wanted_s
    frame = pd.DataFrame(
        {
            "regime": regime.name,
            "job": np.arange(len(excerpt.jobs)),
            "gpus": excerpt.jobs.gpus,
            "length_s": excerpt.jobs.duration_s,
            "submit_s": history.submit_s,
            "slurm_start_s": history.start_s,
            "slurm_end_s": history.end_s,
            "backfilled": history.backfilled,
            "start_s": run.start_s,
            "wanted_s": judged.wanted_s,
            "same_gpus": judged.same_gpus,
            "agrees": late_s <= (interval_s if regime.backfill else 0.0) + TICK_S,
        }
    )
    return frame.round(3)


def _made(each: Contender) -> Any:
    return make_scheduler(each.scheduler, dict(each.parameters))


def _jobs(excerpt: Excerpt, history: History, lengths: str) -> tuple[Jobs, Forecast | None]:
    """Jobs, and as predictions the lengths from which limits follow."""
    if lengths == AS_ASKED:
        return excerpt.jobs, None
    ran = history.end_s - history.start_s
    jobs = Jobs.build(submit_s=history.submit_s, gpus=excerpt.jobs.gpus, duration_s=ran)
    return jobs, Forecast(excerpt.jobs.duration_s / ran, np.ones(len(ran), np.bool_))


def _row(regime: Regime, each: Contender, lengths: str, history: History, run: Run) -> dict[str, Any]:
    difference = np.abs(history.start_s - run.start_s)
    return {
        "slurm": history.version,
        "regime": regime.name,
        "reading": each.reading,
        "scheduler": each.scheduler,
        "parameters": " ".join(f"{name}={value}" for name, value in each.parameters.items()),
        "lengths": lengths,
        "jobs": len(difference),
        "slurm_makespan_s": round(float(history.end_s.max()), 2),
        "makespan_s": round(run.makespan_s, 2),
        "slurm_mean_wait_s": round(float((history.start_s - history.submit_s).mean()), 2),
        "mean_wait_s": round(float((run.start_s - run.jobs.submit_s).mean()), 2),
        "same_order": round(float((_order(history.start_s) == _order(run.start_s)).mean()), 4),
        "median_difference_s": round(float(np.median(difference)), 2),
        "largest_difference_s": round(float(difference.max()), 2),
    }


def _order(start_s: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.lexsort((np.arange(len(start_s)), start_s))


def share_agreed(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per regime: the share of starts that the counterpart agrees with, and of equal GPUs."""
    table = pd.concat(frames).groupby("regime", sort=False)
    return table.agg(jobs=("job", "size"), agrees=("agrees", "mean"), same_gpus=("same_gpus", "mean")).reset_index()
