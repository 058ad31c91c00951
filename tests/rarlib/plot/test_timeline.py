"""Timelines from small runs: what is drawn is what the frame says."""

import pytest
from matplotlib.patches import Rectangle

from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.plot import timeline

PIPELINE = Pipeline.build([2, 1], [2, 1], [4, 2], transfer_s=1, sync_s=[1, 0], weight_bytes=3e9, stash_bytes=1e9)


@pytest.fixture
def run():
    return simulate_pipeline(PIPELINE, one_f_one_b([2, 1], 6))


def bars(ax):
    """Left, width, lane and hatch of every bar of a worker."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_height() > 0.5]
    return sorted((p.get_x(), p.get_width(), round(p.get_y() + 0.4), p.get_hatch() or "") for p in found)


def test_every_pass_is_a_bar_in_its_workers_lane(ax, run):
    """Forward plain, backward hatched, so that both differ without colour."""
    ops = run.operations()
    timeline.draw_operations(ax, ops, 100.0)
    lanes = {(0, 0): 0, (0, 1): 1, (1, 0): 2}
    passes = ops[ops["kind"].isin(["forward", "backward"])]
    expected = sorted(
        (op.start_s, op.end_s - op.start_s, lanes[op.stage, op.replica], "///" * (op.kind == "backward"))
        for op in passes.itertuples()
    )
    assert bars(ax) == expected
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "stage 0, replica 0",
        "stage 0, replica 1",
        "stage 1",
    ]


def test_a_minibatch_has_one_hue_everywhere(ax, run):
    """Backward bars in full, forward bars lighter."""
    timeline.draw_operations(ax, run.operations(), 100.0)
    numbers = {text.get_text() for text in ax.texts}
    assert numbers == {str(m) for m in range(6)}
    assert len({bar.get_facecolor() for bar in ax.patches if bar.get_hatch()}) == 6


def test_transfers_run_from_sender_to_receiver(ax):
    """One minibatch down and back: two lines between the two lanes."""
    ops = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [1, 1], transfer_s=2), one_f_one_b([1, 1], 1)).operations()
    timeline.draw_operations(ax, ops, 100.0)
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert lines == [([1, 3], [0, 1]), ([5, 7], [1, 0])]
