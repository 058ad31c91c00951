"""All jobs' GPUs at once, runs that end at a given time, ends of epochs, and reservations that no link can carry."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_against_naive import ORDERS, SCHEDULERS, instance
from toys import Cost, Scripted, intervals, jobs_of

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import ReservedCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Allocation, Start, Stop, Wake
from rarlib.model.errors import DecisionError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.clock import EXPIRY, open_instant
from rarlib.simulator.engine import Conventions, simulate
from rarlib.simulator.identities import IdentityError, check_identities
from tests.named import Named


def allocation(jobs, *gpus):
    return Allocation(np.array(jobs), np.array(gpus).reshape(len(jobs), -1))


def test_who_holds_the_same_goes_on():
    """Job 0 keeps its node while job 1 moves from node 1 to node 0 and back; each of its starts is a restart."""
    script = [
        [allocation([0, 1], [1, 0], [0, 1]), Wake(1.0)],
        [allocation([0, 1], [1, 0], [1, 0]), Wake(2.0)],
        [allocation([0, 1], [1, 0], [0, 0]), Wake(3.0)],
        [allocation([1, 0], [0, 1], [1, 0])],
    ]
    run = simulate(jobs_of([(0, 1, 6), (0, 1, 3)]), Cluster.of([2, 1]), Scripted(script), Cost())
    assert intervals(run) == [(0, 0, 6, 0, 1), (1, 0, 1, 1, 1), (1, 1, 2, 0, 1), (1, 3, 4, 1, 1)]
    assert run.restarts.tolist() == [0, 2]


BAD = {
    "more than a node has": ([allocation([0], [3, 0])], "node 0 has 2 GPUs, more are allocated"),
    "gang too small": ([allocation([0], [1, 0])], "job ann: gang of 2 to 2 GPUs, 1 given"),
    "not whole": ([Allocation(np.array([0]), np.array([[1.5, 0.5]]))], "whole GPUs"),
    "negative": ([allocation([0], [3, -1])], "whole GPUs"),
    "wrong shape": ([allocation([0], [2])], "by job and node"),
    "job twice": ([allocation([0, 0], [0, 0], [2, 0])], "each once"),
    "job of the future": ([allocation([2], [1, 0])], "in the system"),
    "runs but is not named": ([Start(0, ((0, 2),)), allocation([1], [0, 1])], "must name every running job"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_allocation(case):
    decisions, rule = BAD[case]
    jobs = jobs_of([(0, 2, 4), (0, 1, 4), (5, 1, 1)], job_id=["ann", "bob", "cyd"])
    with pytest.raises(DecisionError, match=rule):
        simulate(jobs, Cluster.of([2, 2]), Scripted([decisions]), Cost())


@dataclass
class Shuffling(Named):
    """Gives elastic jobs random GPUs in every slot, all at once or one after the other."""

    at_once: bool = True

    def decide(self, view):
        rows = np.sort(np.concatenate([view.waiting_rows, view.running_rows]))
        free, gpus = view.cluster.gpus.copy(), np.zeros((len(rows), view.cluster.nodes), np.int64)
        for i in view.rng.permutation(len(rows)):
            want = int(view.rng.integers(0, view.job(int(rows[i])).max_gpus + 1))
            for node in view.rng.permutation(len(free)):
                gpus[i, node] = min(want, free[node])
                want, free[node] = want - gpus[i, node], free[node] - gpus[i, node]
        if self.at_once:
            yield Allocation(rows, gpus)
        else:
            held = {r.job.row: r.placement for r in view.running}
            wanted = {row: tuple((int(n), int(g[n])) for n in np.flatnonzero(g))
                      for row, g in zip(rows.tolist(), gpus, strict=True)}  # fmt: skip
            yield from [Stop(row) for row, placement in held.items() if wanted[row] != placement]
            yield from [Start(row, p) for row, p in wanted.items() if p and held.get(row) != p]
        if len(rows):
            yield Wake(view.now_s + 10.0)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.booleans())
def test_at_once_is_one_after_the_other(seed, free_moves):
    """Under contention and restarts, whatever is decided: the same record, to the last bit."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    submit_s, duration_s = rng.uniform(0, 100, n), rng.uniform(1, 90, n)
    jobs = Jobs.build(submit_s=submit_s, gpus=np.ones(n), duration_s=duration_s, max_gpus=rng.integers(1, 6, n))
    options = {"restart_s": 1.5, "seed": seed, "conventions": Conventions(free_moves=free_moves)}
    one, other = (simulate(jobs, Cluster.of([3, 2, 2]), Shuffling(at), RingCost(), **options) for at in (True, False))
    names = ("finish_s", "work_done", "contention_s", "restarts", "moves", "alloc_job", "alloc_start", "alloc_node")
    for name in names:
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


ROWS = [(0, 2, 6), (2, 1, 3), (3, 1, 1), (3, 3, 5), (9, 1, 1)]


def test_what_is_wrong_with_an_unfinished_job_is_found():
    run = simulate(jobs_of(ROWS), Cluster.of([2, 1]), Fifo(), Cost(), until_s=4.0)
    check_identities(run, until_s=4.0)
    assert not run.finished[3]
    queue = run.queue_s.copy()
    queue[3] += 1.0
    with pytest.raises(IdentityError, match="job 3"):
        check_identities(replace(run, queue_s=queue), until_s=4.0)


