"""Planners against an independent reading of the algorithms, hand-solved schedules and their own replay."""

import os
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.cost.ring import RingCost, SlottedRingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InfeasibleError, InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.planning.board import BUSY, FINISH
from rarlib.schedulers.planning.prepare import in_order, prepare
from rarlib.schedulers.planning.search import Method, Search, kappas
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate
from tests.schedulers.naive_planner import Gang, World, plan_idle, plan_queue

TAU_HAT = 0.05


def _case(seed, jobs=14):
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


def _run(case, planner, **more):
    return simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True, **more)


def _naive(case, order="gang"):
    edges = np.concatenate([[0], np.cumsum(case.cluster.gpus)])
    world = World([list(range(a, b)) for a, b in pairwise(edges)], 0.1, 0.3, 0.08)
    cost = case.cost
    gangs = [
        Gang(job.row, job.gpus, cost.iterations[job.row], cost.tau0[job.row], cost.iterations[job.row] * TAU_HAT)
        for job in in_order(case.jobs.rows, order)
    ]
    return world, gangs


def _search(case, *, idle, rule="pack", widening=1.0, limit=BUSY, rank=BUSY, horizon=np.inf):
    view = SimpleNamespace(running=(), prices=case.cost.price(case.jobs, case.cluster), cluster=case.cluster, now_s=0.0)
    batch = prepare(view, in_order(case.jobs.rows, "gang"), {}, TAU_HAT, 1.0)
    return Search(batch, case.cluster.gpus, view.prices, Method(idle, limit, rank, rule, widening, horizon, 0.0))


def _assert_same(plan, makespan, gangs):
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


@pytest.mark.parametrize("rule", ["pack", "literal", "first"])
@pytest.mark.parametrize("kappa", [0, 2, 8])
def test_idle_pass_equals_the_naive_reading(rule, kappa):
    """GPUs, starts and finishes of every gang; a wrong choice, wait, price or rounding shows up as another schedule."""
    outcomes = set()
    for seed in range(12):
        case = _case(seed)
        for theta in (40.0, 70.0, 1e9):
            world, gangs = _naive(case)
            makespan = plan_idle(world, gangs, theta, kappa=kappa, widening=1.5, rule=rule)
            plan = _search(case, idle=True, rule=rule, widening=1.5).improve(theta, kappa, np.inf)
            _assert_same(plan, makespan, gangs)
            outcomes.add(makespan is None)
    assert outcomes == {True, False}, "the limits must separate feasible from infeasible cases"


@pytest.mark.parametrize(("limit", "rank"), [("busy", "busy"), ("finish", "busy"), ("finish", "finish")])
@pytest.mark.parametrize("rule", ["pack", "literal", "first"])
def test_queue_pass_equals_the_naive_reading(limit, rank, rule):
    """As above for gangs that queue on busy GPUs, with the limit on either level."""
    level = {"busy": BUSY, "finish": FINISH}
    outcomes = set()
    for seed in range(12):
        case = _case(seed)
        for theta in (40.0, 90.0, 1e9):
            world, gangs = _naive(case)
            makespan = plan_queue(world, gangs, theta, limit=limit, rank=rank, kappa=8, widening=1.0, rule=rule)
            search = _search(case, idle=False, rule=rule, limit=level[limit], rank=level[rank])
            _assert_same(search.improve(theta, 8, np.inf), makespan, gangs)
            outcomes.add(makespan is None)
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    "params", [{}, {"lambda_": 4}, {"fa_ffp": "literal"}, {"bisection": "per-kappa"}, {"limit": "finish"}]
)
def test_replaying_an_idle_plan_gives_the_planned_finishes(params):
    """Planner and simulator price contention alike; any difference in their event handling would move a finish."""
    for seed in range(25):
        case = _case(seed)
        planner = SjfBco(**params)
        run = _run(case, planner)
        batch = planner.last_plan.batch
        assert run.start_s[batch.row].tolist() == batch.start.tolist()
        assert run.finish_s[batch.row].tolist() == batch.finish.tolist()


