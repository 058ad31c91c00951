"""How a cluster is written must not decide a schedule: order of types, nodes and racks, cuts that mean nothing."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.ring import RingCost
from rarlib.declared import scheduler_names
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.presets.sia import in_their_order
from rarlib.simulator.engine import simulate

NEEDS_GOODPUT = {"sia", "concert", "aiturbo"}
ARRAYS = ("gpus", "gpu_type", "rack", "speed", "rack_gbps")
TYPES = ["t4:2x4", "rtx:1x8", "a100:1x8"]
MIXED = [
    {"count": 2, "gpus": 4, "type": "t4", "rack": "x"},
    {"count": 1, "gpus": 8, "type": "t4", "rack": "y"},
    {"count": 1, "gpus": 8, "type": "a100", "rack": "y"},
]
UPLINKS = {"x": {"uplink_gbps": 2.5}, "y": {"uplink_gbps": 5}}

APART_IN_RACKS = {"gadget": "its program maps rings onto a tree of racks and servers, and draws one of the mappings"}
"""Schedulers for which racks without a bottleneck matter all the same, and why."""


def arrays(cluster):
    return {name: np.asarray(getattr(cluster, name)).tolist() for name in ARRAYS}


def jobs(named=True):
    """Eight jobs, two of them equal in all but their submission, that fill the cluster and wait."""
    gpus, duration = [4, 2, 8, 1, 4, 4, 2, 6], [900, 300, 700, 200, 500, 500, 800, 400]
    app = {"application": ["cifar10", "bert"] * 4, "adaptivity": ["adaptive"] * 8} if named else {}
    return Jobs.build(submit_s=[0, 0, 30, 60, 90, 120, 150, 400], gpus=gpus, duration_s=duration, **app)


def play(name, cluster):
    cost = GoodputCost(recorded=True) if name in NEEDS_GOODPUT else RingCost()
    run = simulate(jobs(name in NEEDS_GOODPUT), cluster, make_scheduler(name), cost, quantum=60.0)
    return {
        "start": run.start_s.tolist(),
        "finish": run.finish_s.tolist(),
        "node": run.alloc_node.tolist(),
        "gpus": run.alloc_gpus.tolist(),
    }


@pytest.mark.parametrize("name", scheduler_names())
def test_the_order_of_types_is_free(name):
    """One order of types against another, where Gavel, Sia, GADGET and others once differed."""
    one, other = (Cluster.parse(",".join(order)) for order in (TYPES, TYPES[::-1]))
    assert play(name, one) == play(name, other)


def test_every_order_is_the_same_cluster():
    """Types from the slowest to the fastest; so all that anybody computes from it is the same."""
    every = [Cluster.parse(",".join(order)) for order in itertools.permutations(TYPES)]
    assert all(arrays(each) == arrays(every[0]) for each in every)
    assert every[0].gpu_type == ("t4", "t4", "rtx", "a100")


def test_a_type_cut_into_two_halves_is_the_same_type():
    assert arrays(Cluster.parse("t4:1x4,a100:1x8,t4:1x4")) == arrays(Cluster.parse("t4:2x4,a100:1x8"))


def test_the_order_of_nodes_and_racks_and_names_of_racks_is_free():
    """By what a rack holds: first the T4 of 8 GPUs, with the A100 beside it; then those of 4."""
    first = Cluster.named("here", {"nodes": MIXED, "racks": UPLINKS})
    assert first.gpus.tolist() == [8, 4, 4, 8] and first.gpu_type == ("t4", "t4", "t4", "a100")
    assert first.rack.tolist() == [0, 1, 1, 0] and first.rack_gbps.tolist() == [5.0, 2.5]
    renamed = {"x": "n", "y": "b"}
    for nodes in itertools.permutations(MIXED):
        for racks in itertools.permutations(UPLINKS):
            given = {
                "nodes": [{**node, "rack": renamed[node["rack"]]} for node in nodes],
                "racks": {renamed[rack]: UPLINKS[rack] for rack in racks},
            }
            assert arrays(Cluster.named("there", given)) == arrays(first)


def test_speeds_come_before_names_and_slots_last():
    given = {
        "nodes": [{"gpus": 2, "type": kind} for kind in ("cpu", "a100", "new", "t4")],
        "types": {"a100": {"speed": 1}, "t4": {"speed": 3}, "new": {"speed": 2}},
    }
    assert Cluster.named("here", given).gpu_type == ("a100", "new", "t4", "cpu")
    assert Cluster.parse("zeta:1x2,h100:1x2,alpha:1x2,cpu:1x2,k80:1x2").gpu_type == (
        "k80", "h100", "alpha", "zeta", "cpu",
    )  # fmt: skip


def test_as_written_keeps_the_order():
    assert Cluster.parse("rtx:1x8,t4:2x4", as_written=True).gpu_type == ("rtx", "t4", "t4")


def test_the_preset_has_its_authors_order():
    """By their names: aws, dgx-ext, quad, rtx."""
    for order in itertools.permutations(["t4:1x4", "rtx:1x8", "a100:1x8", "quad:1x4"]):
        assert in_their_order(Cluster.parse(",".join(order))).gpu_type == ("t4", "a100", "quad", "rtx")


@pytest.mark.parametrize("name", scheduler_names())
def test_a_cluster_cut_into_two_equal_racks_without_a_bottleneck_is_one(name):
    """Two halves with uplinks without limit give the schedule of one rack, unless a scheduler keeps gangs in racks."""
    whole = Cluster.parse("t4:4x4")
    halves = replace(whole, rack=np.array([0, 0, 1, 1]), rack_gbps=np.array([np.inf, np.inf]))
    assert (play(name, whole) == play(name, halves)) == (name not in APART_IN_RACKS)
