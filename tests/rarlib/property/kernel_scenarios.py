"""What `kernels.py` computes: each scenario gives numbers and texts, which must not depend on the compiler."""

from unittest.mock import patch

import numpy as np

from artifact.papers.gadget.instance import instance
from artifact.papers.gadget.pooled import pooled_utility
from rarlib.allocate.rings import Residual
from rarlib.bounds.elastic.bounds import ElasticBounds
from rarlib.bounds.lower_bounds import lower_bounds
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.throughput import iteration_s
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.cost.ring import RingCost, SlottedRingCost
from rarlib.cost.trace import ReservedCost
from rarlib.discovery import make_scheduler, scheduler_class, schedulers
from rarlib.env.core import SteppedRun
from rarlib.fabric.case import job_times, run_case
from rarlib.fabric.law import law_space, law_times
from rarlib.fabric.shapes import fat_tree
from rarlib.fabric.sharing import everybody
from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.sia.lagrangian import dual
from rarlib.ilp.sia.problem import choices
from rarlib.ilp.sia.repair import repaired
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.pipeline.zoo.models import profile
from rarlib.records.read import Record
from rarlib.records.waiting import decompose, idle_but_fragmented
from rarlib.simulator import compiled_run
from rarlib.simulator.engine import Conventions, simulate
from tests.rarlib.fabric.drawn import fabric_case, one_link_case
from tests.rarlib.ilp.sia.cases import small

BRIEF = {"pollux": {"population": 6, "generations": 4}, "best-known": {"effort": 20}}


def table(n, most, seed, **columns):
    rng = stream(seed, "kernels")
    gpus = np.minimum(rng.choice([1, 2, 3, 4], n), most)
    return Jobs.build(submit_s=rng.integers(0, 1500, n), gpus=gpus, duration_s=rng.integers(10, 4000, n), **columns)


def rounded(*arrays):
    """Nine digits: a root or an exponential may differ in the last one between libraries."""
    return [[float(f"{x:.9g}") for x in np.asarray(array, float).ravel()] for array in arrays]


def of(run):
    return rounded(run.start_s, run.finish_s, run.contention_s, run.alloc_node, run.alloc_gpus, run.alloc_start)


def priced():
    """Every scheduler that runs under a price table, with contention, two types and racks."""
    cluster = Cluster(
        np.array([4, 2, 2]), ("a", "b", "a"), np.array([0, 1, 1]), np.array([1.0, 2.0, 1.0]),
        rack_gbps=np.array([10.0, 5.0]),
    )  # fmt: skip
    jobs = table(12, 4, 1)
    elastic = Jobs.build(
        submit_s=jobs.submit_s,
        gpus=jobs.gpus,
        duration_s=jobs.duration_s,
        min_gpus=np.ones(12),
        max_gpus=np.full(12, 6),
    )
    for name in schedulers():
        if name not in ("sia", "concert", "aiturbo"):
            for rows in (jobs, elastic):
                scheduler = make_scheduler(name, BRIEF.get(name))
                yield name, of(simulate(rows, cluster, scheduler, RingCost(share=0.2), restart_s=30.0))


def placements():
    """Every placement rule of the compiled driver, preemption and levels."""
    for rule in ("any", "pack", "spread", "random", "consolidate", "one-type", "adjacent"):
        for name in ("fifo-backfill", "sjf", "srtf", "las"):
            if rule != "consolidate" or name == "sjf":
                scheduler = make_scheduler(name, {"placement": rule})
                cluster = Cluster.parse("a:2x4,b:1x2")
                yield rule, name, of(simulate(table(14, 4, 2), cluster, scheduler, RingCost(), quantum=60.0))


def chunked():
    """Compiled runs in chunks of three jobs, with a queue and running jobs that go on in the next chunk."""
    with patch.object(compiled_run, "CHUNK", 3):
        for name in ("fifo", "srtf", "las"):
            yield name, of(simulate(table(20, 4, 2), Cluster.of([4, 2]), make_scheduler(name), RingCost(share=0.3)))


def planners():
    """Readings of the planners, in whole slots."""
    jobs = Jobs.build(submit_s=np.zeros(9), gpus=[1, 2, 3, 4, 6, 1, 2, 2, 5], duration_s=np.full(9, 20.0))
    cost = SlottedRingCost(np.arange(9) * 37.0 + 200, np.full(9, 0.03), 0.1, cap=0.08, alpha=0.3)
    readings = [("first-fit", {}), ("first-fit", {"limit": "busy"}), ("random", {"availability": "idle"})]
    readings += [
        ("list-scheduling", {"rank": rank, "availability": a}) for rank in ("busy", "finish") for a in ("idle", "queue")
    ]
    for rule in ("pack", "literal", "first", "one-server"):
        for availability in ("idle", "queue"):
            for limit in ("busy", "finish"):
                readings.append(("sjf-bco", {"fa_ffp": rule, "availability": availability, "limit": limit}))
    for name, given in readings:
        estimate = {} if name == "random" else {"tau_hat": 0.05}
        scheduler = make_scheduler(name, given | estimate)
        run = simulate(jobs, Cluster.of([4, 2, 4]), scheduler, cost, quantum=1.0, whole_slots=True)
        yield name, given, of(run)


