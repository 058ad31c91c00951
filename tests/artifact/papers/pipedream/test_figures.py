"""Figures of PipeDream from small frames: what is drawn is what the frame says."""

import pandas as pd
import pytest

from artifact.papers.pipedream.figures import evaluation

PUBLISHED = pd.DataFrame(
    [
        ("pipedream", "Table 1", "X 4x4 A", "configuration", "15-1"),
        ("pipedream", "Table 1", "X 4x4 A", "epoch-time speed-up over DP", "5.3"),
        ("pipedream", "section 5", "GNMT-16 on A", "throughput lost to GPipe flushes at depth NOAM", "55"),
        ("other", "Table 1", "X 4x4 A", "epoch-time speed-up over DP", "9"),
    ],
    columns=["paper", "where", "series", "x", "value"],
)


def table(stages):
    rows = []
    for reading, speedup in (("fitted", 2.0), ("stated", 1.5)):
        for plan, replicas in stages.items():
            many = enumerate(replicas)
            rows += [("X 4x4 A", reading, "stage", f"{plan}/{at}", "replicas", float(r)) for at, r in many]
            metrics = {"simulated_speedup": speedup, "exposed_speedup": 3.0, "predicted_speedup": 4.0, "measured": 0.0}
            rows += [("X 4x4 A", reading, "plan", plan, metric, value) for metric, value in metrics.items()]
        rows.append(("X 4x4 A", reading, "plan", "planner", "none_faster", 0.0))
    return pd.DataFrame(rows, columns=["setup", "reading", "x_name", "x", "metric", "value"])


STAGES = {
    "printed": (15, 1),
    "flat": (1,) * 16,
    "levels": (4, 2, 2, 2, 1, 1),
    "default": (16,),
    "default-levels": (8, 8),
}


def test_the_table_joins_published_and_ours():
    row = evaluation.speedup_table(table(STAGES), PUBLISHED).loc["X 4x4 A"]
    assert (row["published"], row["simulated"], row["as stated"], row["printed"]) == (5.3, 2.0, 1.5, "15-1")
    assert row["profile"] == "analytic"


def test_throughputs_are_relative_to_the_straight_pipeline():
    times = {"1f1b": 1.0, "model-parallel": 4.0, "gpipe-noam": 2.0, "gpipe-largest": 1.25, "printed": 0.5}
    frame = pd.DataFrame(
        [
            (
                "GNMT-16 4x4 A",
                reading,
                name,
                "simulated_s",
                value * (2.0 if reading == "stated" and name != "1f1b" else 1.0),
            )
            for reading in ("fitted", "stated")
            for name, value in times.items()
        ],
        columns=["setup", "reading", "x", "metric", "value"],
    )
    ax = evaluation.schedules(frame, PUBLISHED).axes[0]
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == pytest.approx([1.0 / times[name] for name in evaluation.SCHEDULE_STYLES])
    drawn = {line.get_marker(): [] for line in ax.lines}
    for line in ax.lines:
        drawn[line.get_marker()].append(line.get_ydata()[0])
    assert drawn["D"] == pytest.approx([0.45])
    assert drawn["o"] == pytest.approx([0.5 / times[name] for name in evaluation.SCHEDULE_STYLES if name != "1f1b"])
