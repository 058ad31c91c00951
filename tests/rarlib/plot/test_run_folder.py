"""Pictures of a run show what its tables say."""

import pandas as pd
import pytest
from matplotlib.collections import PatchCollection

from rarlib.plot import run_folder, waiting

ROWS = pd.DataFrame(
    [("a", 0, 400, 0, 2, 1), ("b", 0, 300, 1, 1, 1), ("c", 300, 600, 1, 1, 1), ("d", 400, 700, 0, 1, 2),
     ("d", 400, 700, 1, 1, 2)],
    columns=["job_id", "start_s", "end_s", "node", "gpus", "servers"],
)  # fmt: skip
LABELS = {"wait_gpus_s": "waiting for GPUs", "contention_s": "contention", "running_s": "running"}


def test_window_shows_what_is_held_in_it(ax):
    run_folder.window(ax, ROWS, [2, 2], 200.0, 500.0)
    areas = {}
    for collection in ax.collections:
        assert isinstance(collection, PatchCollection)
        boxes = [path.get_extents() for path in collection.get_paths()]
        areas[collection.get_linewidth()[0]] = sum(box.width * box.height for box in boxes)
        assert all(200.0 <= box.x0 < box.x1 <= 500.0 for box in boxes)
    assert list(areas.values()) == [400.0 + 100.0 + 200.0, 200.0]  # on one server, spanning (dark edges)
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c", "d"}


def test_bars_are_as_long_as_the_turnaround(ax):
    """Parts that are nowhere above zero have no place in the legend."""
    table = pd.DataFrame({"wait_gpus_s": [10.0, 30.0], "contention_s": [0.0, 0.0], "running_s": [5.0, 15.0]})
    waiting.breakdown(ax, {"one": table, "two": table[:1]}, LABELS)
    assert [sum(box[i].get_width() for box in ax.containers) for i in (0, 1)] == [30.0, 15.0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["waiting for GPUs", "running"]


def test_a_job_card_colours_every_second():
    """The strip on top runs from submission to finish; a job that never waited has no holders to show."""
    story = pd.DataFrame(
        [(60.0, 120.0, "wait_gpus_s", 0), (120.0, 180.0, "holding", 2)],
        columns=["start_s", "end_s", "part", "servers"],
    )
    levels = pd.DataFrame({"time_s": [0.0, 120.0, 180.0], "free_gpus": [1, 0, 4]})
    holders = pd.DataFrame({"job_id": ["b"], "share": [0.75], "later": [True]})
    figure = waiting.job_card("a", 2, story, levels, holders, LABELS)
    top, _, bottom = figure.axes
    assert sum(patch.get_extents().width for patch in top.patches) == pytest.approx(top.get_window_extent().width)
    assert [text.get_text() for text in top.get_legend().get_texts()] == ["waiting for GPUs", "holding GPUs"]
    assert [tick.get_text() for tick in bottom.get_yticklabels()] == ["job b (submitted later)"]
    assert not waiting.job_card("a", 2, story, levels, holders[:0], LABELS).axes[2].axison
