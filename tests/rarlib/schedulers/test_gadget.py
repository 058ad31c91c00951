"""GADGET as a scheduler: schedules on paper, staying in place, and whole runs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import intervals, jobs_of, times

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget import UTILITIES, Gadget
from rarlib.simulator.engine import simulate


def test_slots_by_hand() -> None:
    """On 2 GPUs in slots of 10 s; a and b are rigid, c comes inside a slot and waits for the next one.

    At 20 a's square root has grown flat (20 to 30 s: 1.0) beside b's and c's (0 to 10 s: 3.2), so it stops.

    t  0    1    2    3    4
    a  1    1    .    1
    b  .    .    1             (comes at 12)
    c  .    .    1             (comes at 15)
    """
    rows = [(0, 2, 30), (12, 1, 10), (15, 1, 10)]
    run = simulate(jobs_of(rows), Cluster.of([2]), Gadget(slot_s=10), TraceCost())
    assert times(run) == [(0, 40), (20, 30), (20, 30)]
    assert intervals(run) == [(0, 0, 20, 0, 2), (0, 30, 40, 0, 2), (1, 20, 30, 0, 1), (2, 20, 30, 0, 1)]


@given(st.integers(0, 10**6), st.sampled_from(UTILITIES), st.booleans(), st.booleans())
@settings(max_examples=25)
def test_every_run_ends_and_keeps_its_reservations(seed: int, utility: str, fills: bool, elastic: bool) -> None:
    """The simulator checks GPUs and identities; bandwidth is checked here, at every change."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    gpus = rng.integers(1, 6, n)
    limits = {"min_gpus": np.maximum(gpus // 2, 1), "max_gpus": gpus + rng.integers(0, 3, n)} if elastic else {}
    jobs = Jobs.build(submit_s=rng.uniform(0, 300, n), gpus=gpus, duration_s=rng.uniform(0, 200, n), **limits)
    cluster = Cluster.of(rng.integers(2, 5, 4))
    scheduler = Gadget(utility=utility, slot_s=20, gbps=4.0, fill=fills)
    run = simulate(jobs, cluster, scheduler, RingCost(), restart_s=1.0, seed=seed)
    assert run.finished.all()
    assert (run.alloc_start % 20 == 0).all()
    network = TreeNetwork.of(cluster)
    for now in np.unique(run.alloc_start):
        live = (run.alloc_start <= now) & (now < run.alloc_end)
        workers = np.zeros((n, cluster.nodes), np.int64)
        workers[run.alloc_job[live], run.alloc_node[live]] = run.alloc_gpus[live]
        loads = network.loads(workers, np.ones((n, 1)), np.full(n, 4.0))
        assert (loads.node <= network.capacity).all()
        assert (loads.link <= network.link_gbps).all()
        assert (loads.uplink <= network.rack_gbps).all()


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"utility": "cubic"}, "field utility: must be one of sqrt, log, quadratic, sigmoid, found 'cubic'"),
        ({"slot_s": 0.0}, "field slot_s: must be at least 0.001"),
    ],
)
def test_bad_parameters(options: dict, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        Gadget(**options)


def test_reservations_that_no_link_grants() -> None:
    """Above every link, and above the uplink that a large gang would need: both would wait for ever."""
    jobs = jobs_of([(0, 3, 10)])
    with pytest.raises(InputError, match="more bandwidth than any server's link has"):
        simulate(jobs, Cluster.of([2, 2]), Gadget(gbps=11), TraceCost())
    split = Cluster(
        np.array([2, 2]), ("gpu", "gpu"), np.array([0, 1]), np.ones(2), 10.0, np.array([1.0, 1.0]), "two racks"
    )
    with pytest.raises(InputError, match=r"no ring of 3 GPUs for job 0 finds 2\.5 Gbit/s"):
        simulate(jobs, split, Gadget(gbps=2.5), TraceCost())
    assert simulate(jobs, split, Gadget(), TraceCost()).finished.all()  # a quarter of the narrowest link is there