def test_replaying_an_idle_plan_in_continuous_time():
    """The same without slots, in seconds, with the normalised ring model and nodes of unequal speed."""
    for seed in range(25):
        case = _case(seed)
        cluster = Cluster.of(case.cluster.gpus)
        cluster.speed[0] = 0.5
        planner = SjfBco(lambda_=2)
        run = simulate(case.jobs, cluster, planner, RingCost(share=0.2, overhead=0.02))
        np.testing.assert_allclose(run.finish_s[planner.last_plan.batch.row], planner.last_plan.batch.finish, rtol=1e-9)


def test_replaying_a_queue_plan_without_contention():
    """Without contention the queue planner's estimate is exact, so gangs start when planned."""
    for seed in range(25):
        case = _case(seed)
        planner = FirstFit()
        run = simulate(case.jobs, case.cluster, planner, TraceCost())
        batch = planner.last_plan.batch
        assert run.finish_s[batch.row].tolist() == batch.finish.tolist()


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


def test_an_outcome_holds_for_every_limit_down_to_its_peak():
    """The search skips limits between a pass's highest level and its limit; there the schedule must be the same."""
    for seed in range(15):
        case = _case(seed)
        for idle in (True, False):
            plan = _search(case, idle=idle).improve(1e6, 4, np.inf)
            for theta in np.linspace(plan.busiest * (1 + 1e-12), 1e6, 7):  # sums of estimates round
                again = _search(case, idle=idle).improve(theta, 4, np.inf)
                assert again.batch.gpus.tolist() == plan.batch.gpus.tolist()


def test_skipping_limits_does_not_change_the_result(monkeypatch):
    """The bisection with and without what earlier passes taught must end at the same schedule."""
    improve = Search.improve

    def forgetful(self, *args):
        self._settled.clear()
        return improve(self, *args)

    cases = [_case(seed) for seed in range(10)]
    planners = [SjfBco(tau_hat=TAU_HAT, bisection=b, horizon=500.0) for b in ("per-kappa", "shared") for _ in cases]
    skipping = [_run(case, planner).finish_s.tolist() for case, planner in zip(cases * 2, planners, strict=True)]
    monkeypatch.setattr(Search, "improve", forgetful)
    again = [SjfBco(tau_hat=TAU_HAT, bisection=p.bisection, horizon=500.0) for p in planners]
    assert [_run(case, p).finish_s.tolist() for case, p in zip(cases * 2, again, strict=True)] == skipping
    assert sum(p.last_plan.passes for p in again) > sum(p.last_plan.passes for p in planners)


def test_only_gang_sizes_that_occur_matter_for_kappa():
    """Between two occurring sizes kappa changes nothing, so trying the sizes (and 1) tries them all."""
    for seed in range(8):
        case = _case(seed)
        tried = kappas(case.jobs.gpus)
        assert tried[0] == 1
        for kappa in range(1, int(case.jobs.gpus.max()) + 1):
            same = max(k for k in tried if k <= kappa)
            a, b = (_search(case, idle=True).improve(300.0, k, np.inf) for k in (kappa, same))
            assert a.batch.gpus.tolist() == b.batch.gpus.tolist()


def test_a_limit_does_not_change_list_scheduling():
    """Taking the least loaded GPUs under the tightest feasible limit is taking them under none."""
    for seed in range(15):
        case = _case(seed)
        free = _search(case, idle=False, rule="literal").improve(np.inf, 8, np.inf)
        tight = _search(case, idle=False, rule="literal").improve(free.busiest * (1 + 1e-12), 8, np.inf)
        assert tight.batch.gpus.tolist() == free.batch.gpus.tolist()
        assert _search(case, idle=False, rule="literal").improve(free.busiest - 1e-6, 8, np.inf) is None


def test_makespan_is_bounded_by_the_busiest_gpu():
    """Lemma 3: makespan <= n_g What_max, since rho-hat never underestimates; and What_max <= theta (eq. 16)."""
    for seed in range(40):
        case = _case(seed)
        planner = SjfBco(tau_hat=0.08)  # the cap of the slotted model
        run = _run(case, planner)
        plan = planner.last_plan
        assert run.makespan_s <= case.jobs.gpus.max() * plan.busiest + len(case.jobs)  # whole slots round each job up
        assert plan.busiest <= plan.theta


