"""Every scheduler in the arena: runs end, gangs keep to what is said of them, planners follow what happens."""

from functools import cache

import numpy as np
import pytest

from artifact.arena.match import entrant
from artifact.arena.workload import forecast
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

CLUSTER = "t4:2x4,rtx:1x8,a100:1x8"
ELASTIC = ("aiturbo", "drf", "gadget", "optimus")
RIGID = ("fifo", "fifo-backfill", "first-fit", "las", "list-scheduling", "random", "sjf", "sjf-bco", "srtf", "tiresias")
TYPED = ("gavel", "shockwave", "themis")


@pytest.fixture(scope="session")
def play(arena):
    """A run of the first jobs of a window, as predicted with an error, under contention."""
    work = arena.workload("philly-pollux", 1, 0.9, CLUSTER)
    said = forecast(work, 0.5, "philly-pollux", 1)
    cost, jobs = GoodputCost(arena.profiles, SpanningNetwork(), recorded=True), work.jobs.take(slice(0, 16))

    @cache
    def run(name: str) -> Run:
        scheduler, cluster = entrant(name), Cluster.parse(CLUSTER)
        quantum = getattr(scheduler, "round_s", getattr(scheduler, "slot_s", 0.0))
        return simulate(
            jobs, cluster, scheduler, cost, quantum=quantum, forecast=Forecast(said.factor[:16], said.predictable[:16])
        )

    return run


def gangs(run):
    """(job, GPUs, their types) of every interval."""
    starts = np.unique(np.stack([run.alloc_job, run.alloc_start], axis=1), axis=0)
    for job, start in starts:
        mine = (run.alloc_job == job) & (run.alloc_start == start)
        yield int(job), int(run.alloc_gpus[mine].sum()), {run.cluster.gpu_type[n] for n in run.alloc_node[mine]}


@pytest.mark.parametrize("name", [*ELASTIC, *RIGID, *TYPED, "sia"])
def test_every_scheduler_runs_to_the_end(play, name):
    """On three GPU types, contended, with predictions that are off; the simulator checks its identities."""
    assert play(name).finished.all()


@pytest.mark.parametrize("name", [*ELASTIC, *TYPED, "sia"])
def test_gangs_of_whoever_deals_jobs_to_types_stay_on_one(play, name):
    assert all(len(types) == 1 for _, _, types in gangs(play(name)))


@pytest.mark.parametrize("name", ELASTIC)
def test_elastic_schedulers_choose(play, name):
    run = play(name)
    assert any(gpus != run.jobs.gpus[job] for job, gpus, _ in gangs(run))


@pytest.mark.parametrize("planner", [SjfBco, ListScheduling, FirstFit])
def test_a_plan_that_fails_is_made_anew(planner):
    """Two nodes of 4 GPUs, four gangs of 4, said to last 100, 100, 100 and 101 s; the first lasts 1000.

    The third is planned behind the first. When the second ends and the first is overdue, it goes where room is.
    """
    jobs = Jobs.build(submit_s=[0] * 4, gpus=[4] * 4, duration_s=[1000, 110, 100, 101])
    said = Forecast(np.array([100, 100, 100, 101]) / jobs.duration_s, np.ones(4, bool))
    later, again = (
        simulate(jobs, Cluster.of([4, 4]), planner(replan=how), TraceCost(), forecast=said).finish_s
        for how in ("arrivals", "events")
    )
    assert again.max() == 1000.0
    assert again.sum() < later.sum()
