"""Small random batches for the planners' tests, and the same batches for the naive reading."""

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from rarlib.cost.ring import SlottedRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.shared.planning.gpu_state import BUSY
from rarlib.schedulers.shared.planning.prepare import planning_order, prepare
from rarlib.schedulers.shared.planning.search import Method, Search
from rarlib.simulator.engine import simulate
from tests.rarlib.schedulers.naive_planner import Gang, World

TAU_HAT = 0.05


def small_case(seed, jobs=14):
    """A small random instance in the slotted model, crowded enough that gangs wait, span servers and contend."""
    rng = stream(seed, "test-planners")
    sizes = rng.choice([2, 4, 8], int(rng.integers(2, 5)))
    gpus = np.minimum(rng.choice([1, 1, 2, 3, 4, 6, 8], jobs), sizes.sum())
    tau0, iterations = rng.uniform(0.01, 0.05, jobs), rng.integers(100, 600, jobs).astype(float)
    cost = SlottedRingCost(iterations, tau0, extra=0.1, cap=0.08, alpha=0.3)
    duration = np.ceil(iterations / np.floor(1 / tau0))
    return SimpleNamespace(
        jobs=Jobs.build(submit_s=np.zeros(jobs), gpus=gpus, duration_s=duration), cluster=Cluster.of(sizes), cost=cost
    )


def run_case(case, planner, **more):
    return simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, **more)


def naive(case, order="gang"):
    edges = np.concatenate([[0], np.cumsum(case.cluster.gpus)])
    cost = case.cost
    world = World([list(range(a, b)) for a, b in pairwise(edges)], cost.extra, cost.alpha, float(np.max(cost.cap)))
    gangs = [
        Gang(
            job.row,
            job.gpus,
            cost.iterations[job.row],
            cost.tau0[job.row],
            int(cost.iterations[job.row]) * Fraction(str(TAU_HAT)),
        )
        for job in planning_order(case.jobs.rows, order)
    ]
    return world, gangs


def search(case, *, idle, rule="pack", widening=1.0, limit=BUSY, rank=BUSY, horizon=np.inf):
    view = SimpleNamespace(
        running_rows=np.zeros(0, np.int64),
        remaining_s=lambda rows: np.zeros(len(rows)),
        prices=case.cost.price(case.jobs, case.cluster),
        cluster=case.cluster,
        now_s=0.0,
    )
    batch, _ = prepare(view, planning_order(case.jobs.rows, "gang"), {}, TAU_HAT, 1.0, 1.0)
    return Search(batch, case.cluster, Method(idle, limit, rank, rule, widening, horizon, 0.0))


def assert_same(plan, makespan, gangs):
    if makespan is None:
        assert plan is None
        return
    assert plan is not None
    assert plan.makespan == makespan
    for i, gang in enumerate(gangs):
        span = slice(plan.batch.at[i], plan.batch.at[i + 1])
        assert plan.batch.row[i] == gang.row
        assert plan.batch.gpus[span].tolist() == gang.gpus
        assert (plan.batch.start[i], plan.batch.finish[i]) == (gang.start, gang.finish)
