"""Cells of GADGET's evaluation, its calibration and its claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.model.errors import InputError
from rarlib.papers.gadget.calibration import guarantee_table, published_distances, utility_ratios
from rarlib.papers.gadget.cells import measure, points, run_cell
from rarlib.papers.gadget.instance import Reading, fig4_network, instance
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.workflow.settings import configuration, section_of, settings_of

ROOT = Path(__file__).parents[3]
SMALL = {"seeds": 1, "unfit_seeds": 1, "jobs": [10], "slot_jobs": [5]}


def settings(part, **changes):
    """The configuration's, with changes."""
    return settings_of(section_of(configuration(), "gadget"), part) | changes


def test_the_same_cell_twice_is_the_same_table():
    """Everything random hangs on the seed; a second run must not differ in a digit."""
    first, second = (run_cell("fig7", "gadget", SMALL) for _ in range(2))
    assert list(first.columns) == TIDY_COLUMNS
    pd.testing.assert_frame_equal(first, second)


def test_no_slot_beats_its_optimum():
    """Fig. 7, every reading: LP above optimum above rounding; a mapping that fits alone never loses a whole slot."""
    frame = run_cell("fig7", "gadget", SMALL)
    values = frame.pivot_table(index="reading", columns="metric", values="value")
    assert set(values.index) == {"headline", "smooth", "batch-smooth", "gather", "fill-unfit"}
    assert ((values["ratio"] > 0) & (values["ratio"] <= 1)).all()
    assert (values["lp_ilp_rounded"] == 1).all()
    assert (values.loc[values.index != "fill-unfit", "nothing"] == 0).all()


def test_readings_of_the_calibration_start_from_the_headline(tmp_path):
    """`holds` changes LAS, `capped` FIFO; `fill` is a reading of GADGET alone and repeats the rows of the others."""
    times = "".join(f"{60 * i},1,60\n" for i in range(120))
    (tmp_path / "trace.csv").write_text("submit_s,gpus,duration_s\n" + times)
    small = {"seeds": 1, "jobs": [100]}
    for policy, part, reading in (("fifo", "calibration", "capped"), ("las", "fig4", "holds")):
        other = run_cell("calibration", policy, small, tmp_path / "trace.csv")
        assert {"iterations", "fill-iterations", "trace-arrivals"} <= set(other["reading"])
        figure = run_cell("fig4", policy, small)
        other = other if part == "calibration" else figure
        utility = lambda frame, name: frame[(frame["metric"] == "utility") & (frame["reading"] == name)]["value"]  # noqa: E731
        assert (utility(other, reading).to_numpy() != utility(figure, "headline").to_numpy()).all()
        assert utility(figure, "fill").tolist() == utility(figure, "headline").tolist()


def test_arrivals_of_a_trace_need_the_trace():
    """The pipeline hands it over; without it the cell says so."""
    with pytest.raises(InputError, match="trace"):
        run_cell("calibration", "fifo", SMALL)


def test_utility_stays_below_the_sum_of_priorities():
    """And the share of it is what `of_ceiling` says."""
    frame = run_cell("fig4", "gadget", SMALL)
    value = frame[frame["reading"] == "fill"].set_index("metric")["value"]
    assert 0 < value["of_ceiling"] <= 1
    assert value["lp_above_rounded"] == 1
    priorities = value["utility"] / value["of_ceiling"]
    assert priorities == pytest.approx(round(priorities))


def test_more_gpus_embed_no_fewer_jobs():
    """Fig. 5 at one and at four units, all jobs from the first slot."""
    wanted = {p.setup: p for p in points("fig5", "gadget", settings("fig5", jobs=[60])) if p.reading == "fill-batch"}
    few, many = ({m: v for m, v, _ in measure("fig5", "gadget", wanted[f], 0)}["embedded"] for f in "14")
    assert few < many <= 100


def test_every_figure_says_what_alg_2_placed():
    """As printed, all of it; with filling, nearly nothing; where rings lie anywhere, nothing at all."""
    filled = {}
    for point in points("fig5", "gadget", settings("fig5", jobs=[40])):
        if point.setup == "2":
            filled[point.reading] = {m: v for m, v, _ in measure("fig5", "gadget", point, 0)}
    assert {name: found["filled"] for name, found in filled.items() if not name.startswith("fill")} == {
        "headline": 0.0, "scattered": 100.0, "server-sizes": 100.0,
    }  # fmt: skip
    assert 90.0 < filled["fill"]["filled"] < 100.0
    assert filled["headline"]["embedded"] < 2.0
    assert filled["fill"]["embedded"] > 90.0


@pytest.mark.parametrize(
    ("part", "policy", "rule"),
    [("fig8", "gadget", "unknown table"), ("fig5", "drf", "about gadget"), ("fig4", "sjf", "gadget, fifo, drf, las")],
)
def test_cells_that_do_not_exist(part, policy, rule):
    """A typo in the configuration is told, with what is known."""
    with pytest.raises(InputError, match=rule):
        list(points(part, policy, {"jobs": [40], "factors": [1]}))