def reserved():
    """Rings that reserve bandwidth."""
    jobs = table(10, 4, 3)
    cluster = Cluster(np.array([2, 2, 2]), ("a",) * 3, np.array([0, 0, 1]), np.ones(3), rack_gbps=np.array([10.0, 5.0]))
    for name, given in (
        ("fifo", {"placement": "reserved"}), ("srtf", {"placement": "reserved"}),
        ("drf", {"placement": "reserved"}), ("las", {"placement": "reserved", "slot_s": 60.0}),
        ("las", {"placement": "reserved", "slot_s": 60.0, "holds": True}),
        ("gadget", {"gbps": 2.5}),
    ):  # fmt: skip
        yield name, of(simulate(jobs, cluster, make_scheduler(name, given), ReservedCost(2.5)))


def trained():
    """Trainings under goodput."""
    jobs = table(
        5, 4, 4, application=["cifar10", "bert"] * 2 + ["cifar10"], adaptivity=["adaptive"] * 4 + ["scale-gpus"],
        min_gpus=np.ones(5), max_gpus=np.full(5, 16),
    )  # fmt: skip
    cost = GoodputCost(network=SpanningNetwork(), recorded=True)
    for name in ("sia", "concert", "optimus", "pollux", "gadget", "aiturbo", "drf", "gavel"):
        scheduler = make_scheduler(name, BRIEF.get(name))
        yield name, of(simulate(jobs, Cluster.parse("t4:1x4,rtx:1x8"), scheduler, cost))
    cluster = Cluster.parse("t4:4x4")
    shape = cluster_shape(cluster)
    shared = on_fabric(cost, shape)
    yield of(simulate(jobs, laid_out(cluster, shape), make_scheduler("sia"), shared))


def piped():
    """A training of pipelines, and the time of an iteration by itself."""
    n = 3
    jobs = Jobs.build(
        submit_s=np.arange(n) * 60.0, gpus=[8, 1, 8], duration_s=np.full(n, 3000.0), min_gpus=np.ones(n),
        max_gpus=np.full(n, 16), application=["gpt_pmp", "bert", "gpt_pmp"], adaptivity=["adaptive"] * n,
    )  # fmt: skip
    cluster = Cluster.parse("rtx:2x8,a100:1x8")
    yield of(simulate(jobs, cluster, make_scheduler("sia"), GoodputCost(recorded=True)))
    p = np.array([0.1, 0.01, 0.2, 0.01, 0.1, 0.02, 1.5])
    yield rounded([iteration_s(p, float(nodes), 4.0, 32.0, 1.0) for nodes in (1, 2)])


def served():
    """Jobs with parameter servers."""
    own = PsJobs.build(["vgg11", "resnet50", "googlenet"], 1.0, [1, 2, 1], [1, 1, 2]).lasting([600.0, 900.0, 300.0])
    for name in schedulers():
        if getattr(scheduler_class(name), "uses_cpu", False):
            cost = ParameterServerCost(own, False)
            run = simulate(
                own.table(np.array([0.0, 10.0, 20.0])), Cluster.parse("gpu:2x2,cpu:2x4"), make_scheduler(name), cost
            )
            yield name, of(run)


def ended_and_moved():
    """A run that ends early, and moves without a restart."""
    cluster, jobs = Cluster.parse("2x4"), table(12, 4, 5)
    for name in ("srtf", "gavel", "drf"):
        run = simulate(jobs, cluster, make_scheduler(name), RingCost(), until_s=4000.0, restart_s=30.0)
        yield name, rounded(run.work_done, run.gpu_seconds)
    free = Conventions(free_moves=True)
    run = simulate(jobs, Cluster.parse("4x2"), make_scheduler("gavel"), RingCost(), conventions=free, restart_s=30.0)
    yield run.moves.tolist(), of(run)
    record = Record.of(run, {"scheduler": "gavel", "cluster": "4x2"})
    yield decompose(record).to_csv(float_format="%.9g"), idle_but_fragmented(record)


