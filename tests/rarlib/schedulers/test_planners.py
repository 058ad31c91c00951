"""Planners against an independent reading of the algorithms and hand-solved schedules."""

import numpy as np
import pytest

from artifact.papers.sjf_bco.instance import instance
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.shared.planning.gpu_state import BUSY, FINISH
from rarlib.schedulers.shared.planning.search import Search, kappas
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate
from tests.artifact.papers.sjf_bco.setups import SETUPS
from tests.rarlib.schedulers.cases import TAU_HAT, assert_same, naive, run_case, search, small_case
from tests.rarlib.schedulers.naive_planner import plan_idle, plan_queue


@pytest.mark.parametrize("rule", ["pack", "literal", "first"])
@pytest.mark.parametrize("kappa", [0, 2, 8])
def test_idle_pass_equals_the_naive_reading(rule, kappa):
    """GPUs, starts and finishes of every gang; a wrong choice, wait, price or rounding shows up as another schedule."""
    outcomes = set()
    for seed in range(12):
        case = small_case(seed)
        for theta in (40.0, 70.0, 1e9):
            world, gangs = naive(case)
            makespan = plan_idle(world, gangs, theta, kappa=kappa, widening=1.5, rule=rule)
            plan = search(case, idle=True, rule=rule, widening=1.5).improve(theta, kappa, np.inf)
            assert_same(plan, makespan, gangs)
            outcomes.add(makespan is None)
    assert outcomes == {True, False}, "the limits must separate feasible from infeasible cases"


@pytest.mark.parametrize(("limit", "rank"), [("busy", "busy"), ("finish", "busy"), ("finish", "finish")])
@pytest.mark.parametrize("rule", ["pack", "literal", "first"])
def test_queue_pass_equals_the_naive_reading(limit, rank, rule):
    """As above for gangs that queue on busy GPUs, with the limit on either level."""
    level = {"busy": BUSY, "finish": FINISH}
    outcomes = set()
    for seed in range(12):
        case = small_case(seed)
        for theta in (40.0, 90.0, 1e9):
            world, gangs = naive(case)
            makespan = plan_queue(world, gangs, theta, limit=limit, rank=rank, kappa=8, widening=1.0, rule=rule)
            passes = search(case, idle=False, rule=rule, limit=level[limit], rank=level[rank])
            assert_same(passes.improve(theta, 8, np.inf), makespan, gangs)
            outcomes.add(makespan is None)
    assert outcomes == {True, False}


def test_hand_solved_schedule():
    """Head of line blocks: on one server of 2 GPUs the gangs of 2 come last, in order of rows.

    gpu 0  | b b b | a a | d
    gpu 1  | c |   | a a | d

    First fit fills the first GPU as long as the limit lets it, and no limit below 7 admits all four:

    gpu 0  | b b b | c | a a | d
    gpu 1  |           | a a | d
    """
    jobs = Jobs.build(submit_s=np.zeros(4), gpus=[2, 1, 1, 2], duration_s=[2.0, 3.0, 1.0, 1.0])
    for planner, starts in (
        (SjfBco(), [3.0, 0.0, 0.0, 5.0]),
        (ListScheduling(), [3.0, 0.0, 0.0, 5.0]),
        (FirstFit(), [4.0, 0.0, 3.0, 6.0]),
    ):
        run = simulate(jobs, Cluster.of([2]), planner, TraceCost())
        assert run.start_s.tolist() == starts


def test_skipping_limits_does_not_change_the_result(monkeypatch):
    """The bisection with and without what earlier passes taught must end at the same schedule."""
    improve = Search.improve

    def forgetful(self, *args):
        self._settled.clear()
        return improve(self, *args)

    cases = [small_case(seed) for seed in range(10)]
    planners = [SjfBco(tau_hat=TAU_HAT, bisection=b, horizon=500.0) for b in ("per-kappa", "shared") for _ in cases]
    skipping = [run_case(case, planner).finish_s.tolist() for case, planner in zip(cases * 2, planners, strict=True)]
    monkeypatch.setattr(Search, "improve", forgetful)
    again = [SjfBco(tau_hat=TAU_HAT, bisection=p.bisection, horizon=500.0) for p in planners]
    assert [run_case(case, p).finish_s.tolist() for case, p in zip(cases * 2, again, strict=True)] == skipping
    assert sum(p.last_plan.passes for p in again) > sum(p.last_plan.passes for p in planners)


def test_only_gang_sizes_that_occur_matter_for_kappa():
    """Between two occurring sizes kappa changes nothing, so trying the sizes (and 1) tries them all."""
    for seed in range(8):
        case = small_case(seed)
        tried = kappas(case.jobs.gpus)
        assert tried[0] == 1
        for kappa in range(1, int(case.jobs.gpus.max()) + 1):
            same = max(k for k in tried if k <= kappa)
            a, b = (search(case, idle=True).improve(300.0, k, np.inf) for k in (kappa, same))
            assert a.batch.gpus.tolist() == b.batch.gpus.tolist()


def test_makespan_is_bounded_by_the_busiest_gpu():
    """Lemma 3: makespan <= n_g What_max, since rho-hat never underestimates; and What_max <= theta (eq. 16)."""
    for seed in range(40):
        case = small_case(seed)
        planner = SjfBco(tau_hat=0.08)  # the cap of the slotted model
        run = run_case(case, planner)
        plan = planner.last_plan
        assert run.makespan_s <= case.jobs.gpus.max() * plan.busiest + len(case.jobs)  # whole slots round each job up
        assert plan.busiest <= plan.theta


@pytest.mark.release
def test_a_whole_instance_of_the_evaluation_equals_the_naive_reading():
    """160 jobs on 20 servers, lambda 8, kappa 8: all placements, starts and finishes."""
    case = instance(1, 20, SETUPS["P200"])
    world, gangs = naive(case)
    makespan = plan_idle(world, gangs, 800.0, kappa=8, widening=8.0, rule="pack")
    assert_same(search(case, idle=True, widening=8.0).improve(800.0, 8, np.inf), makespan, gangs)


@pytest.mark.release
def test_accepting_partial_schedules_as_printed_collapses():
    """Why an incomplete schedule must not count: Alg. 1, l. 14-18 as printed ends below any lower bound.

    The bisection takes the makespan of whatever was placed before the first gang without GPUs, so smaller and
    smaller limits look better and better.
    """
    case = instance(0, 20, SETUPS["P200"])
    bound = (case.jobs.gpus * case.jobs.duration_s).sum() / case.cluster.total_gpus

    def printed(theta):
        world, gangs = naive(case)
        makespan = plan_idle(world, gangs, theta, kappa=32, widening=1.0, rule="pack")
        return makespan if makespan is not None else max((gang.finish for gang in gangs if gang.gpus), default=-1)

    best, left, right = 1200.0, 1, 1200
    while left <= right:
        theta = (left + right) // 2
        found = printed(theta)
        if found < best:
            best, right = found, theta - 1
        else:
            left = theta + 1
    assert best < bound / 2
    assert run_case(case, SjfBco(tau_hat=TAU_HAT, horizon=1200.0)).makespan_s >= bound
