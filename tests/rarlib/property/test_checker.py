"""The checker can see: it passes sound runs, and every rule that a run is made to break by hand is named."""

from copy import deepcopy

import numpy as np
import pytest
from toys import jobs_of

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import ReservedCost
from rarlib.model.cluster import Cluster
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.requested import Requested
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate
from tests.rarlib.property.checker import violations
from tests.rarlib.property.records import recorded

TWO_TYPES = Cluster(
    gpus=np.array([2, 2, 4]),
    gpu_type=("a", "b", "cpu"),
    rack=np.array([0, 1, 0]),
    speed=np.array([1.0, 2.0, 1.0]),
    rack_gbps=np.array([10.0, 5.0]),
)


def stopped():
    """A gang on two nodes of two racks, stopped for a short job and restarted; fractions of a second."""
    cost = RingCost(alpha=0.5, share=0.25, overhead=0.1)
    run = simulate(jobs_of([(0, 2, 6.5), (2.25, 1, 3), (3, 1, 1), (3, 3, 5)]), Cluster(
        np.array([2, 1]), ("a", "b"), np.array([0, 1]), np.array([1.0, 2.0]), rack_gbps=np.array([10.0, 5.0])
    ), Srtf(), cost, restart_s=1.0)  # fmt: skip
    return recorded(run, cost)


def contended():
    """Two gangs that share both servers; passes at multiples of 4 s, whole slots."""
    cost = RingCost(alpha=0.5, share=0.25, overhead=0.1)
    run = simulate(
        jobs_of([(0, 3, 8), (0, 3, 5), (1, 2, 3)]), Cluster.of([2, 2, 2]), Fifo(), cost, quantum=4.0, whole_slots=True
    )
    return recorded(run, cost, quantum=4.0, whole_slots=True, in_order=True)


def on_slots():
    """GPUs of two types, CPU task slots, and an elastic job."""
    cost = RingCost(share=0.25)
    jobs = jobs_of([(0, 2, 4), (0, 0, 3), (1, 1, 2)], cpu_tasks=[0, 3, 1], min_gpus=[1, 0, 1], max_gpus=[2, 0, 1])
    return recorded(simulate(jobs, TWO_TYPES, Requested(), cost), cost)


def ringed():
    """Two rings of 4 Gbit/s on links of 10."""
    cost = ReservedCost(4.0)
    cluster = Cluster(np.array([2, 2]), ("a", "a"), np.array([0, 1]), np.ones(2), rack_gbps=np.array([10.0, 10.0]))
    run = simulate(jobs_of([(0, 3, 4), (0, 1, 2)]), cluster, Fifo(placement="reserved"), cost)
    return recorded(run, cost)


SOUND = {"stopped": stopped, "contended": contended, "on slots": on_slots, "ringed": ringed}


@pytest.mark.parametrize("name", SOUND)
def test_sound_runs_pass(name):
    assert violations(SOUND[name]()) == []


def test_the_sound_runs_contain_what_is_edited():
    assert stopped().jobs[0].restarts == 1
    assert max(job.contention for job in contended().jobs) > 0.0
    assert dict.fromkeys((2,), 3) in [i.held for i in on_slots().intervals]
    assert [len(i.held) for i in ringed().intervals] == [2, 1]


def first(run, job):
    return next(i for i in run.intervals if i.job == job)


def last(run, job):
    return [i for i in run.intervals if i.job == job][-1]


def longer(run, job, by):
    """The job ends later, and everything reported of it says so, too."""
    interval, row = last(run, job), run.jobs[job]
    interval.end += by
    row.finish += by
    row.useful += by
    gpus = sum(interval.held.values())
    row.gpu_seconds += by * gpus
    run.busy_area, run.system_area = run.busy_area + by * gpus, run.system_area + by


def waits_more(run, job, by):
    """All intervals of the job, and what is reported, are later."""
    for interval in run.intervals:
        if interval.job == job:
            interval.start, interval.end = interval.start + by, interval.end + by
    row = run.jobs[job]
    row.start, row.finish, row.queue = row.start + by, row.finish + by, row.queue + by
    run.waiting_area, run.system_area = run.waiting_area + by, run.system_area + by


