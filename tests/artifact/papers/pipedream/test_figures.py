"""Figures of PipeDream from small frames: what is drawn is what the frame says."""

import math

import pandas as pd
import pytest

from artifact.papers.pipedream.figures import evaluation

ROW = ("pipedream", "section 5", "GNMT-16 on A", "throughput lost to GPipe flushes at depth NOAM", "55")
PUBLISHED = pd.DataFrame([ROW], columns=["paper", "where", "series", "x", "value"])


@pytest.mark.parametrize("longest", [1.25, math.nan])
def test_throughputs_are_relative_to_the_straight_pipeline(longest):
    """NaN: no flush fits into the memory."""
    times = {"1f1b": 1.0, "model-parallel": 4.0, "gpipe-noam": 2.0, "gpipe-largest": longest, "printed": 0.5}
    slower = {name: value * (1.0 if name == "1f1b" else 2.0) for name, value in times.items()}
    rows = [
        ("GNMT-16 4x4 A", reading, name, "simulated_s", value)
        for reading, each in (("fitted", times), ("stated", slower))
        for name, value in each.items()
        if not math.isnan(value)
    ]
    frame = pd.DataFrame(rows, columns=["setup", "reading", "x", "metric", "value"])
    ax = evaluation.schedules(frame, PUBLISHED).axes[0]
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == pytest.approx([1.0 / times[name] for name in evaluation.SCHEDULE_STYLES], nan_ok=True)
    drawn = {mark: [line.get_ydata()[0] for line in ax.lines if line.get_marker() == mark] for mark in "Do"}
    assert drawn["D"] == pytest.approx([0.45])
    assert [text.get_text() for text in ax.texts if text.get_rotation()] == ["none fits"] * math.isnan(longest)
    assert drawn["o"] == pytest.approx([1.0 / slower[name] for name in slower if name != "1f1b"], nan_ok=True)
