"""The Gantt chart shows what the table says."""

import pandas as pd
import pytest

from rarlib.plot.gantt import HATCH, gantt
from rarlib.plot.lanes import gpu_lanes

ROWS = pd.DataFrame(
    [("a", 0, 4, 0, 2), ("b", 0, 3, 1, 1), ("c", 3, 6, 1, 1), ("d", 4, 7, 0, 1), ("d", 4, 7, 1, 1)],
    columns=["job_id", "start_s", "end_s", "node", "gpus"],
)


def test_every_gpu_serves_one_job_at_a_time():
    """Lanes are made up from counts; two jobs on one lane would show a schedule that does not exist."""
    held = {}
    for job, node, gpu, start, end in gpu_lanes(ROWS, [2, 2]):
        for time in range(start, end):
            assert held.setdefault((node, gpu, time), job) == job
    assert len(held) == (ROWS["gpus"] * (ROWS["end_s"] - ROWS["start_s"])).sum()


def test_too_many_gpus_on_a_server_is_an_error():
    with pytest.raises(ValueError, match="server 0"):
        list(gpu_lanes(ROWS, [1, 2]))


def test_areas_names_and_hatches(ax):
    """Area is what a reader compares, hatches tell who may share a link."""
    gantt(ax, ROWS, [2, 2])
    boxes = [patch for patch in ax.patches if patch.get_height() == 1]
    assert sum(box.get_width() for box in boxes) == (ROWS["gpus"] * (ROWS["end_s"] - ROWS["start_s"])).sum()
    assert sum(box.get_hatch() == HATCH for box in boxes) == 2
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c", "d", "7"}
