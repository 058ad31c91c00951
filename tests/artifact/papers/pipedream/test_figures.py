"""Figures of PipeDream from small frames: what is drawn is what the frame says."""

import pandas as pd
import pytest

from artifact.papers.pipedream.figures import evaluation

PUBLISHED = pd.DataFrame(
    [
        ("pipedream", "section 5", "GNMT-16 on A", "throughput lost to GPipe flushes at depth NOAM", "55"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def test_throughputs_are_relative_to_the_straight_pipeline():
    times = {"1f1b": 1.0, "model-parallel": 4.0, "gpipe-noam": 2.0, "gpipe-largest": 1.25, "printed": 0.5}
    slower = {name: value * (1.0 if name == "1f1b" else 2.0) for name, value in times.items()}
    rows = [
        ("GNMT-16 4x4 A", reading, name, "simulated_s", value)
        for reading, each in (("fitted", times), ("stated", slower))
        for name, value in each.items()
    ]
    frame = pd.DataFrame(rows, columns=["setup", "reading", "x", "metric", "value"])
    ax = evaluation.schedules(frame, PUBLISHED).axes[0]
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == pytest.approx([1.0 / times[name] for name in evaluation.SCHEDULE_STYLES])
    drawn = {line.get_marker(): [] for line in ax.lines}
    for line in ax.lines:
        drawn[line.get_marker()].append(line.get_ydata()[0])
    assert drawn["D"] == pytest.approx([0.45])
    assert drawn["o"] == pytest.approx([0.5 / times[name] for name in evaluation.SCHEDULE_STYLES if name != "1f1b"])
