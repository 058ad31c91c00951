"""What a reader sees while moving controls is what the cells give for the same instance."""

import pytest

from rarlib.papers.gadget import live
from rarlib.papers.gadget.cells import run_cell

SETTINGS = {"seeds": 1, "readings": ["fitted", "stated"], "jobs": [20], "factors": [1]}


@pytest.mark.parametrize("reading", SETTINGS["readings"])
@pytest.mark.parametrize("policy", live.COMPARED)
def test_totals_are_those_of_figure_4(policy, reading):
    """Utility at the end, mean embedded ratio, share of the GPUs and ceiling."""
    frame = run_cell("fig4", policy, SETTINGS)
    told = frame[frame["reading"] == reading].set_index("metric")["value"]
    slots, ceiling = live.slots_of(policy, 0, 20, reading)
    assert slots["utility"].iloc[-1] == pytest.approx(told["utility"])
    assert told["utility"] / told["of_ceiling"] == pytest.approx(ceiling)
    assert 100 * slots["embedded"].mean() == pytest.approx(told["embedded"])
    assert slots["gpus"].sum() / 200 == pytest.approx(told["gpus_used"])


@pytest.mark.parametrize("reading", SETTINGS["readings"])
def test_embedded_ratios_are_those_of_figure_5(reading):
    """One unit of GPUs."""
    frame = run_cell("fig5", "gadget", SETTINGS | {"jobs": [60]})
    told = frame[(frame["reading"] == reading) & (frame["metric"] == "embedded")]["value"].iloc[0]
    slots, _ = live.slots_of("gadget", 0, 60, reading, "fig5", 1.0)
    assert 100 * slots["embedded"].mean() == pytest.approx(told)
