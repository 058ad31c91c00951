"""Lower bounds against true optima and against every scheduler: one counter-example would void every certificate."""

import numpy as np
import pytest

from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, largest_bound, lower_bounds
from rarlib.cost.linked import cluster_shape, on_fabric
from rarlib.cost.table import price_table
from rarlib.discovery import make_scheduler, schedulers
from rarlib.ilp.rar_ddls import brute_force
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InfeasibleError, InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from tests.circles import first
from tests.rarlib.ilp.cases import KINDS, case
from tests.rarlib.ilp.instances import cluster_of, random_case
from tests.rarlib.ilp.slot_optimum import feasible_rates, optima

BLOCK = 40
QUICK = {"best-known": {"effort": 5}, "pollux": {"population": 8, "generations": 3, "round_s": 5}}


def assert_below(bounds, makespan, mean_jct, where):
    limit = {MAKESPAN: makespan, MEAN_JCT: mean_jct}
    for bound in bounds:
        assert bound.value_s <= limit[bound.objective] * (1 + 1e-9) + 1e-9, (where, bound)


def check_schedulers(seed, names, shortest):
    c = random_case(seed, shortest)
    bounds = lower_bounds(c.jobs, c.cluster, c.prices, **c.options)
    runs = 0
    for name in names:
        scheduler = make_scheduler(name, QUICK.get(name))
        try:
            run = simulate(c.jobs, c.cluster, scheduler, c.cost, restart_s=float(seed % 2), seed=seed, **c.options)
        except InfeasibleError:  # a planner without a plan within its horizon
            continue
        except InputError as error:
            # It needs jobs that learn, or parameter servers; or no type holds a job that it gives GPUs of one type.
            if error.field not in ("cost", "gpus"):
                raise
            continue
        runs += 1
        assert_below(bounds, run.makespan_s, run.turnaround_s.mean(), (seed, name))
    return runs


@pytest.mark.parametrize("block", first(1, range(25)))
def test_no_scheduler_beats_a_bound(block):
    """Whatever the instance uses: releases, gangs, links, racks, speeds, slots, quanta, elastic jobs, restart costs."""
    seeds = range(block * BLOCK, (block + 1) * BLOCK)
    assert sum(check_schedulers(seed, schedulers(), 1) for seed in seeds) > 8 * BLOCK


def test_no_scheduler_beats_a_bound_on_a_fabric():
    """Sharing links makes no job faster than it is alone, for which the bounds are proven."""
    runs = shared = 0
    for seed in range(160):
        c = random_case(seed, 1)
        if c.prices.slot_s > 0.0 or np.isfinite(c.prices.cap_s).any() or len(c.prices.gbps):
            continue  # these have no fabric
        bounds = lower_bounds(c.jobs, c.cluster, c.prices, **c.options)
        cost = on_fabric(c.cost, cluster_shape(c.cluster), alpha=0.3 * (seed % 2))
        for name in ("fifo", "srtf", "sjf-bco", "tiresias"):
            run = simulate(c.jobs, c.cluster, make_scheduler(name), cost, restart_s=float(seed % 2), **c.options)
            assert_below(bounds, run.makespan_s, run.turnaround_s.mean(), (seed, name))
            runs += 1
            shared += run.contention_s.sum() > 0.0
    assert runs > 120
    assert shared > 12, "jobs must meet on links"


@pytest.mark.parametrize("kind", list(KINDS))
def test_below_the_optimum_with_contention(kind):
    """Against the brute force of RAR-DDLS, in which nothing is stopped."""
    met = 0
    for seed in range(40):
        c = case(kind, seed, 3 + seed % 3)
        optimum = brute_force.least_makespan(c.problem).makespan
        prices = c.cost.price(c.jobs, c.cluster)
        bounds = lower_bounds(c.jobs, c.cluster, prices, quantum=1.0, whole_slots=True, never_stopped=True)
        assert_below(bounds, optimum, np.inf, (kind, seed))
        met += largest_bound(bounds, MAKESPAN).value_s == optimum
    assert met >= 15  # a bound that never meets the optimum of such small instances is of little use


@pytest.mark.parametrize("whole_slots", [True, False])
@pytest.mark.parametrize("block", first(1, range(4)))
def test_below_the_optimum_with_preemption(block, whole_slots):
    """Against all choices of every slot: servers of different speeds, gangs that span or change size, releases."""
    met = np.zeros(2)
    for seed in range(30 * block, 30 * block + 30):
        rng = stream(seed, "slot-optimum")
        servers = rng.choice([1, 2, 2, 3], int(rng.integers(1, 4)))
        speed = rng.choice([1.0, 2.0], len(servers)) if rng.random() < 0.5 else np.ones(len(servers))
        n = int(rng.integers(2, 5))
        gang = np.minimum(rng.choice([1, 1, 2, 3], n), servers.sum())
        most = np.minimum(gang + rng.choice([0, 2], n), servers.sum()) if rng.random() < 0.4 else gang
        gain = np.arange(most.max() + 1)[None, :] ** rng.choice([0.5, 1.0])
        rigid = (gang == most).all()
        work, release = rng.integers(1, 5, n), np.sort(rng.integers(0, rng.choice([1, 5]), n))
        release -= release[0]
        link, per_server = rng.choice([0.0, 0.5]), rng.choice([0.0, 0.25])
        rates = feasible_rates(
            [range(low, high + 1) for low, high in zip(gang, most, strict=True)],
            servers,
            speed,
            lambda g, s: (1 + (s > 1) * (link + per_server * s)) / (1.0 if rigid else gain[0, g]),  # noqa: B023
        )
        makespan, total = optima(work, release, rates, whole_slots)
        jobs = Jobs.build(submit_s=release, gpus=gang, duration_s=work, max_gpus=most)
        cluster = cluster_of(servers, speed, np.zeros(len(servers)))
        prices = price_table(
            jobs,
            cluster,
            work=work.astype(float),
            link_s=link,
            server_s=per_server,
            node_speed=cluster.speed,
            curve=np.full(n, -1 if rigid else 0),
            speedup=gain,
        )
        bounds = lower_bounds(jobs, cluster, prices, quantum=1.0, whole_slots=whole_slots)
        mean = (total - release.sum()) / n
        assert_below(bounds, makespan, mean, seed)
        for i, (objective, optimum) in enumerate([(MAKESPAN, makespan), (MEAN_JCT, mean)]):
            met[i] += largest_bound(bounds, objective).value_s >= optimum - 1e-9
    assert met[0] >= 12
    assert met[1] >= 4


def test_a_job_that_can_never_end_is_named():
    """Slower than one iteration per slot: no schedule ends, so no number bounds it."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 3], duration_s=[1, 1], job_id=["a", "b"])
    prices = price_table(jobs, Cluster.of([2, 2]), work=np.ones(2), base_s=0.9, link_s=0.2, slot_s=1.0)
    with pytest.raises(InputError, match="job b fits nowhere or makes no progress"):
        lower_bounds(jobs, Cluster.of([2, 2]), prices)


def test_nothing_to_do():
    """Jobs of no length end when they are submitted."""
    jobs = Jobs.build(submit_s=[0, 5], gpus=[1, 1], duration_s=[0, 0])
    cluster = Cluster.of([1])
    bounds = lower_bounds(jobs, cluster, price_table(jobs, cluster, work=np.zeros(2)))
    assert largest_bound(bounds, MAKESPAN).value_s == 5.0
    assert largest_bound(bounds, MEAN_JCT).value_s == 0.0
