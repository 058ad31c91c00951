"""Bounds for elastic jobs: tight where that can be seen by hand, below every schedule."""

import numpy as np
import pytest

from rarlib.bounds.elastic.bounds import ElasticBounds
from rarlib.bounds.elastic.rates import pace
from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, largest_bound
from rarlib.cost.goodput.alone import duration_s
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.cost.linked import cluster_shape, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

LAUNCH, SLOWDOWN = 15.0, 1.5
"""Of ncf, ten epochs."""


def toy(kinds=("t4",)):
    """Iterations of one sample per GPU take 1 s, of two 2 s, wherever they run; each of ten epochs is 100 of them.

    Without noise (no variance) larger batches are worth no more than the initial one of 2 samples.
    """
    shapes = [(1,), (2,)]
    rows = [(shape, local) for shape in shapes for local in (1, 2)]
    steps = Steps(
        tuple(shape for shape, _ in rows),
        np.ones(4, np.int64),
        np.array([sum(shape) for shape, _ in rows]),
        np.array([local for _, local in rows]),
        np.array([float(local) for _, local in rows]),
        np.zeros(4),
    )
    ends = np.tile(100.0 * np.arange(1, 11), (2, 1))
    gradients = Gradients(np.array([2, 4]), ends, ends, np.ones((2, 10)), np.zeros((2, 10)))
    return Profiles({("ncf", kind): steps for kind in kinds}, {"ncf": gradients}, {"standin": False})


def jobs_of(submit_s, **columns):
    n = len(submit_s)
    given = {"gpus": [1] * n, "duration_s": [1.0] * n, "application": ["ncf"] * n, "adaptivity": ["adaptive"] * n}
    return Jobs.build(submit_s=submit_s, **(given | columns))


def values(bounds):
    return {(bound.objective, bound.method): bound.value_s for bound in bounds}


def test_a_job_alone():
    """Batches of two samples: 1 s on two GPUs, 2 s on one. 1,000 iterations, 1.5 times longer, 15 s to launch."""
    cluster = Cluster.parse("t4:1x2")
    model = GoodputCost(toy())
    found = pace(model, "ncf", cluster)
    np.testing.assert_allclose(found.rate[0, :, 0] * SLOWDOWN, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(found.work, 100.0)
    bounds = ElasticBounds(model, cluster).bounds(jobs_of([0.0]))
    for objective in (MAKESPAN, MEAN_JCT):
        assert largest_bound(bounds, objective).value_s == pytest.approx(LAUNCH + 1500.0)
    # The only GPU of a smaller cluster makes it twice as long, which the simulator attains.
    small = Cluster.parse("t4:1x1")
    value = largest_bound(ElasticBounds(model, small).bounds(jobs_of([0.0])), MEAN_JCT).value_s
    assert value == pytest.approx(LAUNCH + duration_s(model.times, "ncf", "t4", (1,), 2))
    run = simulate(jobs_of([0.0]), small, make_scheduler("fifo", {}), model)
    assert run.makespan_s == pytest.approx(value)


def test_jobs_that_just_fit():
    """Two jobs at once on two GPUs that scale perfectly: both take 3,000 s, in sequence 1,500 and 3,000."""
    cluster, model = Cluster.parse("t4:1x2"), GoodputCost(toy())
    found = values(ElasticBounds(model, cluster).bounds(jobs_of([0.0, 0.0])))
    assert found[MAKESPAN, "one fast machine"] == pytest.approx(LAUNCH + 3000.0)
    assert found[MEAN_JCT, "one fast machine"] == pytest.approx(LAUNCH + (1500.0 + 3000.0) / 2)
    # Mean busy times 750 and 2,250 and half a least time each: the same; buckets cost little of it.
    assert found[MEAN_JCT, "priced GPU time"] == pytest.approx(LAUNCH + 2250.0, rel=0.02)
    assert found[MEAN_JCT, "priced GPU time"] <= (LAUNCH + 2250.0) * (1 + 1e-9)


def test_recorded_durations_and_rounds_count():
    cluster, model = Cluster.parse("t4:1x2"), GoodputCost(toy(), recorded=True)
    jobs = jobs_of([0.0, 90.0], duration_s=[600.0, 600.0])
    found = values(ElasticBounds(model, cluster).bounds(jobs, quantum=60.0))
    # As long as recorded on the GPU they ask for; half of it on two. The second starts at 120 s, 30 s late.
    assert found[MEAN_JCT, "every job alone"] == pytest.approx(LAUNCH + 300.0 + 15.0)
    assert found[MAKESPAN, "longest job"] == pytest.approx(120.0 + LAUNCH + 300.0)


def test_without_rounds_a_job_starts_when_it_is_submitted():
    cluster, model = Cluster.parse("t4:1x2"), GoodputCost(toy(), recorded=True)
    found = values(ElasticBounds(model, cluster).bounds(jobs_of([0.0, 90.5], duration_s=[600.0, 600.0])))
    assert found[MEAN_JCT, "every job alone"] == pytest.approx(LAUNCH + 300.0)
    assert found[MAKESPAN, "longest job"] == pytest.approx(90.5 + LAUNCH + 300.0)


def test_a_gang_over_two_types_counts():
    """One GPU of each of two equal types: together they are two, though each type has one only."""
    model = GoodputCost(toy(("t4", "rtx")), SpanningNetwork())
    cluster = Cluster.parse("t4:1x1,rtx:1x1")
    assert pace(model, "ncf", cluster).rate[:, 2].min() > 0.6


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("name", "quantum"), [("sia", 60.0), ("fifo_backfill", 0.0), ("srtf", 0.0)])
def test_no_schedule_is_better(seed, name, quantum):
    """Contended or not, elastic or rigid, on one type or on three."""
    rng = stream(seed, "elastic bounds")
    n = 8
    model = GoodputCost(load_profiles(), SpanningNetwork(), recorded=True)
    apps = rng.choice(["cifar10", "bert", "ncf"], n)
    jobs = jobs_of(
        np.sort(rng.uniform(0.0, 900.0, n)),
        gpus=rng.choice([1, 2, 4], n),
        duration_s=rng.uniform(300.0, 4000.0, n),
        application=apps,
    )
    for spec in ("t4:2x4", "t4:2x2,rtx:1x4,a100:1x2"):
        cluster = Cluster.parse(spec)
        bounds = ElasticBounds(model, cluster).bounds(jobs, quantum=quantum)
        run = simulate(jobs, cluster, make_scheduler(name.replace("_", "-"), {}), model, quantum=quantum)
        for bound in bounds:
            reached = run.makespan_s if bound.objective == MAKESPAN else run.turnaround_s.mean()
            assert bound.value_s <= reached * (1 + 1e-9), (spec, bound)
        # Prices find what jobs alone do not know of: that there are others.
        assert largest_bound(bounds, MEAN_JCT).value_s >= values(bounds)[MEAN_JCT, "every job alone"] * (1 - 1e-6)


def test_applications_without_bounds_are_named():
    profiles = toy()
    with pytest.raises(InputError, match="no bound is known"):
        pace(GoodputCost(profiles), "gpt_pmp", Cluster.parse("t4:1x1"))
    with pytest.raises(InputError, match="was measured on none of"):
        pace(GoodputCost(profiles), "ncf", Cluster.parse("a100:1x1"))


def test_a_fabric_is_refused():
    """Its links may be faster than those that the model assumes, so that the bounds would not be proven."""
    cluster = Cluster.parse("t4:2x4")
    with pytest.raises(InputError, match="on a fabric"):
        ElasticBounds(on_fabric(GoodputCost(), cluster_shape(cluster)), cluster)
