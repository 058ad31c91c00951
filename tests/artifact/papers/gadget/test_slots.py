"""GADGET's evaluation on the simulator, against a slot loop in plain Python; rules of its baselines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifact.papers.gadget.instance import Instance, fig5_network, fig6_network, instance
from artifact.papers.gadget.slots import run_horizon, run_slots
from rarlib.allocate.rings import RESERVED
from rarlib.cost.utilities import SquareRoot
from rarlib.discovery import make_scheduler
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.decisions import Start
from rarlib.model.errors import DecisionError
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Stated
from tests.artifact.papers.gadget.cases import CASES
from tests.artifact.papers.gadget.naive_slots import embedding, gangs, play, shares

SLOTS = 70
NAIVE = {
    "fifo": lambda: gangs(least_served=False, head_blocks=True, holds=True),
    "las": lambda: gangs(least_served=True, head_blocks=False, holds=False),
    "las-holds": lambda: gangs(least_served=True, head_blocks=False, holds=True),
    "drf": lambda: shares(holds=False),
    "drf-holds": lambda: shares(holds=True),
}


def scheduler(name):
    kind, _, holds = name.partition("-")
    slots = {} if kind == "fifo" else {"slot_s": 1.0, "holds": bool(holds)}
    return make_scheduler(kind, {"placement": RESERVED} | slots)


def workers_of(run, slots, shape):
    """Workers of every slot, shape (slots, jobs, servers)."""
    found = np.zeros((slots, *shape), np.int64)
    origin = int(run.jobs.origin_s)
    for job, node, gpus, start, end in zip(
        run.alloc_job, run.alloc_node, run.alloc_gpus, run.alloc_start, run.alloc_end, strict=True
    ):
        assert start == int(start)
        assert end == int(end)
        found[origin + int(start) : origin + int(end), job, node] += gpus
    return found


def same(case, jobs, scheduler, policy):
    """Whether both give the same, which it also returns."""
    run = run_slots(case, jobs, scheduler, SLOTS)
    workers, done = play(case, jobs, policy, SLOTS)
    assert (workers_of(run, SLOTS, workers.shape[1:]) == workers).all()
    active = [((case.arrival <= t) & (np.minimum(w, jobs.limit) < jobs.limit)).sum()
              for t, w in enumerate(np.cumsum(workers.sum(axis=2), axis=0) - workers.sum(axis=2))]  # fmt: skip
    embedded = [w.any(axis=1).sum() / a for w, a in zip(workers, active, strict=True) if a]
    return workers, done, float(np.mean(embedded))


@pytest.mark.parametrize("reading", ["printed", "iterations", "slower-20"])
@pytest.mark.parametrize("name", NAIVE)
def test_baselines_slot_by_slot(name, reading):
    """Few GPUs and narrow uplinks, so that both bind: placements, utilities and shares are those of the loop."""
    narrow = fig6_network(1, 0.02)
    network = TreeNetwork.build(np.ones(50), narrow.link_gbps / 8, narrow.rack, narrow.rack_gbps)
    case = instance(1, 100, CASES[reading], network=network)
    jobs = case.jobs if name.startswith("drf") else case.gangs
    workers, done, embedded = same(case, jobs, scheduler(name), NAIVE[name]())
    found = run_horizon(case, jobs, scheduler(name), SLOTS)
    assert found.done.tolist() == done.tolist()
    assert found.utility.tolist() == jobs.value(done).tolist()
    assert found.embedded == pytest.approx(embedded, abs=1e-15)
    assert found.used == workers.sum() / (50 * SLOTS)
    assert 0 < found.used < 1
    assert found.embedded < 1 or reading == "iterations" or name.startswith("drf")
    assert ((workers > 0).sum(axis=2) > 1).any()  # some rings span servers


@pytest.mark.parametrize(
    ("reading", "options"),
    [
        ("printed", {}),
        ("smooth", {}),
        ("printed", {"optimum": "scattered"}),
        ("batch", {"least_gain": 1e-6}),
    ],
)
def test_gadget_slot_by_slot(reading, options):
    """The same stream gives the same mappings."""
    case = instance(2, 60, CASES[reading], network=fig5_network(2, 1))
    stated = Stated(case.jobs, stream(2, "r"), **options)
    same(
        case,
        case.jobs,
        Gadget(slot_s=1.0, stated=stated),
        embedding(case.jobs, case.network, stream(2, "r"), **options),
    )
    assert stated.solved


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


quick = settings(derandomize=True, database=None, deadline=None, max_examples=60)


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


@quick
@given(networks, st.lists(st.integers(1, 5), min_size=1, max_size=5), st.sampled_from([0.5, 2.0, 3.0]))
def test_every_policy_keeps_within_capacity(network, limits, gbps):
    """Whatever the network: the simulator finds no server, link or uplink overfull in a few slots."""
    elastic, rigid = case(network, limits, gbps, smallest=1), case(network, limits, gbps)
    for name, options in (("fifo", {}), *((n, {"holds": h}) for n in ("las", "drf") for h in (False, True))):
        assert run_horizon(elastic if name == "drf" else rigid, (elastic if name == "drf" else rigid).jobs,
                           policy(name, **options), 4).used <= 1  # fmt: skip


@quick
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
