"""Runs on a fabric, replayed interval by interval with the law from nothing."""

from collections import Counter
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase
from rarlib.fabric.law import mean_times
from rarlib.fabric.routing import STARTS, ecmp, ring_flows
from rarlib.fabric.shapes import fat_tree, leaf_spine, one_switch, rack_tree
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate

ALONE = RingCost(share=0.5, overhead=0.01, gbps=10.0)
SENDS = RingCost(share=0.9, overhead=0.01, gbps=10.0)
"""Jobs that nearly always send: links are full, and change the rates of jobs that do not share them."""
SHAPES = {
    "one switch": one_switch(8, 10.0),
    "racks": rack_tree(np.arange(8) // 2, np.full(8, 10.0), np.array([5.0, 10.0, 20.0, inf])),
    "racks in turn": rack_tree(np.arange(8) % 2, np.full(8, 10.0), np.array([15.0, 15.0])),
    "leaf-spine": leaf_spine(4, 2, 2, 10.0, 5.0),
    "fat tree": fat_tree(4, 10.0, 5.0),
}


def trace(seed, many=25):
    """Random jobs; the first one is there from the beginning to nearly the end."""
    rng = np.random.default_rng(seed)
    submit_s = np.sort(rng.uniform(0.0, 400.0, many)).round(3)
    gpus, duration_s = rng.choice([1, 2, 3, 4, 6, 8], many), rng.uniform(20.0, 300.0, many).round(3)
    gpus[0], duration_s[0] = 4, 700.0
    return Jobs.build(submit_s=submit_s, gpus=gpus, duration_s=duration_s)


def played(shape, jobs, name, placement="spread", seed=0, alpha=0.0, alone=ALONE, **options):
    cluster = laid_out(Cluster.of([2] * shape.servers), shape)
    scheduler = make_scheduler(name, {"placement": placement})
    return simulate(jobs, cluster, scheduler, on_fabric(alone, shape, alpha, seed), restart_s=7.0, **options)


def case_of(run, shape, seed, alpha, running):
    """The running jobs as a case of the fabric: seconds of `link_s` at 10 Gbit/s are bytes."""
    jobs, links = [], {}
    for job, (nodes, starts) in running.items():
        ring = sorted(nodes, key=lambda node: ([*(int(layer.group[node]) for layer in shape.layers[::-1])], node))
        sent = run.prices.link_s[job] * 10.0 * BYTES_PER_GBIT
        flows, crossed = ring_flows(ecmp(shape, seed), job + starts * STARTS, ring, "lockstep", sent)
        compute_s = run.prices.base_s[job] + run.prices.server_s[job] * len(nodes)
        finite = {link for link, gbps in crossed.items() if gbps < inf}
        flows = tuple(
            flow._replace(links={link: n for link, n in flow.links.items() if link in finite}) for flow in flows
        )
        links |= {link: crossed[link] for link in finite}
        jobs.append(SendingJob(str(job), compute_s, 0.0, 1, flows))
    return SharedCase("replay", links, jobs, alpha)


def seconds_on_links(case, name, iterations):
    """Link -> seconds that it takes for so many iterations of a job."""
    (job,) = (each for each in case.jobs if each.id == name)
    return {
        link: iterations * times * flow.bytes_ / (case.links[link] * BYTES_PER_GBIT)
        for flow in job.flows
        for link, times in flow.links.items()
    }


def intervals(run):
    """Job, start, end, nodes and number of starts before it, for each time that a job held GPUs."""
    found, starts = [], {}
    for job in range(len(run.jobs)):
        rows = run.alloc_job == job
        for start in sorted(set(run.alloc_start[rows])):
            mine = rows & (run.alloc_start == start)
            found.append((job, start, run.alloc_end[mine][0], run.alloc_node[mine].tolist(), starts.get(job, 0)))
            starts[job] = starts.get(job, 0) + 1
    return found


def replay(run, shape, seed, alpha, *, restart_s=0.0):
    """Check the work, the traffic and the rates of a run on a fabric; its effect must be alive."""
    jobs = run.jobs
    held = intervals(run)
    times = sorted(
        {t for _, start, end, _, _ in held for t in (start, end)} | {s + restart_s for _, s, _, _, n in held if n}
    )
    done, waited, carried = np.zeros(len(jobs)), np.zeros(len(jobs)), Counter()
    for begin, end in pairwise(times):
        now = [each for each in held if each[1] <= begin and each[2] >= end]
        spanning = {job: (nodes, n) for job, _, _, nodes, n in now if len(nodes) > 1}
        case = case_of(run, shape, seed, alpha, spanning)
        tau = dict(zip(spanning, mean_times(case), strict=True)) if spanning else {}
        busy = {}
        for job, start, _, _, n in now:
            if n == 0 or begin >= start + restart_s:
                done[job] += (end - begin) / tau.get(job, run.prices.base_s[job] + run.prices.local_s[job])
                if job in spanning:
                    carried.update(seconds_on_links(case, str(job), (end - begin) / tau[job]))
        for job, (nodes, _) in spanning.items():
            alone = mean_times(case_of(run, shape, seed, alpha, {job: spanning[job]}))[0]
            assert tau[job] >= alone * (1 - 1e-9)
            waited[job] += end - begin if tau[job] > alone * 1.001 else 0.0
            for node in nodes:
                busy[node] = busy.get(node, 0.0) + run.prices.link_s[job] / tau[job]
        assert max(busy.values(), default=0.0) <= 1.0 + 1e-9, "a server sends more than its link carries"
    np.testing.assert_allclose(done, run.prices.work, rtol=1e-7)
    assert dict(zip(run.links["link"], run.links["carried_s"], strict=True)) == pytest.approx(dict(carried), rel=1e-7)
    assert waited.max() > 10.0, "the effect must be alive"
