"""Placements and batches that were not measured: the nearest measurements, and the seconds that rest on them."""

from dataclasses import replace

import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import DecisionError
from rarlib.simulator.engine import simulate
from tests.cost.goodput.test_contention import LAUNCH_S, SLOWDOWN, Follower, iterations, rigid

FOUR = Cluster.parse("t4:8x4")
APART: Placement = ((0, 1), (1, 1), (2, 1), (3, 1))
PAIRS: Placement = ((4, 2), (5, 2))


def test_a_gang_on_four_servers_takes_as_long_as_on_two(toy: Profiles) -> None:
    """Four GPUs were measured as (4) and (2, 2); of these, two servers are nearer to four. 24/4 = 6 samples each.

    (2, 2): 0.1 + 0.06 to compute, 0.05 x 3 + 0.2 to exchange. The other gang runs on (2, 2) itself.
    """
    run = simulate(rigid(2), FOUR, Follower([APART, PAIRS]), GoodputCost(toy))
    took = SLOWDOWN * iterations(24) * (0.1 + 0.06 + 0.05 * 3 + 0.2)
    assert run.finish_s == pytest.approx(LAUNCH_S + took, rel=1e-12)
    assert run.counters["unmeasured_s"] == pytest.approx(took, rel=1e-9)


def test_without_the_rule_the_run_ends_there(toy: Profiles) -> None:
    strict = replace(GoodputCost(toy), extended=False)
    with pytest.raises(DecisionError, match=r"bert was not measured on GPUs \(1, 1, 1, 1\) of type t4"):
        simulate(rigid(), FOUR, Follower([APART]), strict)