def bounded():
    """Bounds, for rigid and for elastic jobs."""
    jobs, cluster = table(9, 4, 6), Cluster.parse("2x4,1x2")
    prices = RingCost().price(jobs, cluster)
    for bound in lower_bounds(jobs, cluster, prices, quantum=1.0):
        yield bound.method, rounded(bound.value_s)
    own = table(4, 4, 7, application=["cifar10", "bert"] * 2, adaptivity=["adaptive"] * 4, max_gpus=np.full(4, 8))
    small = Cluster.parse("t4:2x4,rtx:1x8")
    for bound in ElasticBounds(GoodputCost(), small).bounds(own, quantum=60.0):
        yield bound.method, rounded(bound.value_s)


def pipelined():
    """Plans of pipelines, and what they do."""
    for name, machines, links in (("vgg16", (4,), (1e10,)), ("alexnet", (2, 2), (1e10, 1e9))):
        plan = plan_pipeline(profile(name), machines, links, Options())
        yield name, rounded(plan.pipeline_time_s), len(plan.stages)
    pipe = Pipeline.build([2, 1, 1], [1.0, 2.0, 3.0], [2.0, 2.0, 5.0], transfer_s=[0.5, 1.0], sync_s=[1.0, 1.0, 1.0])
    for schedule in (one_f_one_b(pipe.replicas.tolist(), 12), one_f_one_b(pipe.replicas.tolist(), 12, [3, 2, 1])):
        yield rounded(simulate_pipeline(pipe, schedule).end)


def slots():
    """GADGET's pooled policies, and rings on servers drawn at random."""
    case = instance(0, 20)
    for policy in ("gadget", "fifo", "drf", "las"):
        yield policy, rounded(pooled_utility(case, policy), pooled_utility(case, policy, holds=True, exact=False))
    network = TreeNetwork.build([2, 2], [10.0, 10.0], [0, 1], [10.0, 10.0])
    out = np.zeros((2, 2), np.int64)
    Residual(network).mappings(np.arange(2), np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([4.0, 4.0]), out)
    yield out.tolist()


def programs():
    """A knapsack, and the repair of Sia's relaxed answers."""
    chosen = np.zeros(4, np.bool_)
    yield rounded(knapsack(np.array([3, 4, 5, 6]), np.array([2.0, 3.0, 4.0, 5.5]), 10, chosen)), chosen.tolist()
    for seed in range(20):
        problem = small(seed)
        c = choices(problem)
        answer = repaired(c, problem.capacity, dual(c, problem.capacity))
        yield None if answer is None else answer.tolist()


def shared():
    """Jobs on shared links, to the bit: the exact mode, with priorities and a loss, and the law."""
    for case in (one_link_case(0, 0, 4, (0.1, 0.8)), fabric_case(0, 0, 6, (0.1, 0.8))):
        jobs = [job._replace(iterations=10, priority=number % 2) for number, job in enumerate(case.jobs)]
        for given in (case._replace(jobs=[job._replace(iterations=10) for job in case.jobs]), case._replace(jobs=jobs)):
            yield [tuple(times) for times in job_times(given, run_case(given._replace(alpha=0.1)))]
        sharing = everybody(case)
        yield [times.tolist() for times in law_times(sharing, sharing.size >= 0.0, law_space(sharing))]


def linked():
    """A run on a fabric, with so many starts that links are moved together."""
    rng, shape = stream(5, "linked"), fat_tree(4, 10.0, 5.0)
    cluster = laid_out(Cluster.of([2] * 16), shape)
    sizes, lengths = rng.choice([6, 16, 24], 60), rng.uniform(1.0, 9.0, 60)
    jobs = Jobs.build(submit_s=np.arange(60.0) * 4, gpus=sizes, duration_s=lengths)
    for compiled in (True, False):
        run = simulate(
            jobs, cluster, make_scheduler("srtf", {}), on_fabric(RingCost(share=0.4), shape), compiled=compiled
        )
        yield of(run)


def stepped():
    """What an agent sees and may do, to the end of a run in which it always takes the last action it may."""
    run = SteppedRun(table(8, 4, 6), Cluster.of([2, 4]), RingCost(share=0.2), slots=3)
    seen, steps = run.reset(), 0
    while not run.over and steps < 200:
        yield [*rounded(seen.jobs, seen.nodes, seen.counts), run.mask().tolist()]
        seen, _, _ = run.step(int(np.flatnonzero(run.mask())[-1 if steps % 3 else 0]))
        steps += 1


SCENARIOS = {
    each.__name__: each
    for each in (
        linked,
        priced,
        placements,
        chunked,
        planners,
        reserved,
        trained,
        piped,
        served,
        ended_and_moved,
        bounded,
        pipelined,
        slots,
        programs,
        shared,
        stepped,
    )
}
