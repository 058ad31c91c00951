"""Schedulers say what they need of a cost model; what they refuse on reserved bandwidth."""

import numpy as np
import pytest
from toys import Cost, jobs_of, times

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.cost.trace import ReservedCost, TraceCost
from rarlib.discovery import make_scheduler, scheduler_class, schedulers
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate

CLUSTER = Cluster.parse("gpu:1x4,cpu:1x8")
GOODPUT = r"^field cost: {} needs the goodput of jobs in every configuration \(cost model: goodput\)$"


@pytest.mark.parametrize("name", ["sia", "concert"])
def test_goodput_is_needed(name):
    jobs = Jobs.build(submit_s=[0], gpus=[1], duration_s=[10])
    with pytest.raises(InputError, match=GOODPUT.format(name)):
        simulate(jobs, Cluster.parse("1x4"), make_scheduler(name), TraceCost())


def test_either_of_two_is_needed():
    jobs = Jobs.build(submit_s=[0], gpus=[1], duration_s=[10])
    with pytest.raises(InputError, match=r"aiturbo needs .* \(cost model: parameter-server\) or .*: goodput\)$"):
        simulate(jobs, Cluster.parse("1x4"), make_scheduler("aiturbo"), TraceCost())


@pytest.mark.parametrize("name", ["gavel", "themis", "shockwave"])
def test_speeds_as_requested_are_needed(name):
    workload = PsJobs.build(["resnet50"], 100.0)
    scheduler = type("OnCpus", (scheduler_class(name),), {"uses_cpu": True})()
    with pytest.raises(InputError, match=f"{name} needs the speed of jobs on each GPU type"):
        simulate(workload.table(np.zeros(1)), CLUSTER, scheduler, ParameterServerCost(workload))


def test_all_others_run_on_a_plain_price_table():
    """An elastic job and a rigid one; nobody else refuses a cost model that has prices alone."""
    jobs = Jobs.build(submit_s=[0, 5], gpus=[2, 1], duration_s=[60, 30], min_gpus=[1, 1], max_gpus=[4, 1])
    for name in schedulers().keys() - {"sia", "concert", "aiturbo"}:
        assert simulate(jobs, Cluster.parse("2x2"), make_scheduler(name), TraceCost()).finished.all(), name


@pytest.mark.parametrize(
    ("name", "options", "rule"),
    [
        ("las", {"holds": True}, "slot_s: must be above 0"),
        ("las", {"placement": "reserved"}, "slot_s: must be above 0"),
        ("las", {"slot_s": -1.0}, "slot_s: must be at least 0"),
        ("drf", {"holds": True}, "placement: slot_s and holds need placement reserved"),
        ("drf", {"placement": "reserved", "slot_s": -1.0}, "slot_s: must be at least 0"),
    ],
)
def test_options_that_say_nothing(name: str, options: dict, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        make_scheduler(name, options)


@pytest.mark.parametrize("name", ["fifo", "sjf", "srtf", "drf"])
def test_reserved_placement_needs_reserved_bandwidth(name: str) -> None:
    """Under a cost model that reserves none, the rule has nothing to go by."""
    with pytest.raises(InputError, match="needs a cost model that reserves bandwidth"):
        simulate(jobs_of([(0, 1, 1)]), Cluster.of([2]), make_scheduler(name, {"placement": "reserved"}), Cost())


@pytest.mark.parametrize(
    ("name", "gbps", "expected"),
    [
        ("fifo", 5.0, [(0, 6), (1, 3)]),
        ("fifo", 6.0, [(0, 6), (6, 8)]),
        ("srtf", 6.0, [(0, 8), (1, 3)]),
    ],
)
def test_rings_wait_for_bandwidth(name: str, gbps: float, expected: list) -> None:
    """Rings of 3 on three servers of 2: both have GPUs, on the server between them they need 10 Gbit/s together.

    By remaining time the second one, which is shorter, stops the first.
    """
    jobs, cluster = jobs_of([(0, 3, 6), (1, 3, 2)]), Cluster.of([2, 2, 2])
    run = simulate(jobs, cluster, make_scheduler(name, {"placement": "reserved"}), ReservedCost(gbps))
    assert times(run) == expected