def change(job, **by):
    """An edit of reported numbers."""

    def edit(run):
        for name, amount in by.items():
            setattr(run.jobs[job], name, getattr(run.jobs[job], name) + amount)

    return edit


EDITS = [
    ("capacity", "stopped", lambda run: run.nodes.__setitem__(0, deepcopy(run.nodes[1]))),
    ("capacity", "on slots", lambda run: setattr(run.nodes[2], "size", 3)),
    ("capacity", "on slots", lambda run: first(run, 1).held.__setitem__(7, 1)),
    ("capacity", "stopped", lambda run: setattr(first(run, 3), "start", first(run, 1).start)),
    ("gang", "stopped", lambda run: first(run, 0).held.update({0: 1})),
    ("gang", "on slots", lambda run: first(run, 1).held.update({1: 1})),
    ("gang", "on slots", lambda run: setattr(run.jobs[0], "most", 1)),
    ("gang", "on slots", lambda run: setattr(run.jobs[0], "least", 3)),
    ("GPU-seconds", "stopped", change(1, gpu_seconds=0.5)),
    ("order", "stopped", change(1, submit=0.5)),
    ("order", "stopped", lambda run: setattr(last(run, 0), "start", first(run, 0).end - 0.5)),
    ("completion", "stopped", change(2, finish=0.5)),
    ("completion", "stopped", change(0, start=-0.0625, submit=-1.0)),
    ("restarts", "stopped", change(0, restarts=-1)),
    ("restarts", "stopped", change(0, restarts=1)),
    ("restart", "stopped", change(0, paused=-0.5)),
    ("restart", "stopped", change(0, restart=0.5)),
    ("quantum", "contended", lambda run: waits_more(run, 2, 1.0)),
    ("quantum", "contended", lambda run: longer(run, 0, 1.0)),
    ("queue", "stopped", change(0, queue=0.5, useful=-0.5)),
    ("turnaround", "stopped", change(0, useful=0.5)),
    ("turnaround", "stopped", change(0, contention=-0.5, useful=0.5)),
    ("turnaround", "stopped", change(1, overhead=-0.5, useful=0.5)),
    ("utilisation", "stopped", lambda run: setattr(run, "busy_area", run.busy_area + 1.0)),
    ("waiting", "stopped", lambda run: setattr(run, "waiting_area", run.waiting_area + 1.0)),
    ("in the system", "stopped", lambda run: setattr(run, "system_area", run.system_area - 1.0)),
    ("work", "stopped", lambda run: longer(run, 3, 0.5)),
    ("work", "stopped", lambda run: longer(run, 3, -0.5)),
    ("work", "contended", lambda run: longer(run, 1, 8.0)),
    ("work", "stopped", change(0, done=-0.5)),
    ("work", "stopped", lambda run: setattr(run.nodes[1], "speed", 0.5)),
    ("work", "stopped", lambda run: run.uplinks.__setitem__(1, 1.0)),
    ("work", "contended", lambda run: setattr(run.nodes[1], "link", 9.0)),
    ("work", "contended", lambda run: setattr(run, "sharing", [1.0, 1.0, 9.0])),
    ("contention", "contended", change(0, contention=0.25, useful=-0.25)),
    ("fifo", "contended", lambda run: run.jobs.reverse()),
    ("bandwidth", "ringed", lambda run: setattr(run.jobs[0], "gbps", 12.0)),
    ("bandwidth", "ringed", lambda run: setattr(run, "uplink_gbps", [10.0, 3.0])),
]


@pytest.mark.parametrize(("rule", "name", "edit"), EDITS, ids=[f"{rule}-{i}" for i, (rule, _, _) in enumerate(EDITS)])
def test_a_broken_rule_is_named(rule, name, edit):
    run = SOUND[name]()
    edit(run)
    assert rule in {found.split(":")[0] for found in violations(run)}