def _rows(values, **columns):
    """A tidy frame from {(reading, setup, scheduler, x, metric): value by seed}."""
    rows = [(*key, seed, v) for key, by_seed in values.items() for seed, v in enumerate(by_seed)]
    return pd.DataFrame(rows, columns=["reading", "setup", "scheduler", "x", "metric", "seed", "value"])


def _utility(reading, **policies):
    return {(reading, "stated", name, 100.0, "utility"): values for name, values in policies.items()}


PUBLISHED = pd.DataFrame(
    [
        ("gadget", "Fig. 4", "GADGET", "jobs=100", "40"),
        ("gadget", "Fig. 4", "DRF", "jobs=100", "20"),
        ("gadget", "Fig. 4", "Tiresias", "jobs=100", "10"),
        ("gadget", "Fig. 4", "FIFO", "jobs=100", "5"),
        ("gadget", "Fig. 5", "factor=1", "jobs=40", "70"),
        ("gadget", "Fig. 5", "factor=2", "jobs=40", "80"),
        ("other", "Fig. 5", "factor=2", "jobs=40", "1"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def test_ratios_fall_back_on_the_headline():
    """A reading that was not run for a policy is its headline run, seed by seed."""
    fig4 = _rows(_utility("headline", gadget=[8.0, 12.0], drf=[4.0, 4.0], las=[2.0, 2.0], fifo=[1.0, 1.0]))
    other = _rows(_utility("holds", drf=[2.0, 2.0]))
    table = utility_ratios(fig4, other, PUBLISHED)
    assert table.loc["headline", ("drf", "mean")] == pytest.approx(2.5)
    assert table.loc["holds", ("drf", "mean")] == pytest.approx(5.0)
    assert table.loc["holds", ("fifo", "mean")] == pytest.approx(10.0)
    assert table.loc["holds", ("drf", "std")] == pytest.approx(np.sqrt(2))
    assert table.loc["published", ("fifo", "mean")] == 8.0


def test_distances_by_hand():
    """Ours 72 and 76, published 70 and 80: 3 points apart, 1 below."""
    fig5 = _rows(
        {("batch", "1", "gadget", 40.0, "embedded"): [71, 73], ("batch", "2", "gadget", 40.0, "embedded"): [76]}
    )
    table = published_distances({"Fig. 5": fig5}, PUBLISHED)
    assert table.loc[("Fig. 5", "batch")].tolist() == [3.0, -1.0]


def test_guarantees_hold_on_a_few_instances():
    """What the picture shows: every ratio reaches its bound."""
    frame = guarantee_table(run_cell("theory", "gadget", {"seeds": 3, "jobs": [40]}), run_cell("fig7", "gadget", SMALL))
    assert (frame["ratio"] >= frame["bound"]).all()
    assert frame["guarantee"].nunique() == 5


def test_the_configuration_states_the_papers_table_of_settings():
    """Its values are those of `Reading`, which other runs use as they are."""
    assert Reading.of(settings("fig4")) == Reading()


def test_settings_change_the_instances_and_nothing_else():
    """The ceiling follows lambda1, arrivals fit into T, and fewer servers are the first ones."""
    point = next(iter(points("fig4", "gadget", settings("fig4", jobs=[30], lambda1=[10, 1000], servers=20, T=1))))
    found = {metric: value for metric, value, _ in measure("fig4", "fifo", point, 0)}
    assert found["utility"] <= found["of_ceiling"] * 1000 * 30
    assert instance(0, 30, point.case).arrival.max() == 0
    assert (instance(0, 30, point.case).jobs.utility.scale >= 10).all()
    assert point.network("fig4", 0).servers == 20
    assert point.network("fig4", 0).capacity.tolist() == fig4_network(0).capacity[:20].tolist()


def test_smooth_sigmoids_let_alg_2_serve():
    """With the slopes of reading `smooth` in the configuration, the headline is that reading."""
    both = run_cell("fig7", "gadget", settings("fig7", **SMALL, lambda2=[0.001, 0.01]))
    values = both.pivot_table(index="reading", columns="metric", values="value")
    assert values.loc["headline"].equals(values.loc["smooth"])


def test_a_higher_alpha_never_stops_earlier_at_a_worse_rounding():
    """Alg. 2, l. 7: the first rounding worth alpha of the LP; with alpha = 1 the best of u_b."""
    low, high = (
        run_cell("fig7", "gadget", settings("fig7", **SMALL | {"slot_jobs": [40]}, alpha=alpha, u_b=50))
        for alpha in (1 / 3, 1.0)
    )
    worst = [f[(f["reading"] == "batch-smooth") & (f["metric"] == "ratio")]["value"].iloc[0] for f in (low, high)]
    assert worst[1] >= worst[0] - 0.02


@pytest.mark.parametrize(("key", "value"), [("lambda1", [50, 20]), ("lambda2", [0, 0])])
def test_impossible_ranges(key, value):
    """The message names the setting."""
    with pytest.raises(InputError) as error:
        run_cell("fig4", "fifo", settings("fig4", seeds=1, **{key: value}))
    assert error.value.field == key
