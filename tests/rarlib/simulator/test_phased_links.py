"""Runs in which every phase is followed: by hand, against the exact mode of a case, and what must always hold."""

import numpy as np
import pytest
from link_replay import ALONE, SENDS, SHAPES, case_of, trace

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.fabric.case import run_case
from rarlib.fabric.shapes import one_switch
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import Conventions, simulate


def followed(shape, jobs, name, placement="spread", seed=0, *, alpha=0.0, alone=ALONE, gpus=2, grade="flow", **options):
    cluster = laid_out(Cluster.of([gpus] * shape.servers), shape)
    scheduler = make_scheduler(name, {"placement": placement})
    cost = on_fabric(alone, shape, alpha, seed, grade)
    return simulate(jobs, cluster, scheduler, cost, restart_s=7.0, **options)


def few(gpus, duration_s, submit_s=None):
    return Jobs.build(submit_s=submit_s or [0.0] * len(gpus), gpus=gpus, duration_s=duration_s)


class Unlike(RingCost):
    """Jobs whose iterations take different times, so that phases mix."""

    def price(self, jobs, cluster):
        prices = super().price(jobs, cluster)
        times = 1.0 + 0.618 * np.arange(len(jobs)) % 1.0
        return prices._replace(base_s=prices.base_s * times, link_s=prices.link_s * times[::-1])


C, S = 1.02, 1.0
"""Seconds that a job of `few` with 2 GPUs computes and sends on two servers of `one_switch(2, 10.0)`."""


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_as_the_exact_mode_of_a_case(shape, seed):
    """Jobs that all start at once and leave after their work: ends of their last iterations, before chaos sets in."""
    rng = np.random.default_rng(seed)
    jobs = few(rng.integers(9, 13, 5).tolist(), rng.integers(3, 9, 5).astype(float).tolist())
    alpha = 0.3 * (seed % 2)
    gpus = 64 // shape.servers
    run = followed(shape, jobs, "fifo", "random", seed, alpha=alpha, gpus=gpus)
    assert (run.start_s == 0.0).all()
    held = {job: (tuple(sorted(run.alloc_node[run.alloc_job == job])), 0) for job in range(5)}
    case = case_of(run, shape, seed, alpha, held)
    work = run.prices.work
    leaving = case._replace(
        leave=True, jobs=[job._replace(iterations=round(float(work[int(job.id)]))) for job in case.jobs]
    )
    found = run_case(leaving)
    last = np.cumsum([job.iterations for job in leaving.jobs]) - 1
    ours = [run.finish_s[int(job.id)] for job in leaving.jobs]
    assert ours == pytest.approx(found.ends[last], rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("name", ["fifo", "srtf", "las"])
def test_identities_and_never_faster_than_alone(shape, name):
    """Identities are checked in every run; a job takes its time alone at least, and exactly that if it meets nobody."""
    run = followed(shape, trace(5), name, alone=SENDS)
    held_s = run.useful_s + run.overhead_s + run.contention_s
    assert (run.contention_s >= -1e-9).all()
    assert (run.contention_s > 0.0).any()
    assert held_s == pytest.approx(run.finish_s - run.jobs.submit_s - run.queue_s)
    busiest = run.links["carried_s"].max()
    assert 0.0 < busiest <= run.finish_s.max()


def test_a_job_alone_takes_its_time_alone_to_the_bit():
    shape = one_switch(4, 10.0)
    jobs = few([4, 4, 4], [100.0, 40.0, 70.0], [0.0, 900.0, 1800.0])
    run, law = followed(shape, jobs, "fifo", gpus=1), followed(shape, jobs, "fifo", gpus=1, grade="law")
    assert run.finish_s.tolist() == law.finish_s.tolist()
    assert (run.contention_s == 0.0).all()


def test_refusals():
    shape, jobs = one_switch(2, 10.0), few([2], [10.0])
    for options in ({"quantum": 5.0, "whole_slots": True}, {"conventions": Conventions(tick_s=1.0)}):
        with pytest.raises(InputError, match="no whole slots and no tick"):
            followed(shape, jobs, "fifo", **options)
    with pytest.raises(InputError, match="cannot run compiled"):
        followed(shape, jobs, "fifo", compiled=True)


@pytest.mark.parametrize("grade", ["law", "flow"])
def test_the_load_of_links_adds_up_to_what_they_carried(grade):
    """Runs of 700 s and more outgrow their first bins."""
    run = followed(SHAPES["leaf-spine"], trace(5), "srtf", grade=grade)
    load, carried = run.link_load, run.links.set_index("link")["carried_s"]
    bin_s = load["start_s"].diff().iloc[1]
    assert bin_s > 1.0
    assert load["start_s"].iloc[-1] < run.counters["end_s"] <= load["start_s"].iloc[-1] + bin_s
    shares = load.drop(columns="start_s")
    assert len(shares.columns) == 8
    assert carried.nlargest(8).tolist() == pytest.approx((shares.sum() * bin_s).tolist())
    assert shares.to_numpy().max() <= 1.0 + 1e-9
    assert shares.to_numpy().min() >= 0.0
