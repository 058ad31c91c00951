"""The Gantt chart shows what the table says."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

from rarlib.arena.figures import hour
from rarlib.plot.gantt import HATCH, gantt
from rarlib.plot.lanes import gpu_lanes
from rarlib.plot.run_folder import window

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


def test_areas_names_and_hatches():
    """Area is what a reader compares, hatches tell who may share a link."""
    figure, ax = plt.subplots()
    gantt(ax, ROWS, [2, 2])
    boxes = [patch for patch in ax.patches if patch.get_height() == 1]
    assert sum(box.get_width() for box in boxes) == (ROWS["gpus"] * (ROWS["end_s"] - ROWS["start_s"])).sum()
    assert sum(box.get_hatch() == HATCH for box in boxes) == 2
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c", "d", "7"}
    plt.close(figure)


SIZES = [3, 2]


@st.composite
def schedules(draw):
    """A long job and up to 40 gangs beside and after it, on two servers, most of them without a gap."""
    free, rows = [[1000.0, 0.0, 0.0], [0.0, 0.0]], [("one", 0, 0, 1, 0.0, 1000.0, 1)]
    for job in range(1, draw(st.integers(12, 40))):
        node = draw(st.sampled_from([0, 1]))
        gpus, length = draw(st.integers(1, SIZES[node])), draw(st.integers(1, 4)) + job / 100  # unlike any other
        lanes = sorted(range(SIZES[node]), key=lambda lane: free[node][lane])[:gpus]
        start = max(free[node][lane] for lane in lanes) + draw(st.sampled_from([0.0, 0.0, 0.001, 2.0]))
        for lane in lanes:
            free[node][lane] = start + length
        rows.append((draw(st.sampled_from(["one", "two"])), job, node, gpus, start, start + length, 1))
    return pd.DataFrame(rows, columns=["scheduler", "job_id", "node", "gpus", "start_s", "end_s", "servers"])


def drawn_boxes(ax):
    """Boxes and colours on the axes, without the grey grounds of servers."""
    lone = [(p.get_bbox(), p.get_facecolor()) for p in ax.patches if isinstance(p, Rectangle) and p.get_zorder() > 0]
    sets = [group for group in ax.collections if isinstance(group, PatchCollection)]
    faces = [(path.get_extents(), c) for g in sets for path, c in zip(g.get_paths(), g.get_facecolors(), strict=True)]
    return [(np.array([box.x0, box.x1, box.y0, box.y1]), tuple(colour[:3])) for box, colour in lone + faces]


def alike_neighbours(ax):
    """Boxes of two jobs that share an edge and a colour; a gap of a thousandth cannot be seen."""
    found = drawn_boxes(ax)
    for at, (one, colour) in enumerate(found):
        for other, second in found[:at]:
            across = min(one[1], other[1]) - max(one[0], other[0])
            down = min(one[3], other[3]) - max(one[2], other[2])
            touch = (across > 1e-6 and abs(down) < 1e-6) or (abs(across) < 0.002 and down > 1e-6)
            if touch and colour == second and not np.allclose(one[:2], other[:2]):  # each job has its own start and end
                yield one, other


@settings(deadline=None, max_examples=25)
@given(rows=schedules())
def test_jobs_side_by_side_never_share_a_colour(rows):
    """They would look like one job; in every kind of Gantt chart, whose colours repeat after ten jobs."""
    _, (plain, timed) = plt.subplots(1, 2)
    gantt(plain, rows, SIZES)
    window(timed, rows, SIZES, 0.0, float(rows["end_s"].max()))
    both = hour.hour(rows, pd.DataFrame({"type": ["a", "b"], "gpus": SIZES}), ["one", "two"])
    alike = [pair for ax in (plain, timed, *both.axes) for pair in alike_neighbours(ax)]
    plt.close("all")
    assert alike == []
