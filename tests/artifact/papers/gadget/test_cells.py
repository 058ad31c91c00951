"""Cells of GADGET's evaluation, its guarantees and settings."""

from artifact.papers.gadget.cells import measure, points, run_cell
from artifact.papers.gadget.choices import GADGET_STATED, network_in, settings_in
from artifact.papers.gadget.figures.evaluation import guarantee_table
from artifact.papers.gadget.instance import fig4_network, instance
from artifact.run.settings import configuration, section_of, settings_of

SMALL = {"seeds": 1, "readings": ["fitted", "stated"], "jobs": [10], "slot_jobs": [5]}


def settings(part, **changes):
    """The configuration's, with changes."""
    return settings_of(section_of(configuration(), "gadget"), part) | changes


def test_no_slot_beats_its_optimum():
    """Fig. 7, both readings: LP above optimum above rounding; a mapping that fits alone never loses a whole slot."""
    frame = run_cell("fig7", "gadget", SMALL)
    values = frame.pivot_table(index="reading", columns="metric", values="value")
    assert set(values.index) == {"fitted", "stated"}
    assert ((values["ratio"] > 0) & (values["ratio"] <= 1)).all()
    assert (values["lp_ilp_rounded"] == 1).all()
    assert (values["nothing"] == 0).all()


def test_guarantees_hold_on_a_few_instances():
    theory = run_cell("theory", "gadget", {"seeds": 3, "jobs": [40]})
    table = guarantee_table(theory, run_cell("fig7", "gadget", SMALL))
    assert len(table) == 5
    assert (table["mean"] >= table["bound"]).all() and (table["least"] <= table["mean"]).all()


def test_settings_change_the_instances_and_nothing_else():
    """The ceiling follows lambda1, arrivals fit into T, and fewer servers are the first ones."""
    given = settings("fig4", jobs=[30], lambda1=[10, 1000], servers=20, T=1)
    (point,) = points("fig4", "gadget", given)
    found = {metric: value for metric, value, _ in measure("fig4", "fifo", point, GADGET_STATED, given, 0)}
    assert found["utility"] <= found["of_ceiling"] * 1000 * 30
    case = instance(0, 30, settings_in(GADGET_STATED, given))
    assert case.arrival.max() == 0
    assert (case.jobs.utility.scale >= 10).all()
    assert network_in(GADGET_STATED, "fig4", 0, 0.0, 20).capacity.tolist() == fig4_network(0).capacity[:20].tolist()
