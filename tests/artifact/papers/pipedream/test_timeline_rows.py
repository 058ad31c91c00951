"""The table behind the timelines says what the simulation said, and reads back as it was."""

import pytest

from artifact.papers.pipedream.timeline import pictured, timeline_rows
from rarlib.pipeline.profiles import to_json
from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.pipeline.zoo.models import profile
from rarlib.plot import timeline
from rarlib.records.tidy import TIDY_COLUMNS, read_table, write_table

MINIBATCHES, RATE = 16, 1.25e9


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
