"""Runs on a fabric: by hand, replayed interval by interval with the law from scratch, and what must always hold."""

import numpy as np
import pytest
from link_replay import ALONE, SENDS, SHAPES, played, replay, trace

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.fabric.shapes import one_switch, rack_tree
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate


def test_two_jobs_by_hand():
    """Each spans both nodes of one switch: T = c + s (1 + d) with c = 1 + 2 overheads, s = 1; then one is alone."""
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[2, 2], duration_s=[100.0, 40.0])
    run = played(one_switch(2, 10.0), jobs, "fifo")
    alone = 1.02 + 1.0
    together = alone * (1.0 + (1.0 / alone) ** 2)
    assert run.finish_s[1] == pytest.approx(40.0 * together)
    assert run.finish_s[0] == pytest.approx(40.0 * together + 60.0 * alone)
    assert run.contention_s == pytest.approx([40.0 * (together - alone)] * 2)
    assert run.useful_s == pytest.approx([200.0, 80.0])


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    ("name", "alpha", "alone"), [("fifo-backfill", 0.3, ALONE), ("srtf", 0.0, ALONE), ("fifo-backfill", 0.0, SENDS)]
)
def test_replayed_interval_by_interval(shape, name, alpha, alone):
    """The law of every set of jobs that ran together, from nothing, gives each job the work it asked for."""
    jobs = trace(5)
    run = played(shape, jobs, name, seed=11, alpha=alpha, alone=alone)
    replay(run, shape, 11, alpha, restart_s=7.0)
    if name == "srtf":
        assert run.restarts.sum() > 0


def test_contention_is_put_down_to_the_link_where_jobs_meet():
    """Rings of both jobs cross the uplinks; that of the first rack is the slowest link, and no server has two jobs."""
    shape = rack_tree(np.array([0, 0, 1, 1]), np.full(4, 10.0), np.array([4.0, 10.0]))
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[2, 2], duration_s=[50.0, 70.0])
    cluster, random = laid_out(Cluster.of([1, 1, 1, 1]), shape), make_scheduler("fifo", {"placement": "random"})
    run = simulate(jobs, cluster, random, on_fabric(ALONE, shape), seed=3)
    delays = dict(zip(run.links["link"], run.links["contention_s"], strict=True))
    slowest = {link: delay for link, delay in delays.items() if link in {"rack/0+", "rack/0-"}}
    assert run.contention_s.sum() > 0.0
    assert sum(slowest.values()) == pytest.approx(run.contention_s.sum())
    assert len(delays) == 4 + 2 + 4 + 2, "links of servers and racks, both ways"


def test_a_job_alone_costs_what_it_costs_without_a_fabric():
    """On one switch, to the bit: the law changes nothing for a job that meets nobody."""
    jobs = Jobs.build(submit_s=[0.0, 500.0], gpus=[6, 5], duration_s=[33.3, 77.7])
    linked = played(SHAPES["one switch"], jobs, "fifo")
    counted = simulate(jobs, linked.cluster, make_scheduler("fifo", {"placement": "spread"}), ALONE)
    assert (linked.finish_s == counted.finish_s).all()
    assert (linked.contention_s == 0.0).all()


def test_jobs_that_change_while_they_run_share_links():
    """Two trainings over one switch: what they send and compute is that of the row of the moment."""
    jobs = Jobs.build(
        submit_s=[0.0, 0.0], gpus=[6, 6], duration_s=[900.0, 900.0],
        application=["bert", "bert"], adaptivity=["rigid", "rigid"],
    )  # fmt: skip
    cluster, profiled = Cluster.parse("t4:3x4"), GoodputCost(network=SpanningNetwork(), recorded=True)
    linked, scheduler = on_fabric(profiled, cluster_shape(cluster)), {"placement": "spread"}
    alone = simulate(jobs.take([0]), cluster, make_scheduler("fifo", scheduler), linked)
    without = simulate(jobs.take([0]), cluster, make_scheduler("fifo", scheduler), profiled)
    both = simulate(jobs, cluster, make_scheduler("fifo", scheduler), linked)
    assert alone.finish_s == pytest.approx(without.finish_s)
    assert (both.finish_s > alone.finish_s[0]).all()
    assert (both.contention_s > 0.0).all()