@pytest.mark.parametrize(
    ("gbps", "uplink", "rule"),
    [
        ([5.0, 5.0], 10.0, ""),
        ([5.0, 5.1], 20.0, r"link of node 0 has 10.0 Gbit/s, 10.1 are reserved at 0.0 s"),
        ([5.0, 5.0], 9.0, "uplink of rack 0 has 9.0 Gbit/s, 10.0 are reserved at 0.0 s"),
    ],
)
def test_rings_reserve_on_every_link_they_use(gbps, uplink, rule):
    """Two rings over both nodes and both racks at once; a third job on one node reserves nothing."""
    cluster = replace(Cluster.of([3, 3]), rack=np.array([0, 1]), rack_gbps=np.array([uplink, uplink]))
    start = [[Start(0, ((0, 1), (1, 1))), Start(1, ((0, 1), (1, 1))), Start(2, ((0, 1),))]]
    jobs = jobs_of([(0, 2, 3), (0, 2, 3), (0, 1, 3)])

    def run():
        return simulate(jobs, cluster, Scripted(start), ReservedCost([*gbps, 99.0]))

    if rule:
        with pytest.raises(IdentityError, match=rule):
            run()
    else:
        assert run().finish_s.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "decide"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_run_that_is_cut_is_the_beginning_of_the_whole_run(order, compiled):
    """Whole seconds, so that ends, arrivals and the cut often fall together: ends of that instant count, starts not."""
    for number in range(20):
        rng = stream(number, "cut", order)
        nodes, jobs = instance(rng, (1, 2, 4))
        options = {"quantum": int(rng.choice([0, 0, 3])), "restart_s": int(rng.choice([0, 2])), "compiled": compiled}
        cluster = Cluster.of(nodes)
        whole = simulate(jobs, cluster, SCHEDULERS[order](), Cost(), **options)
        until = int(rng.integers(1, 2 + int(whole.finish_s.max())))
        run = simulate(jobs, cluster, SCHEDULERS[order](), Cost(), until_s=until, **options)
        # What is submitted at the end of the run, or could start then, does not start any more.
        started = whole.start_s < until
        ended = started & (whole.finish_s <= until)
        until = min(until, whole.finish_s.max())
        assert run.finished.tolist() == ended.tolist()
        assert run.finish_s.tolist() == pytest.approx(np.where(ended, whole.finish_s, np.nan), nan_ok=True)
        assert run.start_s.tolist() == pytest.approx(np.where(started, whole.start_s, np.nan), nan_ok=True)
        held = [(j, s, min(e, until), n, g) for j, s, e, n, g in intervals(whole) if s < until]
        assert intervals(run) == held
        rows = {(j, s, e) for j, s, e, _, _ in held}
        held_s = [sum(e - s for j, s, e in rows if j == row) for row in range(len(jobs))]
        gpu_s = [sum((e - s) * g for j, s, e, _, g in held if j == row) for row in range(len(jobs))]
        assert run.gpu_seconds.tolist() == gpu_s
        leaves = np.minimum(whole.finish_s, until)
        system_s = leaves - np.minimum(jobs.submit_s, until)
        assert run.queue_s.tolist() == (system_s - held_s).tolist()
        stints = [len({s for j, s, _ in rows if j == row}) for row in range(len(jobs))]
        lasting = started & (jobs.duration_s > 0)
        assert (1 + run.restarts)[lasting].tolist() == np.array(stints)[lasting].tolist()
        assert (run.useful_s + run.overhead_s).tolist() == held_s
        assert run.counters["end_s"] == until
        areas = system_s.sum(), run.queue_s.sum(), sum(gpu_s)
        assert tuple(run.counters[f"area_{name}"] for name in ("system", "waiting", "busy_gpus")) == areas


def trained(name, linked=False):
    """A run with as many applications, placements and restarts as a small cluster gives."""
    n, rng = 24, stream(3, "epochs")
    jobs = Jobs.build(
        submit_s=np.sort(rng.uniform(0.0, 6000.0, n)), gpus=rng.choice([1, 2, 4], n),
        duration_s=rng.uniform(500.0, 20000.0, n), application=rng.choice(["cifar10", "bert", "ncf"], n).tolist(),
        adaptivity=["adaptive"] * n, min_gpus=np.ones(n), max_gpus=np.full(n, 16),
    )  # fmt: skip
    cost, cluster = GoodputCost(network=SpanningNetwork(), recorded=True), Cluster.parse("t4:2x4,rtx:2x8")
    if linked:
        shape = cluster_shape(cluster)
        cost, cluster = on_fabric(cost, shape), laid_out(cluster, shape)
    return simulate(jobs, cluster, make_scheduler(name), cost, quantum=60.0, restart_s=20.0)


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("name", ["sia", "fifo", "optimus", "srtf"])
def test_skipped_epochs_are_those_renewed_one_by_one(name, linked, monkeypatch):
    skipped, called = trained(name, linked), []

    def one_by_one(training, state, prices, links):
        assert (links is not None) == linked
        if linked and state.run[0].changed:
            links.look_ahead(state, prices)
        happened = open_instant(state, prices)
        called.append(happened)
        return happened

    monkeypatch.setattr(GoodputTraining, "skip_epochs", one_by_one)
    single = trained(name, linked)
    assert called.count(EXPIRY) > 100
    for column in ("start_s", "finish_s", "contention_s", "overhead_s", "useful_s", "alloc_start", "alloc_gpus"):
        np.testing.assert_array_equal(getattr(skipped, column), getattr(single, column))
    assert skipped.counters == single.counters
