"""Busy times add up exactly: estimates are whole units, and GPUs that are equally busy tie."""

from fractions import Fraction

import numpy as np
import pytest

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.shared.planning.units import whole_units
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate
from tests.schedulers.cases import naive, run_case, search, small_case
from tests.schedulers.naive_planner import plan_idle, plan_queue


def exact(work, tau, u):
    return [Fraction(w) * Fraction(t) / Fraction(u) for w, t in zip(work, tau, strict=True)]


@pytest.mark.parametrize(
    ("work", "tau", "u"),
    [
        (["1000", "2000", "3000"], ["1/20"] * 3, "1"),  # whole iterations
        (["7", "13", "29"], ["20/19", "1.06", "0.1"], "1.5"),  # link_s = share / (1 - share) is no decimal
        (["24.75", "0.1", "1e6"], ["1", "1", "1"], "1"),  # recorded durations with fractions of a second
        (["0.000003", "0.000001", "0"], ["1", "1", "1"], "1"),
        (["1e9", "2.5e8", "1"], ["1/3", "2/3", "1"], "1"),
    ],
)
def test_units_stand_for_the_exact_estimates(work, tau, u):
    """Whole numbers, in the exact proportion of the rational numbers that the floating-point inputs stand for."""
    given = [np.array([float(Fraction(x)) for x in column]) for column in (work, tau)]
    estimate, per_s = whole_units(*given, float(u), np.array([1, 2, 4]))
    assert (estimate == np.floor(estimate)).all()
    assert [Fraction(e) / Fraction(per_s) for e in estimate] == exact(work, tau, u)


def test_any_numbers_keep_thirteen_digits():
    """Iteration times without a common denominator are rounded to a unit; sums of units stay exact."""
    rng = stream(0, "units")
    for scale in (1e-6, 1.0, 1e9):
        work, tau, gangs = rng.uniform(1.0, 9.0, 50), rng.uniform(0.1, 1.0, 50) * scale, rng.integers(1, 9, 50)
        estimate, per_s = whole_units(work, tau, 1.0, gangs)
        assert (estimate == np.floor(estimate)).all()
        assert float(gangs @ estimate) < 2.0**53
        np.testing.assert_allclose(estimate / per_s, work * tau, rtol=1e-9)


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


def test_equal_sums_in_another_order_are_ties():
    """0.1 + 0.2 and 0.3 s: the next job goes to the first of two equally busy GPUs, whatever came when."""
    lengths = [0.1, 0.3, 0.2, 1.0]
    jobs = Jobs.build(submit_s=np.zeros(4), gpus=[1, 1, 1, 1], duration_s=lengths)
    run = simulate(jobs, Cluster.of([1, 1]), ListScheduling(), TraceCost())
    assert run.alloc_node[np.argsort(run.alloc_job)].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("cost", [TraceCost(), RingCost()])
def test_the_busiest_gpu_is_exact(cost):
    """What_max is the sum of the estimates on one GPU."""
    jobs = Jobs.build(submit_s=np.zeros(30), gpus=np.ones(30, int), duration_s=np.full(30, 0.1))
    planner = SjfBco()
    simulate(jobs, Cluster.of([1]), planner, cost)
    assert planner.last_plan.busiest == 3.0


def test_runs_of_the_evaluation_do_not_depend_on_the_unit_of_time():
    """Estimates in another unit are the same estimates: tau-hat of 0.05 slot, or 50 with u = 1000."""
    for seed in range(10):
        case = small_case(seed)
        runs = [run_case(case, SjfBco(tau_hat=t, u=u, horizon=900.0)) for t, u in ((0.05, 1.0), (50.0, 1000.0))]
        assert runs[0].start_s.tolist() == runs[1].start_s.tolist()
        assert runs[0].alloc_node.tolist() == runs[1].alloc_node.tolist()
