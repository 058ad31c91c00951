"""The cheap runs behind the search over unstated parameters, against full runs."""

import pytest

from artifact.papers.gadget.cells import run_cell
from artifact.papers.gadget.choices import GADGET_READINGS
from artifact.papers.gadget.inference import outcomes
from artifact.papers.gadget.instance import SOLVER_SEES, instance
from artifact.papers.gadget.pooled import pooled_utility
from artifact.papers.gadget.slots import play_slots, run_horizon
from rarlib.allocate.rings import RESERVED
from rarlib.discovery import make_scheduler
from rarlib.model.seeds import stream
from rarlib.schedulers.gadget_parts.stated import Stated
from tests.artifact.papers.gadget.cases import CASES


@pytest.mark.parametrize("reading", ["printed", "iterations", "slower-20", "batch"])
@pytest.mark.parametrize(("policy", "holds"), [("fifo", False), ("drf", False), ("drf", True), ("las", True)])
def test_one_pool_is_as_good_as_servers_and_links(reading, policy, holds):
    """Totals of the baselines within 3 % of full runs, placement and links included."""
    case = instance(1, 100, CASES[reading])
    more = {} if policy == "fifo" else {"slot_s": 1.0, "holds": holds}
    jobs = case.jobs if policy == "drf" else case.gangs
    full = run_horizon(case, jobs, make_scheduler(policy, {"placement": RESERVED} | more)).utility.sum()
    assert pooled_utility(case, policy, holds=holds)[0] == pytest.approx(full, rel=0.03)


@pytest.mark.parametrize("reading", ["printed", "batch", "smooth"])
@pytest.mark.parametrize("exact", [False, True])
def test_gadget_in_one_pool(reading, exact):
    """Alg. 2 with its programs and roundings against the largest gains first: totals within 5 %."""
    case = instance(2, 60, CASES[reading])
    stated = Stated(case.jobs, stream(2, "pool"), least_gain=0.0 if exact else SOLVER_SEES)
    full = play_slots(case, stated).utility.sum()
    assert pooled_utility(case, "gadget", exact=exact)[0] == pytest.approx(full, rel=0.05)


IDS = sorted([f"gadget-{k:03d}" for k in range(48, 96)] + [f"gadget-{k}" for k in range(395, 399)])


@pytest.mark.parametrize("reading", ["fitted"])
def test_outcomes_are_those_of_the_cells(reading):
    """A value of each figure, and what is fitted is the same whether the rest is run or not."""
    values, settings = GADGET_READINGS[reading], {"seeds": 1, "readings": [reading], "jobs": [60], "factors": [2]}
    found = outcomes(values, 0)
    assert sorted(found) == sorted([*IDS, "alive"]) and 0.0 <= found["alive"] <= 1.0
    fitted = outcomes(values, 0, only_fitted=True)
    assert {name: found[name] for name in fitted} == fitted
    wanted = {"gadget-054": ("fig4", "drf", "utility"), "gadget-055": ("fig4", "las", "utility"),
              "gadget-073": ("fig5", "gadget", "embedded"), "gadget-085": ("fig6", "gadget", "embedded")}  # fmt: skip
    for name, (part, member, metric) in wanted.items():
        frame = run_cell(part, member, settings)
        assert frame[frame["metric"] == metric]["value"].item() == pytest.approx(found[name])
