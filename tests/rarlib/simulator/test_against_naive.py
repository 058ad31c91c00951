"""The engine against the naive simulator: equal starts, finishes, waiting and intervals on random instances."""

from fractions import Fraction

import numpy as np
import pytest
from naive import Naive
from toys import Cost, intervals, jobs_of, table_of

from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.las import Las
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace
from tests.circles import first

LEVELS = (2.0, 8.0)
EXACT = (1, 2, 4)
"""Gangs that reach a level after a binary fraction of a second, so that what is simultaneous on paper is so here."""
SCHEDULERS = {"fifo": Fifo, "fifo-backfill": FifoBackfill, "sjf": Sjf, "srtf": Srtf, "las": lambda: Las(levels=LEVELS)}
ORDERS = list(SCHEDULERS)
UNPREEMPTIVE = ORDERS[:3]


def instance(rng, sizes, longest=8, jobs=9):
    """Whole-number jobs that meet often: simultaneous arrivals, finishes and equal durations are frequent."""
    nodes = rng.integers(1, 5, rng.integers(1, 4)).tolist()
    fitting = [g for g in sizes if g <= sum(nodes)]
    rows = [
        (int(rng.integers(0, 10)), int(rng.choice(fitting)), int(rng.integers(0, longest + 1)))
        for _ in range(rng.integers(1, jobs + 1))
    ]
    return nodes, jobs_of(rows)


def simulated(jobs, nodes, order, cost=None, **options):
    return simulate(jobs, Cluster.of(nodes), SCHEDULERS[order](), cost or Cost(), **options)


def same(run, naive):
    """Exact equality of everything that both define."""
    assert run.start_s.tolist() == [j.start for j in naive.jobs]
    assert run.finish_s.tolist() == [j.finish for j in naive.jobs]
    assert run.queue_s.tolist() == [j.queue for j in naive.jobs]
    assert run.gpu_seconds.tolist() == [j.attained for j in naive.jobs]
    assert run.restarts.tolist() == [j.restarts for j in naive.jobs]
    assert intervals(run) == sorted(i for i in naive.intervals if i[2] > i[1])


@pytest.mark.parametrize("part", first(2, range(5)))
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "decide"])
@pytest.mark.parametrize("order", ORDERS)
def test_trace_cost(part, order, compiled):
    """A difference means that ordering, tie rule, preemption, restart cost or quantum departs from the contract."""
    sizes = EXACT if order == "las" else (1, 2, 3, 4, 6)
    for number in range(part, 500, 5):
        rng = stream(2, "naive", order, number)
        nodes, jobs = instance(rng, sizes)
        quantum, restart = int(rng.choice([0, 0, 2, 4])), int(rng.choice([0, 0, 1, 3]))
        naive = Naive(table_of(jobs), nodes, order, quantum, restart=restart, levels=LEVELS).run()
        same(simulated(jobs, nodes, order, quantum=quantum, restart_s=restart, compiled=compiled), naive)


@pytest.mark.parametrize("order", ORDERS)
def test_whole_slots(order):
    """A difference means that GPUs are not kept to the end of the last slot, or kept longer (SJF-BCO eq. 9)."""
    for number in range(300):
        rng = stream(2, "naive-slots", order, number)
        nodes, jobs = instance(rng, EXACT)
        quantum, restart = int(rng.choice([1, 2, 4])), int(rng.choice([0, 1]))
        naive = Naive(table_of(jobs), nodes, order, quantum, True, restart, LEVELS).run()
        options = {"quantum": quantum, "whole_slots": True, "restart_s": restart, "compiled": bool(number % 2)}
        same(simulated(jobs, nodes, order, **options), naive)


@pytest.mark.parametrize("order", ORDERS)
def test_longer_queues(order):
    """A difference means that a heap or the order of running jobs breaks once many jobs wait."""
    for number in range(25):
        rng = stream(2, "naive-long", order, number)
        nodes, jobs = instance(rng, EXACT, longest=20, jobs=80)
        naive = Naive(table_of(jobs), nodes, order, restart=number % 3, levels=LEVELS).run()
        same(simulated(jobs, nodes, order, restart_s=number % 3), naive)


