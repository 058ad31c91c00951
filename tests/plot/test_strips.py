"""Dots and marks say what the frame says, and the same frame gives the same picture."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from rarlib.plot.heat import heat
from rarlib.plot.strips import bars, strips
from rarlib.plot.style import INK

ROWS = pd.DataFrame(
    {"x": [1, 1, 2, 2], "scheduler": ["a", "a", "b", "b"], "value": [1.0, 3.0, 5.0, 9.0]}, index=[3, 2, 1, 0]
)
COLOURS = {"b": "#ff0000", "a": "#0000ff"}


def dots(ax):
    return np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])


def test_strips_show_every_instance_in_its_row(ax):
    """In the order of the colours, near the row's middle; mean and deviation 7 and 8 ** 0.5, 2 and 2 ** 0.5."""
    strips(ax, ROWS, "value", "scheduler", COLOURS)
    found = dots(ax)
    assert sorted(found[:, 0]) == [1.0, 3.0, 5.0, 9.0]
    assert np.abs(found[:, 1] - np.where(found[:, 0] > 4, 0, 1)).max() <= 0.12
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    means = {round(float(np.nanmean(line.get_xdata())), 9): line.get_color() for line in marks}
    assert {mean: to_hex(colour) for mean, colour in means.items()} == {7.0: "#ff0000", 2.0: "#0000ff"}
    ends = {tuple(np.round(np.unique(line.get_xdata()), 9)) for line in ax.lines if line.get_marker() != "o"}
    assert {(round(7 - 8**0.5, 9), round(7 + 8**0.5, 9)), (round(2 - 2**0.5, 9), round(2 + 2**0.5, 9))} <= {
        tuple(end[np.isfinite(end)]) for end in map(np.array, ends)
    }


def test_bars_are_means_with_their_instances(ax):
    """A group without instances of a series leaves its place empty."""
    bars(ax, ROWS.assign(x=ROWS["x"].astype(str)), "x", ["2", "1"], COLOURS)
    tall = [(round(bar.get_x() + bar.get_width() / 2, 9), bar.get_height()) for bar in ax.patches]
    assert tall == [(-0.2, 7.0), (1.2, 2.0)]
    assert sorted(dots(ax)[:, 1]) == [1.0, 3.0, 5.0, 9.0]


def test_words_in_a_heat_map_can_be_read(ax):
    """Dark cells have white words; a cell without a value has neither colour nor words."""
    values = pd.DataFrame([[0.0, 1.0], [np.nan, 0.5]], index=["up", "down"], columns=["l", "r"])
    texts = pd.DataFrame([["a", "b"], ["", "d"]])
    heat(ax, values, texts, values.eq(1.0), "//", cmap="Greys", vmin=0.0, vmax=1.0)
    assert {text.get_text(): text.get_color() for text in ax.texts} == {"a": INK, "b": "white", "d": INK}
    assert [box.get_xy() for box in ax.patches] == [(1, 0)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["up", "down"]
    assert ax.get_ylim() == pytest.approx((2.0, 0.0))
