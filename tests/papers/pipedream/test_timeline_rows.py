"""The table behind the timelines says what the simulation said, and reads back as it was."""

import pandas as pd
import pytest

from rarlib.papers.pipedream.timeline import pictured, timeline_rows
from rarlib.pipeline.profiles import to_json
from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.pipeline.zoo.models import profile
from rarlib.plot import timeline
from rarlib.records.tidy import TIDY_COLUMNS, read_table, write_table

MINIBATCHES, RATE = 16, 1.25e9
SCHEDULES = ("1f1b", "1f1b-full", "gpipe", "model-parallel")


@pytest.fixture(scope="module")
def plans():
    graphs = {"pipedream-vgg16": profile("vgg16", 64), "pipedream-gnmt": profile("gnmt")}
    return pictured({name: to_json(graph) for name, graph in graphs.items()}, 4, RATE)


def test_written_and_read_back(plans, tmp_path):
    """Every operation of the run, at its time."""
    rows = timeline_rows("1f1b", plans, MINIBATCHES)
    assert list(rows.columns) == TIDY_COLUMNS
    write_table(rows, tmp_path / "t.csv")
    table = read_table(tmp_path / "t.csv")
    own = table[(table["setup"] == "VGG-16, 3-1") & ~table["reading"].isin(["memory", "summary"])]
    expected = simulate_pipeline(Pipeline.of(plans["VGG-16"]), one_f_one_b([3, 1], MINIBATCHES)).operations()
    keys = ["stage", "replica", "minibatch", "version", "kind"]
    found = timeline.spread(own).set_index(keys).sort_index()
    expected = expected.assign(kind=expected["kind"].astype(str)).set_index(keys).sort_index()
    assert found.index.tolist() == expected.index.tolist()
    assert found["start_s"].tolist() == pytest.approx(expected["start_s"].tolist(), rel=1e-9)
    assert found["end_s"].tolist() == pytest.approx(expected["end_s"].tolist(), rel=1e-9)


def test_paces_stand_in_the_order_of_theory(plans):
    """1F1B that hides its transfers runs at the floor; flushes and waiting cost time."""
    rows = pd.concat([timeline_rows(schedule, plans, MINIBATCHES) for schedule in SCHEDULES])
    pace = rows[rows["metric"] == "period_s"].pivot(index="setup", columns="scheduler", values="value")
    for setup, plan in (("VGG-16, 3-1", plans["VGG-16"]), ("GNMT-8, 1-1-1-1", plans["GNMT-8"])):
        row = pace.loc[setup]
        assert row["1f1b-full"] == pytest.approx(Pipeline.of(plan).floor_s, rel=1e-6)
        assert row["1f1b-full"] <= row["1f1b"] * (1 + 1e-9)
        assert row["1f1b"] < row["gpipe"] < row["model-parallel"]


def test_extra_minibatches_reach_the_floor_and_cost_memory(plans):
    """More in flight: never slower, more memory; as many as transfers need: the pace of the slowest stage."""
    made = {extra: timeline_rows("1f1b", plans, MINIBATCHES, extra=extra) for extra in (-1, 0, 2)}
    pace = {extra: _metric(rows, "summary", "period_s") for extra, rows in made.items()}
    assert pace[2] <= pace[0] * (1 + 1e-9) <= pace[-1] * (1 + 1e-9)
    assert pace[2] == pytest.approx(Pipeline.of(plans["GNMT-8"]).floor_s, rel=1e-6)
    assert (
        _metric(made[-1], "memory", "bytes") < _metric(made[0], "memory", "bytes") < _metric(made[2], "memory", "bytes")
    )


def _metric(rows, reading, metric):
    """The largest value of GNMT-8."""
    own = rows[rows["setup"].str.startswith("GNMT-8") & (rows["reading"] == reading) & (rows["metric"] == metric)]
    return own["value"].max()
