"""GADGET's jobs and the problem of a slot, by hand; bad jobs."""

import numpy as np
import pytest

from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.model.errors import InputError
from rarlib.model.tree_network import TreeNetwork


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"largest": [1, 0]}, "field largest of job 1: N_i must be at least 1"),
        ({"largest": [1, 1.5]}, "field largest of job 1: must be a whole number"),
        ({"smallest": 3}, "field smallest of job 0: must lie between 1 and the largest"),
        ({"bandwidth": [-1, 1]}, "field bandwidth of job 0"),
        ({"efficiency": 0}, "field efficiency of job 0"),
        ({"budget": 0}, "field budget of job 0"),
        ({"demand": [[1, -1], [1, 1]]}, "field demand of job 0"),
        ({"budget_counts": "hours"}, "unknown value 'hours'; known: iterations, worker-slots"),
    ],
)
def test_bad_jobs(given_: dict, rule: str) -> None:
    good = {"utility": SquareRoot([1.0, 1.0]), "largest": 2, "bandwidth": 1.0}
    with pytest.raises(InputError, match=rule):
        SlotJobs.build(**{**good, **given_})


def test_bandwidth_above_every_link() -> None:
    """Such a job could never form a ring; one of a single worker needs none."""
    network = TreeNetwork.build([1, 1], [2.0, 3.0], [0, 0], [9.0])
    jobs = SlotJobs.build(utility=SquareRoot([1.0, 1.0]), largest=[1, 2], bandwidth=[9.0, 3.1])
    with pytest.raises(InputError, match=r"bandwidth of job 1: a ring needs more .* \(3 Gbit/s\)"):
        jobs.check_fit(network)
    SlotJobs.build(utility=SquareRoot([1.0, 1.0]), largest=[1, 2], bandwidth=[9.0, 3.0]).check_fit(network)


def test_demands_that_no_server_meets() -> None:
    """Two GPUs for one worker do not come from two servers; resources must be the same on both sides."""
    network = TreeNetwork.build([1, 1], 1.0, [0, 0], [9.0])
    with pytest.raises(InputError, match="demand of job 0: no server has room for a single worker"):
        SlotJobs.build(utility=SquareRoot([1.0]), largest=1, bandwidth=0.1, demand=2.0).check_fit(network)
    with pytest.raises(InputError, match="jobs name 2 resources, servers 1"):
        SlotJobs.build(utility=SquareRoot([1.0]), largest=1, bandwidth=0.1, demand=[[1.0, 1.0]]).check_fit(network)


def budget(counts: str) -> SlotProblem:
    jobs = SlotJobs.build(
        utility=SquareRoot([1.0, 1.0]), largest=5, bandwidth=1.0, efficiency=300, budget=1000, budget_counts=counts
    )
    network = TreeNetwork.build([9], 10, [0], [10])
    active = jobs.active(np.array([True, True]), np.array([3.0, 2.9]))
    assert active.tolist() == ([1] if counts == "iterations" else [0, 1])
    assert jobs.active(np.array([True, False]), np.zeros(2)).tolist() == [0]  # eq. 6
    return jobs.slot(network, np.array([0, 1]), np.array([1.0, 2.0]))


def test_two_readings_of_the_budget() -> None:
    """F = 1000: as iterations at 300 each three worker-slots, two and one of them left; as worker-slots no limit."""
    assert budget("iterations").largest.tolist() == [2, 1]
    assert budget("worker-slots").largest.tolist() == [5, 5]


def test_gains_by_hand() -> None:
    """The root of 4 iterations a worker-slot, 4 worker-slots done: sqrt(4 (4 + k)) - 4; one worker is too few."""
    jobs = SlotJobs.build(utility=SquareRoot([1.0]), largest=3, smallest=2, bandwidth=1.0, efficiency=4.0)
    problem = jobs.slot(TreeNetwork.build([2, 4], 10, [0, 0], [10]), np.array([0]), np.array([4.0]))
    assert problem.gain.tolist() == [[0.0, 0.0, pytest.approx(24**0.5 - 4), pytest.approx(28**0.5 - 4)]]
    assert problem.most_workers.tolist() == [[2, 3]]
    assert problem.value(np.array([[1, 2]])) == pytest.approx(28**0.5 - 4)


def test_several_resources() -> None:
    """Servers of (4 GPUs, 2 memory) and (2, 9); a worker takes (1, 2): memory limits the first, GPUs the second."""
    jobs = SlotJobs.build(utility=SquareRoot([1.0]), largest=9, bandwidth=1.0, demand=[[1.0, 2.0]])
    network = TreeNetwork.build([[4.0, 2.0], [2.0, 9.0]], 10, [0, 0], [10])
    problem = jobs.slot(network, np.array([0]), np.zeros(1))
    assert problem.most_workers.tolist() == [[1, 2]]
    assert problem.broken(np.array([[1, 2]])) == ""
    assert problem.broken(np.array([[2, 1]])) == "resources of server 0 is overfull"


@pytest.mark.parametrize(
    ("workers", "rule"),
    [
        ([[1, 1, 0], [0, 0, 0]], ""),
        ([[1, 0, 0], [0, 0, 0]], "job 0 has 1 workers, allowed are 2 to 3"),
        ([[2, 2, 0], [0, 0, 0]], "job 0 has 4 workers, allowed are 2 to 3"),
        ([[2, 0, 0], [0, 2, 1]], "uplink of rack 1 is overfull"),
        ([[1, 1, 0], [1, 1, 0]], "link of server 0 is overfull"),
        ([[2, 1, 0], [2, 0, 0]], "resources of server 0 is overfull"),
        ([[-1, 3, 0], [0, 0, 0]], "workers are whole numbers of at least 0"),
        ([[1, 1, 0]], r"shape (1, 3) is not (jobs, servers)"),
        ([[1.5, 1.5, 0], [0, 0, 0]], "workers are whole numbers of at least 0"),
    ],
)
def test_what_makes_an_allocation_infeasible(workers: list, rule: str) -> None:
    """Racks {0, 1} and {2}; bandwidth 2 over links of 3 and uplinks of 9 and 1."""
    jobs = SlotJobs.build(utility=SquareRoot([1.0, 1.0]), smallest=2, largest=3, bandwidth=2.0)
    problem = jobs.slot(TreeNetwork.build([3, 3, 3], 3, [0, 0, 1], [9, 1]), np.arange(2), np.zeros(2))
    assert problem.broken(np.array(workers)) == rule
