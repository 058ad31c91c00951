"""Timelines from small runs: what is drawn is what the frame says."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import Rectangle

from rarlib.pipeline.schedule import gpipe, model_parallel, one_f_one_b
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


def test_nothing_is_drawn_that_begins_after_the_cut(ax, run):
    """A cut picture shows the start of the run only."""
    timeline.draw_operations(ax, run.operations(), 5.0)
    assert all(left < 5.0 for left, *_ in bars(ax))


def test_transfers_run_from_sender_to_receiver(ax):
    """One minibatch down and back: two lines between the two lanes."""
    ops = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [1, 1], transfer_s=2), one_f_one_b([1, 1], 1)).operations()
    timeline.draw_operations(ax, ops, 100.0)
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert lines == [([1, 3], [0, 1]), ([5, 7], [1, 0])]


def test_phases_of_1f1b():
    """Four workers of the paper's picture: the first backward of the input stage begins at 10."""
    ops = simulate_pipeline(Pipeline.build([1] * 4, [1] * 4, [2] * 4), one_f_one_b([1] * 4, 8)).operations()
    entry = ops[ops["stage"] == 0]
    admitted = entry.loc[entry["kind"] == "forward", "end_s"].max()
    assert timeline.start_up(ops) == [("start-up", 10.0), ("steady state", admitted), ("drain", ops["end_s"].max())]


def test_phases_of_gpipe():
    """Each flush ends when the input stage has finished its last backward pass."""
    ops = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [2, 2]), gpipe([1, 1], 4, 2)).operations()
    assert timeline.flushes(ops) == [("flush 1", 9.0), ("flush 2", 18.0)]


def test_memory_is_that_of_the_frame(ax, run):
    """In gigabytes, one line per stage."""
    memory = run.memory()
    timeline.draw_memory(ax, memory, 100.0)
    assert ax.get_ylabel() == "memory (GB)"
    for stage, line in enumerate(ax.lines):
        own = memory[(memory["stage"] == stage) & (memory["replica"] == 0)]
        assert max(line.get_ydata()) <= own["bytes"].max() / 1e9
        assert line.get_ydata()[-1] == own["bytes"].iloc[-1] / 1e9


def test_minibatches_in_flight_where_sizes_are_unknown(ax):
    """A line at 0 GB would say that nothing is kept."""
    run = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [2, 2]), one_f_one_b([1, 1], 4))
    timeline.draw_memory(ax, run.memory(), 100.0)
    assert ax.get_ylabel() == "in flight"
    assert max(ax.lines[0].get_ydata()) == 2


def test_schedules_share_their_axes(run):
    """Each has its memory below; pipelines side by side have axes of their own."""
    other = simulate_pipeline(PIPELINE, model_parallel([2, 1], 6))
    ops = run.operations()
    first = timeline.Panel("1F1B", ops, run.memory(), timeline.start_up(ops))
    second = timeline.Panel("model parallelism", other.operations(), other.memory())
    figure = timeline.timelines([[first, second], [first, second]], [30.0, 20.0])
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes[::2]]  # where is a matter of the style
    assert titles == ["1F1B", "", "model parallelism", ""]
    assert [ax.get_xlim() for ax in figure.axes[:2]] == [(0.0, 30.0), (0.0, 20.0)]
    assert figure.axes[2].get_ylim() == figure.axes[6].get_ylim()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["forward pass of a minibatch", "backward pass", "transfer", "exchange of gradients"]
    plt.close(figure)
