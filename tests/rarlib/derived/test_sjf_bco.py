"""SJF-BCO's schedulers and prices against the computation by hand (`plain_sjf_bco`), with contention switched on.

The instances have the stated mix of gangs, iterations (1000 to 6000) and servers; prices are eq. 8 as printed, so that
nothing of the package's own set-ups enters.
"""

from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

from rarlib.cost.ring import PhysicalRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate
from tests.rarlib.derived import plain_sjf_bco as plain

CLAIMS = {
    "test_iteration_times_of_eq_6_to_8": ["sjf-bco-046", "sjf-bco-047"],
    "test_sjf_bco_of_fig_4": ["sjf-bco-001", "sjf-bco-002", "sjf-bco-003"],
    "test_least_busy_gpus_of_fig_4": ["sjf-bco-004", "sjf-bco-005", "sjf-bco-006"],
    "test_first_fit_of_fig_4": ["sjf-bco-007", "sjf-bco-008", "sjf-bco-009"],
    "test_kappa_of_fig_5": ["sjf-bco-013", "sjf-bco-016", "sjf-bco-017", "sjf-bco-019"],
    "test_lambda_of_fig_7": ["sjf-bco-032", "sjf-bco-035"],
    "test_lemmas_2_and_3": ["sjf-bco-041", "sjf-bco-042"],
}
TAU_HAT = 0.05
MIX = [1] * 80 + [2] * 14 + [4] * 26 + [8] * 30 + [16] * 8 + [32] * 2
NETWORK = plain.Network(between=1.0, within=50.0, reduce=50.0, xi1=0.5, xi2=0.0003, alpha=0.3)


@cache
def drawn(seed, mix, sizes):
    """Jobs and servers of a seed: F_j of 1000..6000, time alone of 0.01..0.04 slot, 3 to 6 % of it sent."""
    random = Random(seed)
    gangs = list(mix)
    random.shuffle(gangs)
    jobs = []
    for gang in gangs:
        compute = random.uniform(0.01, 0.04)
        jobs.append(plain.Ring(gang, random.randint(1000, 6000), compute * random.uniform(0.015, 0.03), compute))
    return tuple(jobs), sizes


def small(seed):
    """An eighth of the mix on four servers: a second of plain Python."""
    return drawn(seed, (*[1] * 10, *[2] * 2, *[4] * 3, *[8] * 4, 16), (4, 8, 4, 16))


def paper(seed):
    """The stated 160 jobs on 20 servers."""
    return drawn(seed, tuple(MIX), tuple(Random(-seed).choices([4, 8, 16, 32], k=20)))


def half(seed):
    """Half of the stated jobs on 10 servers, for what takes many passes."""
    return drawn(seed, tuple(MIX[::2]), tuple(Random(-seed).choices([4, 8, 16, 32], k=10)))


def packaged(jobs, sizes):
    """The same instance for the package."""
    column = {name: np.array([getattr(job, name) for job in jobs], float) for name in plain.Ring._fields}
    alone = [plain.slots(job, 1, 0, NETWORK) for job in jobs]
    table = Jobs.build(submit_s=np.zeros(len(jobs)), gpus=column["gpus"].astype(int), duration_s=np.array(alone, float))
    cost = PhysicalRingCost(
        iterations=column["iterations"], gradient=column["gradient"], batch=1.0, forward_s=column["compute"],
        backward_s=0.0, between=NETWORK.between, within=NETWORK.within, reduce=NETWORK.reduce,
        overhead_s=NETWORK.xi2, alpha=NETWORK.alpha, xi=NETWORK.xi1, slot_s=1.0,
    )  # fmt: skip
    return table, Cluster.of(np.array(sizes)), cost


def assert_same(instance, scheduler, schedule):
    """Every start and completion, hence makespan, average and shortest completion."""
    table, cluster, cost = packaged(*instance)
    run = simulate(table, cluster, scheduler, cost, quantum=1.0, whole_slots=True)
    assert run.start_s.tolist() == [schedule.start[j] for j in range(len(table))]
    assert run.finish_s.tolist() == [schedule.finish[j] for j in range(len(table))]
    assert (run.makespan_s, run.turnaround_s.mean()) == (schedule.makespan, pytest.approx(schedule.average))


def estimates(instance):
    """rho-hat_j = 0.05 F_j: [50, 300] slots as stated; fractions, so that equally busy GPUs tie."""
    return [Fraction(str(TAU_HAT)) * job.iterations for job in instance[0]]


