"""What holds of every scheduler that is found, under every cost model that it can run under.

`RARLIB_EXAMPLES=500` looks for counter-examples at length, at other instances every time.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.discovery import scheduler_class
from rarlib.model.cluster import CPU, Cluster
from tests.rarlib.property.checker import violations
from tests.rarlib.property.instances import (
    LINKED,
    NAMES,
    PRICED,
    SLOTTED,
    TRAINED,
    Instance,
    bounded,
    clusters,
    instances,
    kinds_for,
)
from tests.rarlib.property.records import recorded

BY_JOB = ("start_s", "finish_s", "queue_s", "useful_s", "contention_s", "overhead_s", "gpu_seconds")
MEASURED = "goodput"
PER_SECOND = {"sia", "concert", "aiturbo"}
ON_CPU = [name for name in NAMES if getattr(scheduler_class(name), "uses_cpu", False)]

SHORT_AMONG_LONG = (
    (1080.0, 8, 2420.4414917158974),
    (1080.0, 8, 904.8831377206269),
    (360.0, 3, 5203.369986011093),
    (720.0, 3, 3.2840978174669666),
    (720.0, 3, 4721.177022696137),
    (720.0, 1, 286.3666551230328),
    (1080.0, 8, 226.3730806431597),
)


def unless_none(*kinds):
    """All schedulers that run under one of these cost models."""
    return pytest.mark.parametrize("name", [name for name in NAMES if kinds_for(name, *kinds)])


def same(one, other, k=1.0, node=0):
    """The same schedule, bit for bit, in another unit of time, and with the nodes renumbered."""
    for column in BY_JOB:
        assert (getattr(one, column) * k).tolist() == getattr(other, column).tolist(), column
    for column in ("alloc_start", "alloc_end"):
        assert (getattr(one, column) * k).tolist() == getattr(other, column).tolist(), column
    assert (one.alloc_node + node).tolist() == other.alloc_node.tolist()
    assert (one.alloc_gpus.tolist(), one.restarts.tolist()) == (other.alloc_gpus.tolist(), other.restarts.tolist())


def by_name(run):
    """Times of each job, by its name."""
    columns = zip(run.jobs.job_id, run.start_s.tolist(), run.finish_s.tolist(), run.gpu_seconds.tolist(), strict=True)
    return {str(job): times for job, *times in columns}


def check(name, kinds, examples):
    """By the checker: capacity, gangs, order, passes, work, contention, restarts, parts of the turnaround, areas."""

    @bounded(examples)
    @given(instances(kinds_for(name, *kinds)))
    def search(instance):
        cost = instance.cost()
        run = instance.run(name, cost=cost)
        found = recorded(run, cost, quantum=instance.quantum, whole_slots=instance.whole_slots, in_order=name == "fifo")
        assert violations(found) == []

    search()


def test_every_scheduler_runs_under_some_cost_model():
    assert [name for name in NAMES if not kinds_for(name, *PRICED, *LINKED, *SLOTTED, *TRAINED)] == []


@unless_none(*PRICED, *LINKED, *SLOTTED)
def test_every_run_is_possible(name):
    check(name, (*PRICED, *LINKED, *SLOTTED), 16)


@unless_none(*TRAINED)
def test_every_training_is_possible(name):
    """The same where jobs change while they run, but for the work done, which no price table tells."""
    check(name, TRAINED, 3)


@unless_none(*PRICED, *LINKED)
def test_unit_of_time_is_free(name):
    """Seconds or milliseconds, if the scheduler's times change along: powers of 4, whose roots are exact as well.

    Not where speeds were measured: those are per second, and so are the restarts of their applications. Schedulers that
    run nowhere else (`PER_SECOND`) have no other unit. Nor for Shockwave with jobs of as many rounds: plans that
    exchange them are as good, and which one the solver returns depends on the unit.
    """

    @bounded(10)
    @given(instances(kinds_for(name, *PRICED, *LINKED)), st.sampled_from([0.25, 4.0, 1024.0]))
    def search(instance, k):
        rounds = np.ceil(instance.columns["duration_s"] / 360.0)
        assume(name != "shockwave" or (rounds.min() > 0 and len(set(rounds)) == len(rounds)))
        same(instance.run(name), instance.run(name, k=k), k)

    search()


def test_who_has_no_other_unit_of_time():
    """Whom the test above leaves out: a new name here needs a reason."""
    assert {name for name in NAMES if not kinds_for(name, *PRICED, *LINKED)} == PER_SECOND


@pytest.mark.parametrize(
    ("name", "sizes", "types", "rack", "rows"),
    [
        # A job of 3.3 s among jobs of hours: one iteration at least, in Themis' ratios, would be a second at least.
        ("themis", (2, 4, 8), "bba", (1, 0, 1), SHORT_AMONG_LONG),
        # The limit of a level is a whole number of steps, and FF's gangs go where the limit lets them.
        ("first-fit", (8, 2, 1, 8), "aaaa", (1, 1, 1, 0), ((0.0, 2, 473.0702), (360.0, 8, 1504.64725806))),
    ],
)
@pytest.mark.parametrize("k", [0.25, 4.0, 1024.0])
def test_unit_of_time_is_free_in_cases_that_absolute_constants_decide(name, sizes, types, rack, rows, k):
    submit, gpus, duration = (np.array(column) for column in zip(*rows, strict=True))
    cluster = replace(
        Cluster.of(sizes),
        gpu_type=tuple(types),
        speed=np.where(np.array(list(types)) == "b", 2.0, 1.0),
        rack=np.array(rack),
        rack_gbps=np.array([10.0, 5.0]),
    )
    columns = {"submit_s": submit, "gpus": gpus, "duration_s": duration}
    knobs = {"alpha": 0.3, "share": 0.05, "overhead": 0.005}
    instance = Instance("ring", columns, cluster, knobs, 30.0, 0.0, False)
    same(instance.run(name), instance.run(name, k=k), k)


@unless_none(*PRICED, *LINKED, MEASURED)
def test_names_and_places_in_the_file_are_free(name):
    """Jobs submitted at different times may have any names and stand in any order in the file."""

    @bounded(4)
    @given(instances(kinds_for(name, *PRICED, *LINKED, MEASURED)), st.randoms(use_true_random=False))
    def search(instance, random):
        n = len(instance.columns["gpus"])
        columns = {**instance.columns, "submit_s": np.arange(n) * 300.0, "job_id": random.sample(range(n), n)}
        order = random.sample(range(n), n)
        moved = {column: np.asarray(values)[order] for column, values in columns.items()}
        one, other = (instance.run(name, jobs=instance.jobs(**table)) for table in (columns, moved))
        same(one, other)
        assert by_name(one) == by_name(other)

    search()


@unless_none(*PRICED, *LINKED, MEASURED)
def test_twins_are_interchangeable(name):
    """Jobs of one instant that differ in nothing but their names may exchange their places in the file."""

    @bounded(4)
    @given(instances(kinds_for(name, *PRICED, *LINKED, MEASURED)))
    def search(instance):
        columns = {column: np.repeat(values, 2) for column, values in instance.columns.items()}
        n = len(columns["gpus"])
        ids = np.arange(n)
        first = instance.run(name, jobs=instance.jobs(**columns, job_id=ids), cost=instance_of(instance, columns))
        swapped = instance.jobs(**columns, job_id=ids ^ 1)
        same(first, instance.run(name, jobs=swapped, cost=instance_of(instance, columns)))

    search()


def instance_of(instance, columns):
    """The cost model of other jobs."""
    return instance._replace(columns=columns).cost()


@pytest.mark.parametrize("name", ["sjf", "srtf"])
@bounded(25)
@given(instances(("trace",)), st.randoms(use_true_random=False))
def test_simultaneous_arrivals_may_be_permuted(name, instance, random):
    """Where length decides and no two lengths are equal, the order of the file decides nothing."""
    n = len(instance.columns["gpus"])
    lengths = random.sample(range(10_000), n)
    columns = {**instance.columns, "submit_s": np.zeros(n), "duration_s": np.array(lengths) / 7.0 + 1.0}
    columns["job_id"] = np.arange(n)
    order = random.sample(range(n), n)
    moved = {column: np.asarray(values)[order] for column, values in columns.items()}
    one, other = (instance.run(name, jobs=instance.jobs(**table)) for table in (columns, moved))
    assert by_name(one) == by_name(other)


@unless_none("trace")
def test_free_links_cost_nothing(name):
    """Under contention that costs nothing, a scheduler does what it does where there is none, bit for bit."""

    @bounded(5)
    @given(instances(("trace",)), clusters(one_type=True), st.sampled_from([0.0, 0.3, 2.0]))
    def search(instance, cluster, alpha):
        most = np.minimum(instance.columns["gpus"], cluster.total_gpus)
        columns = {**instance.columns, "gpus": most, "min_gpus": np.ones_like(most), "max_gpus": most}
        jobs = instance.jobs(**columns)
        free = RingCost(alpha=alpha, share=0.0, overhead=0.0)
        same(*(instance.run(name, jobs=jobs, cluster=cluster, cost=cost) for cost in (TraceCost(), free)))

    search()


@pytest.mark.parametrize("name", [name for name in ON_CPU if kinds_for(name, "trace", "ring")])
@pytest.mark.parametrize("first", [False, True])
def test_nodes_that_no_job_can_use_change_nothing(name, first):
    """An idle node of CPU task slots, before or behind the others, under jobs that run on GPUs only."""

    @bounded(8)
    @given(instances(kinds_for(name, "trace", "ring")))
    def search(instance):
        same(instance.run(name), instance.run(name, cluster=with_slots(instance.cluster, first)), node=int(first))

    search()


def with_slots(cluster: Cluster, first: bool) -> Cluster:
    """The cluster with one more node, of CPU task slots."""

    def more(values, value):
        return np.concatenate([[value], values] if first else [values, [value]])

    kinds = (CPU, *cluster.gpu_type) if first else (*cluster.gpu_type, CPU)
    return replace(
        cluster,
        gpus=more(cluster.gpus, 8),
        gpu_type=kinds,
        rack=more(cluster.rack, 0),
        speed=more(cluster.speed, 1.0),
    )
