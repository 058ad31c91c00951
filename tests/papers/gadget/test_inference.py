"""The cheap runs behind the search over unstated parameters, against full runs."""

import numpy as np
import pytest

from rarlib.allocate.rings import RESERVED
from rarlib.discovery import make_scheduler
from rarlib.model.seeds import stream
from rarlib.model.unknowns import draw_parameters
from rarlib.papers.gadget.cells import run_cell
from rarlib.papers.gadget.inference import UNKNOWNS, outcomes
from rarlib.papers.gadget.instance import READINGS, instance
from rarlib.papers.gadget.pooled import pooled_utility
from rarlib.papers.gadget.slots import play_slots, run_horizon
from rarlib.schedulers.gadget_parts.stated import Stated

PLAIN = {
    "slope": 1.0, "slower": 1.0, "budget": "worker-slots", "arrivals": "poisson", "capped": False, "drf holds": False,
    "las holds": False, "fills": True, "least lambda1": 1, "anywhere": True, "servers": "stated", "edge GPUs": 4.0,
    "edge unit": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("reading", ["headline", "iterations", "slower-20", "batch"])
@pytest.mark.parametrize(("policy", "holds"), [("fifo", False), ("drf", False), ("drf", True), ("las", True)])
def test_one_pool_is_as_good_as_servers_and_links(reading, policy, holds):
    """Totals of the baselines within 3 % of full runs, placement and links included."""
    case = instance(1, 100, READINGS[reading])
    more = {} if policy == "fifo" else {"slot_s": 1.0, "holds": holds}
    jobs = case.jobs if policy == "drf" else case.gangs
    full = run_horizon(case, jobs, make_scheduler(policy, {"placement": RESERVED} | more)).utility.sum()
    assert pooled_utility(case, policy, holds=holds)[0] == pytest.approx(full, rel=0.03)


@pytest.mark.parametrize("reading", ["headline", "batch", "smooth"])
@pytest.mark.parametrize("fills", [False, True])
def test_gadget_in_one_pool(reading, fills):
    """Alg. 2 with its programs and roundings against the largest gains first: totals within 5 %."""
    case = instance(2, 60, READINGS[reading])
    full = play_slots(case, Stated(case.jobs, stream(2, "pool"), fills=fills)).utility.sum()
    assert pooled_utility(case, "gadget", fills=fills)[0] == pytest.approx(full, rel=0.05)


def test_a_draw_gives_every_number_of_figures_4_to_6():
    """52 ids; the ratios are quotients of the totals; what needs no filling embeds nearly nothing without it."""
    found = outcomes(PLAIN)
    assert sorted(found) == sorted(
        [f"gadget-{k:03d}" for k in range(48, 96)] + [f"gadget-{k}" for k in range(395, 399)]
    )
    assert found["gadget-395"] == found["gadget-048"] / found["gadget-050"]
    assert found["gadget-064"] > found["gadget-079"]
    bare = outcomes(PLAIN | {"fills": False})
    assert max(bare[f"gadget-{k:03d}"] for k in range(64, 96)) < 2.0


def test_larger_priorities_raise_totals():
    """lambda1 from 60 instead of 1: more than half again in the mean."""
    low, high = outcomes(PLAIN), outcomes(PLAIN | {"least lambda1": 60})
    assert high["gadget-060"] > 1.4 * low["gadget-060"]


def test_draws_are_the_same_every_time():
    """And they cover every choice."""
    first, second = (run_cell("inference", "all", {"draws": 20}) for _ in range(2))
    assert first.equals(second)
    assert set(first["metric"]) >= {f"param:{unknown.name}" for unknown in UNKNOWNS}
    assert set(draw_parameters(UNKNOWNS, 20)["fills"]) == {False, True}
    assert np.isfinite(first["value"]).mean() > 0.9