def test_real_times():
    """A difference means that progress of stopped jobs is lost or gained when times are not whole."""
    for number in range(200):
        rng = stream(2, "naive-real", number)
        nodes = rng.integers(1, 5, 3).tolist()
        jobs = jobs_of([(rng.uniform(0, 10), int(rng.integers(1, 4)), rng.exponential(4)) for _ in range(12)])
        naive = Naive(table_of(jobs), nodes, "srtf", restart=0.3).run()
        run = simulate(jobs, Cluster.of(nodes), Srtf(), Cost(), restart_s=0.3)
        assert run.finish_s.tolist() == pytest.approx([j.finish for j in naive.jobs], rel=1e-12)
        assert run.restarts.tolist() == [j.restarts for j in naive.jobs]


@pytest.mark.real
@pytest.mark.parametrize("order", ["srtf", "las"])
def test_philly_slice(order):
    """Preemption on recorded jobs, in exact fractions; a difference means that rounding changes the schedule."""
    trace = load_trace("philly-pollux", network=False)
    if trace.provenance["standin"]:
        pytest.skip("the Philly table is neither in data/raw nor in RARLIB_MIRROR")
    jobs = trace.jobs.take(np.flatnonzero(trace.jobs.gpus <= 16)[1000:1250])
    table = [tuple(map(Fraction, row)) for row in table_of(jobs)]
    naive = Naive(table, [8, 8], order, restart=Fraction(60), levels=(3250, 7200)).run()
    run = simulate(jobs, Cluster.of([8, 8]), Las() if order == "las" else Srtf(), Cost(), restart_s=60)
    assert run.finish_s.tolist() == pytest.approx([float(j.finish) for j in naive.jobs], rel=1e-12)
    assert run.restarts.tolist() == [j.restarts for j in naive.jobs]
    assert run.restarts.sum() > 0


def contended(rng, nodes, jobs, slot):
    """A price table with sharing, and the same formula (SJF-BCO eq. 8) for the naive simulator."""
    n = len(jobs)
    base, local, link, server = (rng.uniform(a, b, n) for a, b in ((0.02, 0.05), (0, 0.01), (0, 0.05), (0, 0.005)))
    cap = np.where(rng.random(n) < 0.3, 0.1, np.inf)
    alpha = rng.uniform(0, 1)
    sharing = np.array([1.0] + [k + alpha * (k - 1) for k in range(1, max(nodes) + 1)])
    work = np.ceil(jobs.duration_s / base)
    cost = Cost(
        {"work": work, "base_s": base, "local_s": local, "link_s": link, "server_s": server, "cap_s": cap,
         "sharing": sharing, "slot_s": float(slot)}
    )  # fmt: skip

    def price(row, servers, sharers):
        if servers == 1:
            return min(cap[row], base[row] + local[row])
        f = sharers + alpha * (sharers - 1)
        return min(cap[row], base[row] + link[row] * f + server[row] * servers)

    return cost, price, work


def same_to_rounding(run, naive):
    """Equality up to rounding, for instances whose times are not whole."""
    names = {"start_s": "start", "finish_s": "finish", "queue_s": "queue", "gpu_seconds": "attained"}
    for name, other in names.items():
        expected = [getattr(j, other) for j in naive.jobs]
        assert getattr(run, name).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9), name
    assert run.restarts.tolist() == [j.restarts for j in naive.jobs]


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "decide"])
@pytest.mark.parametrize("order", ORDERS)
def test_contention(order, compiled):
    """A difference means that a rate was not recomputed when neighbours changed, or priced otherwise (eq. 6, 8)."""
    for number in range(200):
        rng = stream(2, "naive-contention", order, number)
        nodes, jobs = instance(rng, EXACT if order == "las" else (1, 2, 3, 4), longest=30)
        cost, price, work = contended(rng, nodes, jobs, 0)
        more = {"price": price, "estimate": jobs.duration_s.tolist()}
        naive = Naive(table_of(jobs, work), nodes, order, restart=0.5, levels=LEVELS, **more).run()
        same_to_rounding(simulated(jobs, nodes, order, cost, restart_s=0.5, compiled=compiled), naive)


@pytest.mark.parametrize("order", UNPREEMPTIVE)
def test_slotted_contention(order):
    """A difference means that whole iterations or whole slots are counted otherwise (eq. 6 to 9)."""
    for number in range(200):
        rng = stream(2, "naive-slotted", order, number)
        nodes, jobs = instance(rng, (1, 2, 3, 4), longest=30)
        cost, price, work = contended(rng, nodes, jobs, 1)
        estimate = jobs.duration_s.tolist()
        naive = Naive(table_of(jobs, work), nodes, order, 1, True, price=price, slot=1, estimate=estimate).run()
        same_to_rounding(simulated(jobs, nodes, order, cost, quantum=1, whole_slots=True), naive)
