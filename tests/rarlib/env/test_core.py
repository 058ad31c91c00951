"""The environment is the simulator: same schedules, rewards that add up, masks that say what is possible."""

import numpy as np
import pytest
from hypothesis import given

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.env.core import SteppedRun
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate
from tests.rarlib.property.instances import (
    BRIEF,
    NAMES,
    PRICED,
    TRAINED,
    bounded,
    instances,
    kinds_for,
    runs_under,
    scheduler_in,
)

CLUSTER = Cluster.parse("a:3x4,b:2x8")


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    times = np.round(np.cumsum(rng.exponential(60.0, n)), 1)
    return Jobs.build(submit_s=times, gpus=rng.choice([1, 2, 4, 8], n), duration_s=rng.lognormal(6.0, 1.0, n))


def text(run):
    return run.jobs_frame().to_csv() + run.allocations_frame().to_csv() + run.details_frame().to_csv()


@pytest.mark.parametrize("quantum", [0.0, 60.0])
@pytest.mark.parametrize("name", [name for name in NAMES if runs_under(name, "ring") and name != "best-known"])
def test_a_replayed_scheduler_gives_the_same_schedule(name, quantum):
    """Byte for byte, also where decisions depend on chance, levels, waking or a plan."""
    jobs = drawn(3)
    there = SteppedRun(jobs, CLUSTER, RingCost(), quantum=quantum).replay(make_scheduler(name, BRIEF.get(name)), seed=7)
    brief = make_scheduler(name, BRIEF.get(name))
    here = simulate(jobs, CLUSTER, brief, RingCost(), quantum=quantum, seed=7, compiled=False)
    assert text(there) == text(here)
    assert there.counters == here.counters


@pytest.mark.parametrize("name", NAMES)
def test_every_scheduler_can_be_replayed_under_every_cost_model(name):
    """Also those that ask for goodput, and where jobs change while they run; shared links are the exception."""

    @bounded(2)
    @given(instances(kinds_for(name, *PRICED, *TRAINED)))
    def search(instance):
        jobs, quantum = instance.jobs(1.0), instance.quantum
        who = [scheduler_in(name, 1.0, instance.kind) for _ in range(2)]
        there = SteppedRun(jobs, instance.cluster, instance.cost(), quantum=quantum).replay(who[0], seed=7)
        here = simulate(jobs, instance.cluster, who[1], instance.cost(), quantum=quantum, seed=7, compiled=False)
        assert text(there) == text(here)
        assert there.counters == here.counters

    search()


@pytest.mark.parametrize("seed", range(5))
def test_any_allowed_actions_end_and_rewards_add_up(seed):
    """Whatever an agent does, all jobs end, and the rewards are minus the mean JCT."""
    run, rng, total = SteppedRun(drawn(seed), CLUSTER, RingCost(), slots=6), np.random.default_rng(seed), 0.0
    run.reset()
    while not run.over:
        mask = run.mask()
        seen, reward, _ = run.step(int(rng.choice(np.flatnonzero(mask))))
        assert seen.jobs.shape == (12, 4)
        assert np.isfinite(seen.jobs).all()
        assert ((seen.nodes >= 0.0) & (seen.nodes <= 1.0)).all()
        total += reward
    assert run.record().finished.all()
    assert total == pytest.approx(-run.record().turnaround_s.mean(), rel=1e-9)


def test_what_the_mask_forbids_is_refused():
    """By every action, in every pass of a run."""
    run = SteppedRun(drawn(1, 8), CLUSTER, RingCost(), slots=3)
    run.reset()
    while not run.over:
        for action in np.flatnonzero(~run.mask()):
            with pytest.raises(InputError, match="is not allowed now"):
                run.step(int(action))
        run.step(int(np.flatnonzero(run.mask())[-1 if run.driver.view.waiting else 0]))


def test_the_first_jobs_first_is_fifo_with_backfill():
    """An agent that starts whatever fits, in order, is that scheduler."""
    run = SteppedRun(drawn(2), CLUSTER, RingCost(), slots=40, placement="any")
    run.reset()
    while not run.over:
        starts = np.flatnonzero(run.mask()[1:41])
        run.step(int(starts[0]) + 1 if len(starts) else 0)
    class_ = make_scheduler("fifo-backfill")
    assert text(run.record()) == text(simulate(drawn(2), CLUSTER, class_, RingCost()))


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InputError, match="consolidate"):
        SteppedRun(drawn(0), CLUSTER, RingCost(), placement="consolidate")
    one = Jobs.build(submit_s=[0], gpus=[1], duration_s=[60], application=["cifar10"])
    with pytest.raises(InputError, match="under goodput jobs change while they run"):
        SteppedRun(one, Cluster.parse("t4:1x4"), GoodputCost(recorded=True)).reset()
    with pytest.raises(InputError, match="slots"):
        SteppedRun(drawn(0), CLUSTER, RingCost(), slots=0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("quantum", value) for value in (-1.0, float("nan"), float("inf"))),
        *(("slots", value) for value in (2.5, "3", None, -1, 10**12)),
        *(("seed", value) for value in (-1, 0.5, 2**64)),
        *(("action", value) for value in ("x", 1.5, -1, 7, None)),
    ],
)
def test_a_value_of_the_wrong_kind_or_size_is_named(field, value):
    given = {name: value for name in ("quantum", "slots") if name == field}
    with pytest.raises(InputError) as refused:
        run = SteppedRun(drawn(0), CLUSTER, RingCost(), **{"slots": 3, **given})
        run.reset(value if field == "seed" else 0)
        run.step(value)
    assert refused.value.field == field
