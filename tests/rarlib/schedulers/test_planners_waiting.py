"""Planners that wait or search for a limit, against plain Python: one-server, RAND on idle GPUs, FF's least limit."""

from math import inf

import numpy as np
import pytest

from rarlib.model.seeds import stream
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.shared.planning.prepare import planning_order
from rarlib.schedulers.sjf_bco import SjfBco
from tests.rarlib.schedulers.cases import TAU_HAT, assert_same, naive, run_case, search, small_case
from tests.rarlib.schedulers.naive_planner import plan_idle, plan_queue


@pytest.mark.parametrize("kappa", [2, 4, 8])
def test_one_server_equals_the_naive_reading(kappa):
    """GPUs, starts and finishes of every gang; some gangs wait for a server while enough GPUs of others are idle."""
    waited, outcomes = 0, set()
    for seed in range(20):
        case = small_case(seed)
        for theta in (40.0, 70.0, 1e9):
            world, gangs = naive(case)
            makespan = plan_idle(world, gangs, theta, kappa=kappa, widening=1.5, rule="one-server")
            plan = search(case, idle=True, rule="one-server", widening=1.5).improve(theta, kappa, inf)
            assert_same(plan, makespan, gangs)
            outcomes.add(makespan is None)
            if makespan is not None:
                largest = max(len(server) for server in world.servers)
                assert all(len(world.on(gang)) == 1 for gang in gangs if gang.size <= min(kappa, largest))
                packed_world, packed = naive(case)
                plan_idle(packed_world, packed, theta, kappa=kappa, widening=1.5, rule="pack")
                waited += [gang.start for gang in gangs] != [gang.start for gang in packed]
    assert outcomes == {True, False}
    assert waited > 0, "waiting for one server must matter in some case"


def naive_alg_1(case, horizon, rule):
    """Alg. 1, one bisection for all kappa, over whole limits: gangs of the best schedule and its makespan."""
    best, left, right = (inf, None), 1, int(horizon)
    while left <= right:
        theta, better = (left + right) // 2, None
        for kappa in range(1, int(case.jobs.gpus.max()) + 1):
            world, gangs = naive(case)
            makespan = plan_idle(world, gangs, theta, kappa=kappa, widening=1.0, rule=rule)
            if makespan is not None and makespan <= horizon and makespan < min(best[0], (better or best)[0]):
                better = makespan, gangs
        best, left, right = (better, left, theta - 1) if better else (best, theta + 1, right)
    return best


def test_sjf_bco_on_one_server_equals_the_naive_reading():
    """The whole of Alg. 1 to 3 on random clusters."""
    for seed in range(6):
        case = small_case(seed, jobs=8)
        planner = SjfBco(tau_hat=TAU_HAT, fa_ffp="one-server", horizon=300.0)
        run_case(case, planner)
        makespan, gangs = naive_alg_1(case, 300.0, "one-server")
        assert_same(planner.last_plan, makespan, gangs)


def test_random_that_waits_starts_gangs_in_order_on_idle_gpus():
    """No server ever holds more workers than GPUs, no gang overtakes another, and each starts at 0 or at an exit."""
    late = 0
    for seed in range(30):
        case = small_case(seed)
        run = run_case(case, RandomFit(availability="idle"), seed=seed)
        planned = [job.row for job in planning_order(case.jobs.rows, "gang")]
        assert (np.diff(run.start_s[planned]) >= 0).all()
        assert set(run.start_s) <= {0.0, *run.finish_s}
        for start in set(run.start_s):
            running = (run.alloc_start <= start) & (start < run.alloc_end)
            held = np.bincount(run.alloc_node[running], run.alloc_gpus[running], case.cluster.nodes)
            assert (held <= case.cluster.gpus).all()
        workers = np.bincount(run.alloc_job, run.alloc_gpus, len(case.jobs))
        assert workers.tolist() == case.jobs.gpus.tolist()
        late += int((run.start_s > 0).sum())
    assert late > 0, "some gangs must wait"


@pytest.mark.parametrize("limit", ["finish", "busy"])
def test_the_limit_of_first_fit_is_the_least(limit):
    """No smaller whole limit admits a complete schedule, and under this one the naive reading gives the same."""
    above = set()
    for seed in range(12):
        case = small_case(int(stream(seed, "first-fit-limit").integers(1000)), jobs=10)
        planner = FirstFit(tau_hat=TAU_HAT, limit=limit)
        run_case(case, planner)
        theta = int(planner.last_plan.theta)
        how = {"limit": limit, "rank": "busy", "kappa": 8, "widening": 1.0, "rule": "first"}
        for smaller in range(1, theta):
            world, gangs = naive(case)
            assert plan_queue(world, gangs, smaller, **how) is None
        world, gangs = naive(case)
        assert_same(planner.last_plan, plan_queue(world, gangs, theta, **how), gangs)
        above.add(theta > max(gang.estimate for gang in gangs))
    assert True in above, "some limit must be above the longest gang's"
