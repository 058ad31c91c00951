"""GADGET on its own jobs: gains too small for a number, and rings anywhere."""

import numpy as np

from artifact.papers.gadget.instance import Instance, fig5_network, instance
from artifact.papers.gadget.slots import run_horizon, run_slots
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Stated
from tests.artifact.papers.gadget.cases import CASES


def gadget(case, *key, **options):
    return Gadget(slot_s=1.0, stated=Stated(case.jobs, stream(0, *key), **options))


def two_jobs(middles, gpus, largest=1):
    jobs = SlotJobs.build(
        utility=Sigmoid([10, 10], [0.5, 0.5], middles), largest=largest, bandwidth=1.0, efficiency=10.0
    )
    return Instance(TreeNetwork.build([gpus], 10.0, [0], 10.0), jobs, jobs, np.zeros(2, int))


def test_small_gains_are_compared_all_the_same():
    """One GPU, gains of exp(-990) and exp(-890): the second job gets it; a solver would not see either."""
    case = two_jobs([2000.0, 1800.0], 1)
    assert run_horizon(case, case.jobs, gadget(case), slots=1).done.tolist() == [0, 1]
    blind = gadget(case, least_gain=1e-6)
    assert run_horizon(case, case.jobs, blind, slots=1).done.tolist() == [0, 0]
    assert blind.stated.solved == []


def test_rings_anywhere_fit_and_follow_the_gpus():
    """Feasible in every slot; on an empty cluster a job's workers lie on servers in proportion to their GPUs."""
    case = instance(0, 80, CASES["batch"], network=fig5_network(0, 2))
    scattered = gadget(case, optimum="scattered")
    assert 0 < run_horizon(case, case.jobs, scattered, slots=5).embedded < 1
    jobs = SlotJobs.build(utility=Sigmoid([1], [1], [1]), largest=1, bandwidth=1.0)
    one = Instance(TreeNetwork.build([1, 3], 10.0, [0, 0], 10.0), jobs, jobs, np.zeros(1, int))
    run = run_slots(one, jobs, gadget(one, optimum="scattered"), 800)
    second = float(((run.alloc_end - run.alloc_start) * run.alloc_node).sum()) / 800
    assert abs(second - 0.75) < 3.3 * np.sqrt(0.75 * 0.25 / 800)
