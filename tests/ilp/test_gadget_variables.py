"""The variables of a slot's program, and when a slot is full: against all rings that fit, written out one by one."""

import numpy as np
import pytest

from rarlib.ilp.gadget.exact import _Slot
from rarlib.ilp.gadget.packing import Packing
from rarlib.ilp.gadget.problem import SlotProblem
from rarlib.ilp.gadget.relaxation import considered
from tests.ilp.gadget_cases import limits_of, loads_of, small_problem, vectors

SEEDS = range(40)


def rings(problem: SlotProblem, job: int) -> list[np.ndarray]:
    """All rings of a job that fit into the empty network, workers by server; sizes that gain nothing are left out."""
    sizes = np.flatnonzero(considered(problem)[job])
    ways = [way for size in sizes for way in vectors(problem.network.servers, int(size), problem.most_workers[job])]
    return [way for way in ways if (loads_of(problem, job, way) <= limits_of(problem) + 1e-9).all()]


def used(problem: SlotProblem, workers: np.ndarray) -> dict[str, np.ndarray]:
    """Which variables of its job a ring sets, from the table in the docstring of the program."""
    on, rack = workers > 0, problem.network.rack
    racks = np.array([(on & (rack == r)).any() for r in range(problem.network.racks)])
    spans, crosses = on.sum() > 1, racks.sum() > 1
    return {
        "workers": on,
        "alone": on & ~spans,
        "spans": on & spans,
        "inside": racks & spans & ~crosses,
        "across": np.array([crosses]),
        "leaves": racks & crosses,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_every_ring_that_fits_has_its_variables(seed: int) -> None:
    problem = small_problem(seed, resources=1 + seed % 2, whole=seed % 3 == 0)
    slot = _Slot(problem)
    for job in range(len(problem)):
        for workers in rings(problem, job):
            assert slot.size[job, workers.sum()] >= 0
            for name, needed in used(problem, workers).items():
                assert (getattr(slot, name)[job][needed] >= 0).all(), name


@pytest.mark.parametrize("seed", SEEDS)
def test_no_variable_stands_for_what_no_server_can_do(seed: int) -> None:
    """No worker, no link where a server has no room for a worker, no link narrower than the ring, no ring of one."""
    problem = small_problem(seed, resources=1 + seed % 2, whole=seed % 3 == 0)
    slot, network = _Slot(problem), problem.network
    for job in range(len(problem)):
        gbps = problem.bandwidth[job]
        several = any(considered(problem)[job, 2:])
        for s in range(network.servers):
            room = (problem.demand[job] <= network.capacity[s]).all()
            link = room and several and gbps <= network.link_gbps[s]
            there = [bool(each[job, s] >= 0) for each in (slot.workers, slot.alone, slot.spans)]
            assert there == [room, room, link], (job, s)
        for r in range(network.racks):
            assert (slot.leaves[job, r] >= 0) == (several and gbps <= network.rack_gbps[r])
            assert (slot.inside[job, r] >= 0) == several
        assert (slot.across[job, 0] >= 0) == (several and network.racks > 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slot_is_full_when_no_job_finds_a_gpu(seed: int) -> None:
    """The first resource is the GPU; others, of which a worker may need more, do not make a slot full."""
    problem = small_problem(seed, resources=1 + seed % 3)
    packing = Packing(problem)
    left = problem.network.capacity[:, 0].astype(float)
    for row in range(len(problem)):
        assert packing.full == (left.max() < problem.demand[:, 0].min())
        for workers in np.eye(problem.network.servers, dtype=np.int64):
            if packing.fits(row, workers):
                packing.take(row, workers)
                left -= workers * problem.demand[row, 0]
                assert packing.full == (left.max() < problem.demand[:, 0].min())
