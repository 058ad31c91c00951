"""Busy times add up exactly: schedules are those of exact arithmetic, whatever the unit of time."""

import numpy as np

from rarlib.schedulers.sjf_bco import SjfBco
from tests.schedulers.cases import naive, run_case, search, small_case
from tests.schedulers.naive_planner import plan_idle, plan_queue


def test_schedules_are_those_of_exact_arithmetic():
    """Sums of 0.05 F_j tie often, and one tie broken by a rounding error is another schedule."""
    for seed in range(150):
        case = small_case(1000 + seed, jobs=24)
        for idle, naively, rule in ((True, plan_idle, "pack"), (False, plan_queue, "literal")):
            for theta in (60.0, 1e9):
                world, gangs = naive(case)
                how = {"limit": "busy"} if not idle else {}
                makespan = naively(world, gangs, theta, kappa=2, widening=2.0, rule=rule, **how)
                plan = search(case, idle=idle, rule=rule, widening=2.0).improve(theta, 2, np.inf)
                assert (plan.makespan if plan else None) == makespan, (seed, idle, theta)
                if plan:
                    found = [
                        plan.batch.gpus[a:b].tolist() for a, b in zip(plan.batch.at, plan.batch.at[1:], strict=False)
                    ]
                    assert found == [gang.gpus for gang in gangs], (seed, idle, theta)


def test_runs_of_the_evaluation_do_not_depend_on_the_unit_of_time():
    """Estimates in another unit are the same estimates: tau-hat of 0.05 slot, or 50 with u = 1000."""
    for seed in range(10):
        case = small_case(seed)
        runs = [run_case(case, SjfBco(tau_hat=t, u=u, horizon=900.0)) for t, u in ((0.05, 1.0), (50.0, 1000.0))]
        assert runs[0].start_s.tolist() == runs[1].start_s.tolist()
        assert runs[0].alloc_node.tolist() == runs[1].alloc_node.tolist()
