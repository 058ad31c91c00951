"""Draws of what is open: with the choices of a reading a draw gives the reading's numbers."""

import json

import pytest

from artifact.papers.pipedream.cells import run_cell
from artifact.papers.pipedream.choices import PIPEDREAM_READINGS, Machines
from artifact.papers.pipedream.inference import FLUSHED, HYBRID, LEAST_FLUSHED, SAVED, SPEEDUPS, UNPIPELINED, Bench
from artifact.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1
from rarlib.pipeline.graph import Layer, LayerGraph, to_json


@pytest.fixture(scope="module")
def profiles():
    layers = [Layer(f"l{at}", "", 0.01, 0.02, 1e6, 4e6 if at < 17 else 4e8) for at in range(18)]
    chain = {"kind": "measured", **to_json(LayerGraph.chain(layers))}
    return {row.profile: chain for rows in TABLE_1.values() for row in rows}


@pytest.mark.parametrize("reading", PIPEDREAM_READINGS)
def test_the_choices_of_a_reading_give_its_numbers(profiles, tmp_path, reading):
    """Another number of minibatches leads to the same steady state."""
    data = tmp_path / "pipedream.json"
    data.write_text(json.dumps(profiles))
    found = Bench(profiles, Machines(memory=1e9)).outcomes(PIPEDREAM_READINGS[reading])
    for part, tables, ids, plan, metric in (
        ("table1", TABLE_1, SPEEDUPS, "printed", "simulated_speedup"),
        ("schedules", SCHEDULE_ROWS, UNPIPELINED, "printed", "over_model_parallel"),
        ("schedules", SCHEDULE_ROWS, HYBRID, "printed", "over_unpipelined"),
        ("schedules", SCHEDULE_ROWS, FLUSHED, "gpipe-noam", "loss_percent"),
        ("schedules", SCHEDULE_ROWS, LEAST_FLUSHED, "gpipe-largest", "loss_percent"),
        ("schedules", SCHEDULE_ROWS, SAVED, "printed", "bytes_saved_percent"),
    ):
        for model in (model for model, rows in tables.items() if {row.label for row in rows} & set(ids)):
            frame = run_cell(part, model, {"memory_bytes": 1e9, "readings": [reading]}, data)
            told = frame[(frame["x"] == plan) & (frame["metric"] == metric)].set_index("setup")["value"]
            for label in set(told.index) & set(ids):
                assert found[ids[label]] == pytest.approx(told[label], rel=2e-2, abs=0.5), label
