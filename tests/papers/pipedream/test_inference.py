"""Draws of unstated parameters: at the headline's parameters a draw gives the headline's numbers."""

import json

import pytest

from rarlib.model.unknowns import PARAMETER_PREFIX
from rarlib.papers.pipedream.cells import run_cell
from rarlib.papers.pipedream.inference import FLUSHED, SAVED, SPEEDUPS, UNKNOWNS, UNPIPELINED, Bench, inference_rows
from rarlib.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.graph_json import to_json

HEADLINE = {
    "between": 1.0, "inside": 1.0, "latency": 0.0, "overlap": True, "one_ring": False, "neighbours": False,
    "cut": "published", "speed": 1.0, "computed": 1.0, "minibatch": 1.0, "recompute": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def profiles():
    layers = [Layer(f"l{at}", "", 0.01, 0.02, 1e6, 4e6 if at < 17 else 4e8) for at in range(18)]
    chain = {"kind": "measured", **to_json(LayerGraph.chain(layers))}
    return {row.profile: chain for rows in TABLE_1.values() for row in rows}


def test_the_headlines_parameters_give_the_headlines_numbers(profiles, tmp_path):
    """Another number of minibatches and another formula for model parallelism lead to the same steady state."""
    data = tmp_path / "pipedream.json"
    data.write_text(json.dumps(profiles))
    found = Bench(profiles).outcomes(HEADLINE)
    for part, tables, ids, reading, metric in (
        ("table1", TABLE_1, SPEEDUPS, "printed", "simulated_speedup"),
        ("schedules", SCHEDULE_ROWS, UNPIPELINED, "printed", "over_model_parallel"),
        ("schedules", SCHEDULE_ROWS, FLUSHED, "gpipe-noam", "loss_percent"),
        ("schedules", SCHEDULE_ROWS, SAVED, "printed", "bytes_saved_percent"),
    ):
        for model in (model for model, rows in tables.items() if {row.label for row in rows} & set(ids)):
            frame = run_cell(part, model, {"memory_bytes": 1e9}, data)
            rows = frame[(frame["reading"] == reading) & (frame["metric"] == metric) & (frame["x_name"] == "")]
            told = rows.set_index("setup")["value"]
            for label in set(told.index) & set(ids):
                assert found[ids[label]] == pytest.approx(told[label], rel=1e-3), label


def test_every_draw_has_its_parameters_and_numbers(profiles):
    table = inference_rows(profiles, 5)
    named = {f"{PARAMETER_PREFIX}{unknown.name}" for unknown in UNKNOWNS}
    ids = {*SPEEDUPS.values(), *UNPIPELINED.values(), *FLUSHED.values(), *SAVED.values(), "pipedream-393"}
    assert table["seed"].unique().tolist() == [0, 1, 2, 3, 4]
    for _, rows in table.groupby("seed"):
        assert set(rows["metric"]) == named | ids
        assert rows["value"].notna().all()
    assert table.equals(inference_rows(profiles, 5))


def test_slower_links_favour_fewer_bytes(profiles):
    """With the same cuts, a pipeline that sends less than data parallelism gains when links get slower."""
    bench = Bench(profiles)
    for cut in ("published", "as-coded"):
        nominal = bench.outcomes({**HEADLINE, "cut": cut})
        slow = bench.outcomes({**HEADLINE, "cut": cut, "between": 0.5, "inside": 0.5})
        for number in SAVED.values():
            assert slow[number] == nominal[number]
        assert slow[SPEEDUPS["VGG-16 4x4 A"]] >= nominal[SPEEDUPS["VGG-16 4x4 A"]]
