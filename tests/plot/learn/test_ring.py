"""Rings and bars show the numbers of the frame."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rarlib.plot.learn import ring


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


ROWS = pd.DataFrame(
    [("a", "send", 2.0), ("a", "compute", 1.0), ("b", "compute", 1.5), ("b", "add", 0.0)],
    columns=["bar", "part", "value"],
)
