"""Cells of GADGET's evaluation, its calibration and its claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.model.errors import InputError
from rarlib.papers.gadget.calibration import guarantee_table, published_distances, utility_ratios
from rarlib.papers.gadget.cells import measure, points, run_cell
from rarlib.records.tidy import TIDY_COLUMNS

ROOT = Path(__file__).parents[3]
SMALL = {"seeds": 1, "jobs": [10], "slot_jobs": [5]}


def test_the_same_cell_twice_is_the_same_table():
    """Everything random hangs on the seed; a second run must not differ in a digit."""
    first, second = (run_cell("fig7", "gadget", SMALL) for _ in range(2))
    assert list(first.columns) == TIDY_COLUMNS
    pd.testing.assert_frame_equal(first, second)


def test_no_slot_beats_its_optimum():
    """Fig. 7, every reading: LP above optimum above rounding; a mapping that fits alone never loses a whole slot."""
    frame = run_cell("fig7", "gadget", SMALL)
    values = frame.pivot_table(index="reading", columns="metric", values="value")
    assert set(values.index) == {"headline", "smooth", "batch-smooth", "unfit"}
    assert ((values["ratio"] > 0) & (values["ratio"] <= 1)).all()
    assert (values["lp_ilp_rounded"] == 1).all()
    assert (values.loc[values.index != "unfit", "nothing"] == 0).all()


def test_readings_of_the_calibration_start_from_the_headline(tmp_path):
    """What changes nothing for a policy gives the numbers of Fig. 4; `holds` changes LAS, `capped` FIFO."""
    times = "".join(f"{60 * i},1,60\n" for i in range(120))
    (tmp_path / "trace.csv").write_text("submit_s,gpus,duration_s\n" + times)
    settings = {"seeds": 1, "jobs": [100]}
    for policy, reading in (("fifo", "capped"), ("las", "holds")):
        other = run_cell("calibration", policy, settings, tmp_path / "trace.csv")
        assert {"iterations", "trace-arrivals", reading} <= set(other["reading"])
        headline = run_cell("fig4", policy, settings)
        pick = lambda frame: frame[frame["metric"] == "utility"].set_index("seed")["value"]  # noqa: E731
        assert (pick(other[other["reading"] == reading]) != pick(headline)).all()


def test_arrivals_of_a_trace_need_the_trace():
    """The pipeline hands it over; without it the cell says so."""
    with pytest.raises(InputError, match="trace"):
        run_cell("calibration", "fifo", SMALL)


def test_utility_stays_below_the_sum_of_priorities():
    """And the share of it is what `of_ceiling` says."""
    frame = run_cell("fig4", "gadget", SMALL)
    value = frame.set_index("metric")["value"]
    assert 0 < value["of_ceiling"] <= 1
    assert value["lp_above_rounded"] == 1
    priorities = value["utility"] / value["of_ceiling"]
    assert priorities == pytest.approx(round(priorities))


def test_more_gpus_embed_no_fewer_jobs():
    """Fig. 5 at one and at four units, all jobs from the first slot."""
    wanted = {p.setup: p for p in points("fig5", "gadget", [60]) if p.reading == "batch"}
    few, many = ({m: v for m, v, _ in measure("fig5", "gadget", wanted[f], 0)}["embedded"] for f in "14")
    assert few < many <= 100


@pytest.mark.parametrize(
    ("part", "policy", "rule"),
    [("fig8", "gadget", "unknown table"), ("fig5", "drf", "about gadget"), ("fig4", "sjf", "gadget, fifo, drf, las")],
)
def test_cells_that_do_not_exist(part, policy, rule):
    """A typo in the configuration is told, with what is known."""
    with pytest.raises(InputError, match=rule):
        list(points(part, policy, [40]))


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
