"""Instances of GADGET's evaluation against what the paper states about them."""

import numpy as np
import pytest

from artifact.papers.gadget.instance import (
    fig4_network,
    fig5_network,
    fig6_network,
    instance,
)
from tests.artifact.papers.gadget.cases import CASES

SEEDS = range(20)


def inside(values, low, high):
    return (values >= low).all() and (values <= high).all()


@pytest.mark.parametrize("reading", ["printed", "smooth", "batch"])
def test_stated_ranges(reading):
    for seed in SEEDS:
        case = instance(seed, 100, CASES[reading])
        jobs = case.jobs
        assert inside(jobs.largest, 1, 5)
        assert inside(jobs.limit, 1000, 6000)
        assert inside(jobs.efficiency, 50, 500)
        assert inside(jobs.bandwidth, 0.1, 5)
        assert inside(jobs.utility.scale, 1, 100)
        assert inside(jobs.utility.slope, *CASES[reading].slope)
        assert (jobs.utility.slope > 0).all()
        assert inside(jobs.utility.middle, 300, 3000)
        assert inside(case.gangs.largest, 1, 10)
        assert inside(case.arrival, 0, 199)
        assert (np.diff(case.arrival) >= 0).all()


def test_stated_network():
    """50 servers of 1, 2, 4 or 8 GPUs, 2 to 5 racks, link ranges as printed; all sizes and numbers of racks occur."""
    networks = [fig4_network(seed) for seed in range(40)]
    for network in networks:
        assert network.servers == 50
        assert inside(network.link_gbps, 10, 100)
        assert inside(network.rack_gbps, 200, 3200)
    assert {int(g) for network in networks for g in network.capacity[:, 0]} == {1, 2, 4, 8}
    assert {network.racks for network in networks} == {2, 3, 4, 5}


def test_units_of_figures_5_and_6():
    """A node unit is 100 GPUs in all; an edge unit is 200 Gbit/s on each uplink, or on all server links together."""
    for factor in (1, 2, 3, 4):
        assert fig5_network(0, factor).capacity.sum() == 100 * factor
        assert (fig6_network(0, factor).rack_gbps == 200 * factor).all()
        assert fig6_network(0, factor, "links").link_gbps.sum() == pytest.approx(200 * factor)
        assert fig6_network(0, factor).capacity.tolist() == fig4_network(0).capacity.tolist()
    same = fig4_network(3)
    for other in (fig5_network(3, 2), fig6_network(3, 0.5, "links")):
        assert other.rack.tolist() == same.rack.tolist()
        assert other.rack_gbps.tolist() == same.rack_gbps.tolist()


def test_fewer_jobs_are_the_first_of_the_same_hundred():
    """Points of a curve over jobs differ by the jobs that are added, and by nothing else."""
    few, many = instance(1, 40), instance(1, 100)
    keys = [
        set(zip(c.arrival.tolist(), c.jobs.efficiency.tolist(), c.jobs.bandwidth.tolist(), strict=True))
        for c in (few, many)
    ]
    assert keys[0] < keys[1]
