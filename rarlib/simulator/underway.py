"""A run that begins in the middle: jobs have been worked on and hold GPUs before its scheduler is asked at all."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler, discipline_of
from rarlib.simulator import progress
from rarlib.simulator.cost_models import CostModel
from rarlib.simulator.engine import Given, check_fits, make_driver, price_table_of
from rarlib.simulator.policy import Driver
from rarlib.simulator.state import FINISHED, WAITING, new_state

_UNFINISHED = 1.0 - 1e-9
"""Largest share of its work that a job has done which has not ended, however long it has run."""


class Underway(NamedTuple):
    """Where a job stands."""

    share: float = 0.0  # share of its work done, up to `since_s` if it runs
    gpu_s: float = 0.0  # GPU-seconds held, up to `since_s` if it runs
    placement: Placement = ()  # what it holds; empty: it waits, or has ended
    since_s: float = 0.0  # when it got that
    ran: bool = False  # whether it has run before, so that its next start is a restart
    ended: bool = False  # whether it has ended


def take_over(
    jobs: Jobs,
    cluster: Cluster,
    cost: CostModel,
    scheduler: Scheduler,
    underway: Sequence[Underway],
    now_s: float,
    rng: np.random.Generator,
    *,
    restart_s: float | None = None,
) -> Driver:
    """A driver at the present time of a run, in which all jobs of the table have been submitted.

    `underway` says where each job stands, no submission or start is later than `now_s`, and a scheduler that is asked
    for the first time finds jobs running. Not for cost models whose jobs change while they run.

    Raises:
        InputError: for a job that does not fit the cluster.
        DecisionError: if the jobs cannot hold what they are said to hold.
    """
    check_fits(jobs, cluster)
    prices, discipline = price_table_of(cost, jobs, cluster, restart_s), discipline_of(scheduler)
    state = new_state(jobs, cluster, prices, levels=discipline.levels if discipline is not None else ())
    share, gpu_s, ran, ended = (np.array([getattr(each, name) for each in underway]) for name in _BY_JOB)
    state.job["phase"] = np.where(ended, FINISHED, WAITING)
    state.job["settled"] = jobs.submit_s
    state.job["done"], state.job["gpu_seconds"] = np.minimum(share, _UNFINISHED) * prices.work, gpu_s
    state.job["level"] = np.searchsorted(state.levels, gpu_s, side="right")
    state.job["start_s"] = np.where(ran, jobs.submit_s, np.nan)
    state.run["now"], state.run["arrived"] = now_s, len(jobs)
    state.run["finished"], state.run["waiting"] = np.count_nonzero(ended), np.count_nonzero(~ended)
    driver = make_driver(state, prices, cost, scheduler, jobs, cluster, Given(rng, Forecast.exact(len(jobs))))
    driver.view.refresh(state)
    running = [row for row, each in enumerate(underway) if each.placement and not each.ended]
    for row in sorted(running, key=lambda row: (underway[row].since_s, row)):
        driver.hold(row, underway[row].placement, underway[row].since_s)
    rows = np.array(running, np.int64)
    progress.settle_each(driver.state, prices, rows, now_s)
    # A job may run for longer than was predicted.
    driver.state.job["done"][rows] = np.minimum(driver.state.job["done"][rows], _UNFINISHED * prices.work[rows])
    driver.state.job["level"][rows] = np.searchsorted(state.levels, driver.state.job["gpu_seconds"][rows], side="right")
    return driver


_BY_JOB = ("share", "gpu_s", "ran", "ended")
