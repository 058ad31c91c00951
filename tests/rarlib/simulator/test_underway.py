"""A scheduler that takes over in the middle: it carries on with what runs, and if it remembers nothing, as before."""

import numpy as np
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler, scheduler_names
from rarlib.model.cluster import Cluster
from rarlib.model.errors import DecisionError
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import discipline_of
from rarlib.simulator.engine import simulate
from rarlib.simulator.state import RUNNING
from rarlib.simulator.underway import Underway, take_over
from tests.rarlib.property.instances import BRIEF

CLUSTER = Cluster.parse("4x4")
NEED_OTHER_PRICES = {"aiturbo", "concert", "sia"}
REMEMBER_NOTHING = ("fifo", "fifo-backfill", "sjf", "srtf", "las", "backfill", "drf")


class Replaced:
    """A scheduler whose place a fresh one of the same kind takes before every n-th pass."""

    label = paper = ""

    def __init__(self, name, every):
        self.name, self._every, self._passes, self._own = name, every, 0, None
        self.discipline = discipline_of(make_scheduler(name))  # its levels lead to passes

    def decide(self, view):
        if self._passes % self._every == 0:
            self._own = make_scheduler(self.name, BRIEF.get(self.name))
        self._passes += 1
        return self._own.decide(view)


def jobs_of(seed, n=30):
    rng = np.random.default_rng(seed)
    return Jobs.build(
        submit_s=np.sort(rng.integers(0, 3000, n)).astype(float),
        gpus=rng.choice([1, 2, 4, 8], n),
        duration_s=rng.integers(100, 4000, n).astype(float),
    )


@pytest.mark.parametrize("name", sorted(set(scheduler_names()) - NEED_OTHER_PRICES))
def test_a_fresh_scheduler_carries_on_with_what_runs(name):
    """The identities of the run hold, and no decision is impossible."""
    for every in (1, 3):
        run = simulate(jobs_of(1, 16), CLUSTER, Replaced(name, every), TraceCost(), compiled=False)
        assert np.isfinite(run.finish_s).all()


@pytest.mark.parametrize("name", REMEMBER_NOTHING)
def test_one_that_remembers_nothing_decides_as_before(name):
    run = simulate(jobs_of(2), CLUSTER, Replaced(name, 1), TraceCost(), compiled=False)
    whole = simulate(jobs_of(2), CLUSTER, make_scheduler(name), TraceCost())
    assert run.finish_s.tolist() == whole.finish_s.tolist()


def standing(run, now_s):
    """Where each job of a run stands just before a time, and which of them were submitted by then."""
    holds = run.allocations_frame()
    there = []
    for row in np.flatnonzero(run.jobs.submit_s <= now_s):
        own = holds[(holds["job_id"] == run.jobs.job_id[row]) & (holds["start_s"] < now_s)]
        past, present = own[own["end_s"] < now_s], own[own["end_s"] >= now_s]
        gpus = run.jobs.gpus[row]
        gpu_s = float(((past["end_s"] - past["start_s"]) * past["gpus"]).sum())
        there.append(
            Underway(
                share=gpu_s / gpus / run.jobs.duration_s[row],
                gpu_s=gpu_s,
                placement=tuple(zip(present["node"], present["gpus"], strict=True)),
                since_s=float(present["start_s"].iloc[0]) if len(present) else 0.0,
                ran=bool(len(past)),
                ended=bool(run.finish_s[row] <= now_s),
            )
        )
    return there


@pytest.mark.parametrize("name", ["fifo", "srtf", "las"])
def test_decisions_in_the_middle_are_those_of_the_whole_run(name):
    """At the end of each job, asked with nothing but where every job stands."""
    jobs = jobs_of(3)
    run = simulate(jobs, CLUSTER, make_scheduler(name), TraceCost())
    holds = run.allocations_frame()
    for now_s in np.unique(run.finish_s)[:-1]:
        there = standing(run, float(now_s))
        part = jobs.take(slice(0, len(there)))
        driver = take_over(
            part, CLUSTER, TraceCost(), make_scheduler(name), there, float(now_s), np.random.default_rng(0)
        )
        driver.decide_now()
        runs = set(np.flatnonzero(driver.state.job["phase"] == RUNNING))
        hold = holds[(holds["start_s"] <= now_s) & (holds["end_s"] > now_s)]
        assert runs == set(hold["job_id"].astype(int)), now_s


def test_what_cannot_be_held_is_refused():
    jobs = Jobs.build(submit_s=[0, 0], gpus=[4, 4], duration_s=[9, 9])
    both = [Underway(placement=((0, 4),)), Underway(placement=((0, 4),))]
    with pytest.raises(DecisionError, match="node 0 has 0 GPUs free, 4 requested"):
        take_over(jobs, CLUSTER, TraceCost(), make_scheduler("fifo"), both, 5.0, np.random.default_rng(0))
