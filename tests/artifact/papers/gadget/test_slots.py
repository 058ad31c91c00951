"""GADGET's evaluation on the simulator: what the network cannot carry is refused; rules of its baselines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifact.papers.gadget.instance import Instance
from artifact.papers.gadget.slots import run_horizon, run_slots
from rarlib.allocate.rings import RESERVED
from rarlib.cost.utilities import SquareRoot
from rarlib.discovery import make_scheduler
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.decisions import Start
from rarlib.model.errors import DecisionError
from rarlib.model.tree_network import TreeNetwork


def test_the_simulator_refuses_what_the_network_cannot_carry():
    """More workers than a server has; and rings that reserve more than a link has, though all GPUs are there."""

    class Greedy:
        name, label, paper = "greedy", "greedy", ""

        def decide(self, view):
            return [Start(job.row, ((0, 1), (1, 1))) for job in view.waiting]

    jobs = SlotJobs.build(utility=SquareRoot([1, 1]), largest=2, smallest=2, bandwidth=6.0)
    for gpus, error, text in (
        (1, DecisionError, "node 0 has 0 GPUs free"),
        (2, AssertionError, "link of node 0 has 10"),
    ):
        case = Instance(TreeNetwork.build([gpus, gpus], 10.0, [0, 0], 10.0), jobs, jobs, np.zeros(2, int))
        with pytest.raises(error, match=text):
            run_slots(case, jobs, Greedy(), 3)


def policy(name, **options):
    slots = {} if name == "fifo" else {"slot_s": 1.0}
    return make_scheduler(name, {"placement": RESERVED} | slots | options)


def case(network, workers, gbps=0.0, smallest=None, arrival=None, **jobs):
    """An instance in which every job is there from the first slot on."""
    n = len(workers)
    table = SlotJobs.build(
        utility=SquareRoot(np.ones(n)), largest=workers, smallest=workers if smallest is None else smallest,
        bandwidth=gbps, **jobs,
    )  # fmt: skip
    return Instance(network, table, table, np.zeros(n, int) if arrival is None else np.array(arrival))


def counts(case, scheduler, slots=1):
    """Workers of each job in each slot."""
    run = run_slots(case, case.jobs, scheduler, slots)
    found = np.zeros((slots, len(case.jobs)), int)
    for job, gpus, start, end in zip(run.alloc_job, run.alloc_gpus, run.alloc_start, run.alloc_end, strict=True):
        found[int(start) : int(end), job] += gpus
    return found.tolist()


networks = st.builds(
    lambda sizes, racks, links, ups: TreeNetwork.build(sizes, links[: len(sizes)], racks[: len(sizes)], ups),
    st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(lambda sizes: sum(sizes) >= 5),
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=4, max_size=4),
    st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=2, max_size=2),
)


@given(networks, st.lists(st.integers(1, 5), min_size=1, max_size=5), st.sampled_from([0.5, 2.0, 3.0]))
def test_every_policy_keeps_within_capacity(network, limits, gbps):
    """Whatever the network: the simulator finds no server, link or uplink overfull in a few slots."""
    elastic, rigid = case(network, limits, gbps, smallest=1), case(network, limits, gbps)
    for name, options in (("fifo", {}), *((n, {"holds": h}) for n in ("las", "drf") for h in (False, True))):
        assert run_horizon(elastic if name == "drf" else rigid, (elastic if name == "drf" else rigid).jobs,
                           policy(name, **options), 4).used <= 1  # fmt: skip


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(5, 20))
def test_drf_is_max_min_fair_where_only_gpus_bind(limits, gpus):
    """One server: within one GPU of water-filling, computed by raising a common level."""
    got = counts(case(TreeNetwork.build([gpus], 1.0, [0], 1.0), limits, smallest=1), policy("drf"))[0]
    fair = np.zeros(len(limits))
    left = float(gpus)
    for position, job in enumerate(np.argsort(limits)):
        fair[job] = min(limits[job], left / (len(limits) - position))
        left -= fair[job]
    assert (np.abs(np.array(got) - fair) < 1.0).all()
    assert sum(got) == min(gpus, sum(limits))