@pytest.mark.parametrize("planner", [SjfBco, FirstFit, ListScheduling, RandomFit])
def test_later_arrivals_are_planned_too(planner):
    """Every job finishes (the simulator checks capacity and gangs), none before it could."""
    for seed in range(6):
        case = _case(seed)
        submit = np.sort(stream(seed, "arrivals").integers(0, 40, len(case.jobs))).astype(float)
        jobs = Jobs.build(submit_s=submit, gpus=case.jobs.gpus, duration_s=case.jobs.duration_s)
        run = simulate(jobs, case.cluster, planner(), TraceCost())
        assert run.finished.all()
        assert (run.finish_s >= jobs.submit_s + jobs.duration_s).all()


def test_the_last_plan_of_a_trace_is_what_happens():
    """After the last arrival nothing is unknown: finishes of running and waiting jobs must come as planned."""
    for seed in range(10):
        case = _case(seed)
        submit = np.sort(stream(seed, "arrivals").integers(0, 40, len(case.jobs))).astype(float)
        jobs = Jobs.build(submit_s=submit, gpus=case.jobs.gpus, duration_s=case.jobs.duration_s)
        planner = SjfBco()
        run = simulate(jobs, case.cluster, planner, RingCost(share=0.2))
        batch = planner.last_plan.batch
        assert batch.running[0] > 0
        np.testing.assert_allclose(run.finish_s[batch.row], batch.finish, rtol=1e-9)


def test_random_placement_respects_its_limit_and_its_stream():
    """No planned clock passes the limit before communication; placements depend on the seed and on nothing else."""
    case = _case(3)
    runs = [_run(case, RandomFit(horizon=400.0), seed=seed) for seed in (1, 1, 2)]
    assert runs[0].alloc_node.tolist() == runs[1].alloc_node.tolist()
    assert runs[0].alloc_node.tolist() != runs[2].alloc_node.tolist()
    planner = RandomFit(horizon=400.0)
    _run(case, planner, seed=1)
    batch = planner.last_plan.batch
    assert (batch.start + batch.plain <= 400.0).all()


@pytest.mark.parametrize("planner", [SjfBco, FirstFit, ListScheduling, RandomFit])
def test_too_short_a_horizon_is_told(planner):
    """An infeasible horizon must neither crash nor loop: one line that names the scheduler and the horizon."""
    with pytest.raises(InfeasibleError, match=f"field horizon: {planner.name} found no schedule of 14 jobs"):
        _run(_case(0), planner(horizon=3.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SjfBco(availability="later"), "field availability: unknown value 'later'; known: idle, queue"),
        (lambda: SjfBco(fa_ffp="best"), "field fa_ffp"),
        (lambda: SjfBco(lambda_=0.5), "field lambda: must be a number of at least 1"),
        (lambda: SjfBco(bisection="golden"), "field bisection"),
        (lambda: FirstFit(limit="area"), "field limit"),
        (lambda: ListScheduling(rank="area"), "field rank"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    """A typo in a parameter must not run with another reading."""
    with pytest.raises(InputError, match=message):
        make()


def test_unknown_order_is_refused():
    """The order is checked where it is used, by all planners alike."""
    with pytest.raises(InputError, match="unknown order 'size'"):
        _run(_case(0), FirstFit(order="size"))


def test_plain_python_gives_the_same_schedule():
    """Without a compiler the kernels run as plain Python; the schedule must not depend on it."""
    code = (
        "from tests.schedulers.test_planners import _case, _run, SjfBco, FirstFit\n"
        "print([_run(_case(s), p(), compiled=False).finish_s.tolist() for s in (1, 2) for p in (SjfBco, FirstFit)])"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONPATH": os.curdir},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disable in ("0", "1")
    ]
    assert outputs[0] == outputs[1] != ""
