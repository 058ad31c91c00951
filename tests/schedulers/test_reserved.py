"""Schedulers on reserved bandwidth: what they refuse, and slots without it."""

import pytest
from toys import Cost, jobs_of, times

from rarlib.cost.reserved import ReservedCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.simulator.engine import simulate


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
    """An option that would be passed over in silence is refused."""
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