def test_iteration_times_of_eq_6_to_8():
    """Four jobs of four GPUs on four servers, each spread over all of them, against one job alone on a server.

    One alone: p = 0. Spread: each server is shared by all four, p = 4, k = 2, f = 2.3.
    """
    job = plain.Ring(4, 1000, 0.01, 0.02)
    together = {j: dict.fromkeys(range(4), 1) for j in range(4)}
    assert plain.sharers(together) == dict.fromkeys(range(4), 4)
    assert plain.sharers({0: {0: 4}, 1: {1: 2, 2: 2}}) == {0: 0, 1: 1}
    by_hand = 0.01 / 4 * 6 * 2.3 + 0.01 / 4 * 3 / 50 + 4 * 0.0003 + 0.02
    assert plain.iteration_time(job, 4, 4, NETWORK) == pytest.approx(by_hand)
    table, cluster, cost = packaged([job] * 4, (4, 4, 4, 4))
    prices = cost.price(table, cluster)
    for servers, sharers in [(1, 0), (2, 1), (2, 2), (4, 3), (4, 4)]:
        expected = plain.iteration_time(job, servers, sharers, NETWORK)
        assert iteration_s(prices, 0, servers, max(sharers, 1)) == pytest.approx(expected, rel=1e-12)
    low, high = plain.bounds_of_iteration_time(job, 4, NETWORK)
    assert low < by_hand <= high


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("shared", "widening"), [(True, 1), (False, 8)])
def test_sjf_bco_of_fig_4(seed, shared, widening):
    """Alg. 1 with all kappa from 1 to the largest gang, as printed."""
    instance = small(seed)
    schedule = plain.sjf_bco(*instance, NETWORK, estimates(instance), 900, widening, shared=shared)
    bisection = "shared" if shared else "per-kappa"
    scheduler = SjfBco(tau_hat=TAU_HAT, horizon=900, lambda_=widening, bisection=bisection)
    assert_same(instance, scheduler, schedule)


@pytest.mark.parametrize("seed", range(3))
def test_least_busy_gpus_of_fig_4(seed):
    """LS on the paper's whole instance, ranked by the accumulated estimated time U as printed."""
    instance = paper(seed)
    schedule = plain.queue(*instance, NETWORK, estimates(instance), "least")
    assert_same(instance, ListScheduling(tau_hat=TAU_HAT), schedule)


@pytest.mark.parametrize("limit", ["busy", "finish"])
@pytest.mark.parametrize("seed", range(4))
def test_first_fit_of_fig_4(seed, limit):
    """FF under the limit that the package found."""
    instance = small(seed)
    scheduler = FirstFit(tau_hat=TAU_HAT, limit=limit)
    table, cluster, cost = packaged(*instance)
    simulate(table, cluster, scheduler, cost, quantum=1.0, whole_slots=True)
    schedule = plain.queue(*instance, NETWORK, estimates(instance), "first", scheduler.last_plan.theta, limit)
    assert_same(instance, FirstFit(tau_hat=TAU_HAT, limit=limit), schedule)


@pytest.mark.parametrize(("seed", "limit"), [(2, "busy"), (3, "busy")])
def test_least_limit_of_first_fit(seed, limit):
    """The least feasible limit, found by trying every whole limit upward."""
    instance = small(seed)
    schedule, theta = plain.least_feasible(
        lambda theta: plain.queue(*instance, NETWORK, estimates(instance), "first", theta, limit)
    )
    scheduler = FirstFit(tau_hat=TAU_HAT, limit=limit)
    assert_same(instance, scheduler, schedule)
    assert scheduler.last_plan.theta == theta


@cache
def at_kappa(kappa, widening):
    """One point of Fig. 5 or 7."""
    instance = half(1)
    return plain.sjf_bco(*instance, NETWORK, estimates(instance), 1200, widening, kappas=[kappa])


def test_kappa_of_fig_5():
    """kappa acts through G_j <= kappa only; no gang has 9 or 10 GPUs, so kappa = 8 and 10 cannot differ.

    The paper plots 535 and 700 for them.
    """
    makespans = {kappa: at_kappa(kappa, 1).makespan for kappa in (1, 8, 10, 32)}
    assert at_kappa(8, 1) == at_kappa(10, 1)
    assert len(set(makespans.values())) == 3
    for kappa in (1, 10, 32):
        assert_same(half(1), SjfBco(tau_hat=TAU_HAT, horizon=1200, kappa=kappa), at_kappa(kappa, 1))


def test_lambda_of_fig_7():
    """At kappa = 1 every gang of two GPUs and more chooses among servers with lambda G_j GPUs."""
    for widening in (1, 8):
        scheduler = SjfBco(tau_hat=TAU_HAT, horizon=1200, kappa=1, lambda_=widening)
        assert_same(half(1), scheduler, at_kappa(1, widening))
    assert at_kappa(1, 8).makespan < at_kappa(1, 1).makespan


@pytest.mark.parametrize("seed", range(3))
def test_lemmas_2_and_3(seed):
    """The busiest GPU stays within the limit; the makespan is at most n_g times its accumulated time.

    Lemma 3's proof needs estimates that are not below the true times: all are at most 0.05 F_j here.
    """
    instance = small(seed)
    schedule = plain.sjf_bco(*instance, NETWORK, estimates(instance), 900, 8, shared=False)
    true = {j: schedule.finish[j] - schedule.start[j] for j in schedule.finish}
    assert all(true[j] <= estimate for j, estimate in enumerate(estimates(instance)))
    largest = max(job.gpus for job in instance[0])
    assert schedule.makespan <= largest * schedule.busiest
    scheduler = SjfBco(tau_hat=TAU_HAT, horizon=900, lambda_=8, bisection="per-kappa")
    table, cluster, cost = packaged(*instance)
    simulate(table, cluster, scheduler, cost, quantum=1.0, whole_slots=True)
    assert scheduler.last_plan.busiest == pytest.approx(schedule.busiest)
    assert scheduler.last_plan.theta >= schedule.busiest - 1e-9
