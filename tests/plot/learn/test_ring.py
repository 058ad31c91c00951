"""Rings and bars show the numbers of the frame."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from rarlib.plot.learn import ring
from rarlib.plot.learn.split import PART_COLOURS, legend, split_bars


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_sums_writes_each_count_and_frames_what_is_passed_on():
    """Two workers, two steps: the numbers are those of the frame, the frames where `sent` says so."""
    counts = {0: [[1, 1], [1, 1]], 1: [[1, 2], [2, 1]], 2: [[2, 2], [2, 2]]}
    sent = {0: {(0, 0), (1, 1)}, 1: {(0, 1), (1, 0)}, 2: set()}
    rows = pd.DataFrame(
        (step, w, c, counts[step][w][c], (w, c) in sent[step]) for step in counts for w in (0, 1) for c in (0, 1)
    ).set_axis(["step", "worker", "chunk", "summed", "sent"], axis=1)
    figure = ring.sums(rows)
    for ax, step in zip(figure.axes, counts, strict=True):
        shown = {(int(t.get_position()[1]), int(t.get_position()[0])): int(t.get_text()) for t in ax.texts}
        assert shown == {(w, c): counts[step][w][c] for w in (0, 1) for c in (0, 1)}
        assert {(int(line.get_ydata()[0]), int(line.get_xdata()[0])) for line in ax.lines} == sent[step]
    assert [ax.get_title(loc="center") for ax in figure.axes] == ["start", "step 1", "step 2"]
    plt.close(figure)


@pytest.mark.parametrize(("workers", "leaving"), [(1, 0), (2, 0), (8, 0), (9, 2), (16, 2), (20, 3)])
def test_thick_links_leave_their_server(ax, workers, leaving):
    """A ring over S servers of eight leaves a server S times, or never if there is one."""
    ring.draw_ring(ax, workers, 8)
    thick = [line for line in ax.lines if line.get_color() == ring.BETWEEN]
    assert len(thick) == leaving
    assert len(ax.lines) == (workers if workers > 1 else 0)
    assert ax.texts[0].get_text().startswith(f"{workers} worker")


ROWS = pd.DataFrame(
    [("a", "send", 2.0), ("a", "compute", 1.0), ("b", "compute", 1.5), ("b", "add", 0.0)],
    columns=["bar", "part", "value"],
)


def test_split_stacks_parts_in_one_order_and_writes_totals(ax):
    """Bars compare only if their parts stand in the same order."""
    split_bars(ax, ROWS, order={"b": "second", "a": "first"})
    bars = [p for p in ax.patches if isinstance(p, Rectangle) and p.get_width() > 0]
    drawn = [(round(b.get_y() + b.get_height() / 2), b.get_x(), b.get_width()) for b in bars]
    assert drawn == [(0, 0.0, 1.5), (1, 0.0, 1.0), (1, 1.0, 2.0)]
    assert [text.get_text() for text in ax.texts] == ["1.5 s", "3 s"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["second", "first"]


def test_legend_names_the_parts_that_are_there(ax):
    """A colour that occurs nowhere would be looked for."""
    legend(ax.figure, ROWS)
    shown = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert shown == ["compute gradients", "send"]
    assert len(set(PART_COLOURS.values())) == len(PART_COLOURS)


def test_rings_has_a_row_for_each_number_of_workers():
    """Bars of all rows share an axis; a given end keeps pictures comparable."""
    rows = pd.DataFrame(
        [(w, net, "compute", 1.0 + w) for w in (2, 9) for net in ("slow", "fast")],
        columns=["workers", "network", "part", "seconds"],
    )
    figure = ring.rings(rows, 8, until_s=20.0)
    circles, bars = figure.axes[::2], figure.axes[1::2]
    assert [ax.texts[0].get_text() for ax in circles] == ["2 workers\n1 server", "9 workers\n2 servers"]
    assert [[text.get_text() for text in ax.texts] for ax in bars] == [["3 s", "3 s"], ["10 s", "10 s"]]
    assert all(ax.get_xlim()[1] == pytest.approx(23.6) for ax in bars)
    plt.close(figure)


def test_scaling_draws_each_line_and_what_nothing_can_beat(ax):
    rows = pd.DataFrame({"workers": [4, 2, 2, 4], "line": ["x", "x", "y", "y"], "value": [8.0, 4.0, 1.0, 2.0]})
    ring.scaling(ax, rows, "workers", "speed", ideal=[5.0, 10.0])
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert drawn == [([2, 4], [5.0, 10.0]), ([2, 4], [4.0, 8.0]), ([2, 4], [1.0, 2.0])]
    assert [text.get_text() for text in ax.texts] == ["ideal", "x", "y"]
