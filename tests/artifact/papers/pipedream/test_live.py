"""What a reader sees while moving controls is what the cells give for the same settings."""

import json

import pytest

from artifact.papers.pipedream import live
from artifact.papers.pipedream.cells import run_cell
from rarlib.pipeline.graph import to_json


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The profiles that the live functions use, as the cells read them."""
    names = {row.profile for row in live.ROWS_BY_LABEL.values()}
    path = tmp_path_factory.mktemp("profiles") / "pipedream.json"
    path.write_text(json.dumps({n: {"kind": "any", **to_json(live.profile_of(n).graph)} for n in sorted(names)}))
    return path


def value(frame, **wanted):
    for column, each in wanted.items():
        frame = frame[frame[column] == each]
    return float(frame["value"].iloc[0])


def test_a_choice_and_its_speedup(data):
    """At the nominal rate the planner as published chooses and gains what plan `flat` does as stated."""
    frame, row = run_cell("table1", "vgg-16", {"readings": ["stated"]}, data), "VGG-16 4x4 A"
    found = live.speedups(row, "as published").loc[1.0]
    same = {"frame": frame, "setup": row, "metric": "simulated_speedup"}
    assert found["chosen"] == pytest.approx(value(x="flat", **same))
    assert found["printed"] == pytest.approx(value(x="printed", **same))


def test_loss_to_flushes(data):
    """At depth NOAM and nominal rates it is the one as stated."""
    frame = run_cell("schedules", "gnmt-8", {"memory_bytes": 16e9, "readings": ["stated"]}, data)
    losses, noam = live.flush_losses("GNMT-8 3x4 A", 1.0, recompute=False)
    told = value(frame, setup="GNMT-8 3x4 A", x="gpipe-noam", metric="loss_percent")
    assert losses[noam] == pytest.approx(told)
    assert (live.flush_losses("GNMT-8 3x4 A", 1.0, recompute=True)[0] >= losses).all()


def test_timeline(data):
    """Four workers at 10 Gbit/s are the table's."""
    settings = {"workers": 4, "rate": 1.25e9, "minibatches": 16, "extra": 0, "flush": None}
    table = run_cell("timeline", "gpipe", settings, data)
    shown = live.timeline_of("GNMT-8", "gpipe", 10, 0)
    assert shown["value"].tolist() == table[table["setup"] == shown["setup"].iloc[0]]["value"].tolist()
